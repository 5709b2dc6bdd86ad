import { Console, Effect } from "effect"
import { Command } from "effect/cli"
import { sockets } from "../engine/Conformance.ts"
import { Session } from "../judgement/Session.ts"
import { exitCodes } from "../report/ExitCode.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { printAdvice } from "./AdviceOutput.ts"
import { exitWith } from "./CommandExit.ts"
import { doctorWalk, examine } from "./Diagnosis.ts"
import { sessionOf } from "./SessionOutsideRun.ts"
import { targetFlags, targetOf } from "./Target.ts"
import { secondsToReady, waitFlag } from "./Waiting.ts"

/** Checks that a run has everything it needs. */
export const doctorCommand = Command.make(
  "doctor",
  { ...targetFlags, wait: waitFlag },
  Effect.fnUntraced(function* ({ wait, ...given }) {
    const target = yield* targetOf(given)
    const seconds = yield* secondsToReady(wait)
    const exchanges: Array<Exchange> = []
    return yield* Effect.gen(function* () {
      const { session } = yield* sessionOf(doctorWalk, target, (exchange) => exchanges.push(exchange))
      const readings = yield* Effect.provideService(examine(exchanges, seconds), Session, session)
      yield* Effect.forEach(readings, ({ state, told, what }) => Console.log(`${state.padEnd(9)} ${what}: ${told}`))
      const isIll = readings.some(({ state }) => state === "ill")
      const last = exchanges.at(-1)
      if (isIll && last !== undefined && readings.length === 1) yield* printAdvice(last)
      yield* exitWith(isIll ? exitCodes.unreachable : exitCodes.passed)
    }).pipe(Effect.scoped, Effect.provide(sockets(target)))
  })
).pipe(
  Command.withDescription(
    "Check that a run has everything it needs; creates a worker and a credential, and deletes them"
  )
)
