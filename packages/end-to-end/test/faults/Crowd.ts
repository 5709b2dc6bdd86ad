import { fork } from "node:child_process"
import { setPriority } from "node:os"
import { Effect, type Scope } from "effect"
import type { Attack } from "./crowd/attack.ts"
import type { Hold } from "./crowd/hold.ts"
import type { OpenLoop } from "./crowd/openLoop.ts"

const programs = {
  attack: new URL("./crowd/attack.ts", import.meta.url),
  hold: new URL("./crowd/hold.ts", import.meta.url),
  openLoop: new URL("./crowd/openLoop.ts", import.meta.url)
}

interface Parameters {
  readonly attack: Attack
  readonly hold: Hold
  readonly openLoop: OpenLoop
}

/** A process with clients. */
export interface Crowd {
  /** Waits for the next message of the program. */
  readonly told: Effect.Effect<unknown>
  /** Lets the program end. Returns its last message. */
  readonly ended: Effect.Effect<unknown>
}

/** Attackers get only the processor time that the server and the measuring process leave. */
const priorities = { attack: 19, hold: 19, openLoop: 0 }

/** Starts clients in their own process, until the scope closes. */
export const crowd = <Name extends keyof Parameters>(
  name: Name,
  parameters: Parameters[Name]
): Effect.Effect<Crowd, never, Scope.Scope> =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => fork(programs[name], [JSON.stringify(parameters)], { execArgv: [], stdio: "inherit" })),
      (child) => Effect.sync(() => child.kill("SIGKILL"))
    ),
    (child) => {
      if (child.pid !== undefined) setPriority(child.pid, priorities[name])
      const messages: Array<unknown> = []
      const hearers: Array<(message: unknown) => void> = []
      child.on("message", (message) => {
        const hear = hearers.shift()
        if (hear === undefined) messages.push(message)
        else hear(message)
      })
      const told = Effect.promise(
        () =>
          new Promise<unknown>((resolve, reject) => {
            if (messages.length > 0) return resolve(messages.shift())
            hearers.push(resolve)
            child.once("exit", (code) => reject(new Error(`the program ${name} ended with ${code}`)))
          })
      )
      return {
        told,
        ended: Effect.andThen(
          Effect.sync(() => child.kill("SIGTERM")),
          told
        )
      }
    }
  )
