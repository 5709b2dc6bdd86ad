import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { assert, describe, it } from "@effect/vitest"
import { deliveryDue } from "@wcs/domain/shared/Notifications"
import { figuresOf } from "@wcs/end-to-end/faults/Figures"
import { type Engine, startEngine } from "@wcs/store-suite/postgres/Engine"
import { startPair } from "@wcs/store-suite/postgres/Pair"
import { Clock, Effect, Fiber, Latch, Redacted } from "effect"
import { deployment, listener, onDatabase, receiver, sharing, until } from "../Machines.ts"
import { askPlainly, type Environment, type Server, temporaryDirectory } from "../Process.ts"
import { violations } from "./Checker.ts"
import { type Answer, connection, posted, type Send } from "./Connection.ts"
import { History } from "./History.ts"
import { load, makeCommons } from "./Load.ts"
import { isFull } from "./Rounds.ts"
import { prepare, read } from "./Stored.ts"

const clients = 16

/** A way in which a database goes and returns at the same URL. */
interface Way {
  readonly name: string
  readonly times: number
  /** The state of each standby. A commit is acknowledged after it has reached a standby that is `sync`. */
  readonly standbys: ReadonlyArray<string>
  readonly start: () => Promise<Engine>
}

const ways: ReadonlyArray<Way> = [
  { name: "crashes and restarts", times: 3, standbys: [], start: startEngine },
  { name: "fails over to its standby", times: 1, standbys: ["sync"], start: startPair }
]

/** The maximum recovery time, on a machine that does nothing else. */
const recoveredMillis = 5000

/** The maximum duration of a call, including a restart of the database. */
const timeoutMillis = 15_000

const raised = { WCS_RATE_STANDARD: "1000000", WCS_RATE_INTENSIVE: "1000000" }

/** An event kind that the load does not cause. */
const ofNoCredential = { credentialTypes: ["WWCC_NSW"], jurisdictions: [] }

const engine = ({ start }: Way) => Effect.acquireRelease(Effect.promise(start), ({ stop }) => Effect.promise(stop))

const standbysOf = (url: string) =>
  Effect.map(onDatabase(Redacted.make(url), "SELECT sync_state FROM pg_stat_replication"), ([rows = []]) =>
    rows.map((row) => String(row["sync_state"]))
  )

/** The results of the clients. */
interface Seen {
  answered: number
  readonly failures: Array<Answer & { readonly retryAfter: unknown }>
  longestMillis: number
  unanswered: number
}

/** Alternates between the servers. Retries after failures. */
const spreading = (sends: ReadonlyArray<Send>, seen: Seen, isOver: () => boolean): Send => {
  let turn = 0
  return async (...call) => {
    if (isOver()) return undefined
    turn += 1
    const send = sends[turn % sends.length]
    const begun = performance.now()
    const answer = await send?.(...call)
    seen.longestMillis = Math.max(seen.longestMillis, performance.now() - begun)
    if (answer === undefined) seen.unanswered += 1
    else if (answer.status < 500) seen.answered += 1
    else {
      seen.failures.push({ ...answer, retryAfter: answer.headers["retry-after"] })
      await pause(100)
    }
    return answer
  }
}

const isReady = ({ adminPort }: Pick<Server, "adminPort">) =>
  Effect.map(askPlainly(adminPort, "/readyz"), ({ status }) => status === 200)

const worked = (sends: ReadonlyArray<Send>) =>
  Effect.promise(async () => {
    const answers = await Promise.all(sends.map((send) => send("GET", "/workers?pageSize=1")))
    return answers.every((answer) => answer?.status === 200)
  })

const post = (...of: Parameters<typeof posted>) => Effect.promise(() => posted(...of))

describe("Postgres goes away under load", () => {
  for (const way of ways) {
    it.live(
      `${way.name}, ${way.times} times: loses no acknowledged write, answers every call, and servers and workers recover`,
      (context) =>
        Effect.gen(function* () {
          const figures = figuresOf(context, `Postgres ${way.name}, under ${clients} clients`)
          const { crash, restart, url } = yield* engine(way)
          const environment: Environment = { ...(yield* sharing(url)), ...raised }
          const own = { ...environment, WCS_DATA: join(yield* temporaryDirectory, "data") }
          const token = yield* Effect.orDie(prepare(own, ofNoCredential))
          const { here, there, workers } = yield* deployment({ ...environment, WCS_LOG_LEVEL: "error" })
          const sends = yield* Effect.forEach([here, there], (server) => connection(server, token, clients))
          const [first = assert.fail("there is no server"), second = first] = sends
          const { received, url: receiverUrl } = yield* receiver
          const hook = { name: "tried out", url: receiverUrl, events: ["fetchRequest.completed"] }
          const webhook = yield* post(first, "/webhooks", hook)
          const { listen } = yield* listener(environment)

          assert.deepStrictEqual(yield* standbysOf(url), way.standbys)

          const history = new History()
          const seen: Seen = { answered: 0, failures: [], longestMillis: 0, unanswered: 0 }
          const recoveries: Array<number> = []
          let isOver = false
          const send = spreading(sends, seen, () => isOver)
          const commons = yield* Effect.promise(() => makeCommons(send, history))
          const options = { clients, round: 1, failuresMax: Number.POSITIVE_INFINITY }
          const going = yield* Effect.forkChild(Effect.promise(() => load(send, history, commons, options)))
          const answeredMore = (count: number) => {
            const goal = seen.answered + count
            return until(
              Effect.sync(() => seen.answered),
              (answered) => answered >= goal
            )
          }

          for (let time = 1; time <= way.times; time++) {
            yield* answeredMore(100)
            const failedBefore = seen.failures.length
            yield* Effect.promise(crash)
            yield* until(
              Effect.sync(() => seen.failures.length),
              (failed) => failed > failedBefore
            )
            for (const server of [here, there]) yield* until(isReady(server), (ready) => !ready)
            yield* Effect.promise(restart)
            const backAt = yield* Clock.currentTimeMillis
            yield* until(worked(sends), (works) => works)
            for (const process of [here, there, ...workers]) yield* until(isReady(process), (ready) => ready)
            // From now on, events are sent and work is done.
            const heard = Latch.makeUnsafe(false)
            yield* listen(deliveryDue, heard)
            const before = received.length
            yield* until(
              Effect.andThen(
                post(second, `/webhooks/${webhook.id}/ping`),
                Effect.sync(() => heard.isOpen() && received.length > before)
              ),
              (done) => done
            )
            const millis = (yield* Clock.currentTimeMillis) - backAt
            figures.faults++
            recoveries.push(millis)
            if (isFull) assert.isAtMost(millis, recoveredMillis, `milliseconds until all was well after outage ${time}`)
          }
          yield* answeredMore(100)
          isOver = true
          yield* Fiber.join(going)

          assert.strictEqual(seen.unanswered, 0, "calls without an answer")
          if (isFull) assert.isAtMost(seen.longestMillis, timeoutMillis, "milliseconds of the longest call")
          // Without a connection, calls get 503. A connection that breaks during a call causes 500.
          const told = new Set(seen.failures.map(({ retryAfter, status }) => `${status} ${retryAfter}`))
          assert.includeMembers(["503 1", "500 undefined"], [...told])
          assert.include([...told], "503 1")
          for (const process of [here, there, ...workers]) process.signal("SIGTERM")
          for (const process of [here, there, ...workers]) assert.strictEqual((yield* process.ended).code, 0)
          const stored = yield* Effect.orDie(read(own))
          assert.isAbove(stored.rows.size, 100)
          const found = violations(history, stored)
          figures.requests = history.sent
          figures.lost = found.length
          figures.survived = found.length === 0 ? figures.faults : 0
          figures.notes = `${seen.failures.length} × 5xx while away; all well again after ${recoveries.join(", ")} ms`
          assert.deepStrictEqual(found, [])
          const without = { ...stored, rows: new Map([...stored.rows].slice(1)) }
          assert.isNotEmpty(violations(history, without), "a row that is lost is missed")
        }),
      180_000
    )
  }
})
