import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SMTPServer } from "smtp-server"
import { call, dataOf, done, withAdmin } from "./Calls.ts"
import { type Server, serving } from "./Process.ts"

/** The steps of a conversation at which the process is killed. `taken`: the mail server has the message and has not said so. */
const steps = ["connected", "addressed", "handed", "taken", "answered"] as const
type Step = (typeof steps)[number]

const runs = 20
const messagesPerRun = 3

/** Moves the clock of a process past the time after which an attempt without an end counts as lost. */
const later = `Date.now = ((now) => () => now() + ${13 * 3_600_000})(Date.now)`
const afterLong = { NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(later)}` }

/** A mail server that keeps what it took, and tells each step of each conversation. */
const mailServer = Effect.acquireRelease(
  Effect.callback<{ readonly port: number; readonly taken: Array<string>; at: (step: Step) => void }>((resume) => {
    const taken: Array<string> = []
    const state = { port: 0, taken, at: (_step: Step): void => {} }
    const server = new SMTPServer({
      authOptional: true,
      disabledCommands: ["STARTTLS"],
      logger: false,
      onConnect: (_session, callback) => {
        state.at("connected")
        callback()
      },
      onRcptTo: (_address, _session, callback) => {
        state.at("addressed")
        callback()
      },
      onData: (stream, _session, callback) => {
        let text = ""
        stream.on("data", (chunk: Buffer) => {
          if (text === "") state.at("handed")
          text += chunk.toString()
        })
        stream.on("end", () => {
          taken.push(/^Message-ID: <(\w+)@/im.exec(text)?.[1] ?? "")
          state.at("taken")
          callback(null, "taken")
          setImmediate(() => state.at("answered"))
        })
      }
    })
    // A process that is killed is no failure of the server.
    server.on("error", () => {})
    const listening = server.listen(0, "127.0.0.1", () => {
      const address = listening.address()
      state.port = typeof address === "object" ? (address?.port ?? 0) : 0
      resume(Effect.succeed(Object.assign(state, { close: () => server.close() })))
    })
  }),
  (state) => Effect.sync(() => Reflect.get(state, "close")())
)

/** Kills a process at the nth time that a step is reached. */
const killedAt = (mail: Effect.Success<typeof mailServer>, server: Server, step: Step, nth: number) => {
  let count = 0
  mail.at = (reached) => {
    if (reached !== step || ++count < nth) return
    mail.at = () => {}
    server.signal("SIGKILL")
  }
  return server.ended
}

interface Listed {
  readonly id: string
  readonly state: string
}

describe("threat 76: a worker process", () => {
  it.live(
    "that is killed at any step of a conversation leaves each message accepted exactly once, or unknown",
    () =>
      Effect.gen(function* () {
        const mail = yield* mailServer
        const { environment, server, token } = yield* withAdmin({
          ...{ WCS_MESSAGES: "smtp", WCS_MESSAGES_FROM: "wcs@sender.example", WCS_SMTP_TLS: "none" },
          ...{ WCS_SMTP_HOST: "127.0.0.1", WCS_SMTP_PORT: String(mail.port), WCS_LOG_LEVEL: "error" }
        })
        const seed = (yield* Clock.currentTimeMillis) % 1000
        let running = server
        const tokens: Array<string> = []
        for (let run = 0; run < runs; run++) {
          // A user gets at most 20 samples a day.
          if (run % 6 === 0) {
            const email = `officer${run}@example.com`
            yield* done(environment, "admin", "create-user", "--email", email, "--role", "Super Admin")
            const made = yield* done(environment, "admin", "create-token", "--email", email, "--name", "laptop")
            tokens.push(String(made.token))
          }
          const step = steps[run % steps.length] ?? "taken"
          const ended = killedAt(mail, running, step, 1 + ((seed + run) % messagesPerRun))
          for (let message = 0; message < messagesPerRun; message++) {
            // The process can end during the call.
            yield* Effect.ignore(
              Effect.catchDefect(
                call(running, tokens.at(-1) ?? token, "/message-settings/sample", { kind: "RED_TODAY" }),
                () => Effect.void
              )
            )
          }
          assert.isNull((yield* ended).code, "the process ended by itself")
          running = yield* serving(environment)
        }
        running.signal("SIGKILL")
        yield* running.ended
        const last = yield* serving({ ...environment, ...afterLong })
        const read = Effect.map(
          dataOf(last, token, "/messages?pageSize=100"),
          (listed) => listed as ReadonlyArray<Listed>
        )
        const messages = yield* Effect.repeat(read, {
          until: (all) => all.every(({ state }) => state !== "QUEUED" && state !== "SENDING")
        })
        const states = new Map<string, number>()
        for (const { id, state } of messages) {
          const count = mail.taken.filter((one) => one === id).length
          assert.include(state === "ACCEPTED" ? [1] : state === "UNKNOWN" ? [0, 1] : [], count, `${id} is ${state}`)
          states.set(state, (states.get(state) ?? 0) + 1)
        }
        for (const id of mail.taken)
          assert.isTrue(
            messages.some((message) => message.id === id),
            `${id} has no row`
          )
        assert.isAbove(messages.length, runs)
        yield* Effect.logInfo("Killed.", JSON.stringify({ runs, seed, ...Object.fromEntries(states) }))
      }).pipe(Effect.scoped),
    600_000
  )
})
