import { Clock, Effect, Option } from "effect"
import { logInUser, readMe } from "../calls/LegacyCalls.ts"
import { bodyOf, create, madeId, makeWorker, remove } from "../calls/Resources.ts"
import { readyWithin } from "../engine/Preflight.ts"
import type { Blocked } from "../judgement/Blocked.ts"
import { headerOf } from "../judgement/Expect.ts"
import { inWords } from "../judgement/Judge.ts"
import { Session } from "../judgement/Session.ts"
import { at } from "../text/Json.ts"
import { inLine } from "../text/Visible.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import { Wire } from "../wire/Wire.ts"

/** A precondition of a run and its state. */
export interface Reading {
  readonly what: string
  readonly state: "well" | "ill" | "not tried"
  /** One sentence or number. */
  readonly told: string
}

/** The walk name of the doctor's calls in records. */
export const doctorWalk = "doctor"

/** The maximum number of characters of a refusal's message that are shown. */
const maxReason = 300

/** With a larger clock difference, tokens may seem expired or not yet valid. */
const worrySeconds = 30

const reading = (what: string, isWell: boolean, told: string): Reading => ({
  what,
  state: isWell ? "well" : "ill",
  told
})

const clockOf = (exchange: Exchange, now: number): Reading => {
  const date = Date.parse(headerOf(exchange, "date") ?? "")
  if (Number.isNaN(date)) return { what: "clock", state: "not tried", told: "responses have no Date header" }
  const seconds = Math.round((date - now) / 1000)
  return reading("clock", Math.abs(seconds) <= worrySeconds, `${seconds} s off our clock`)
}

const budgetOf = (exchange: Exchange): Reading => {
  const [limit, remaining, reset] = ["limit", "remaining", "reset"].map((name) =>
    headerOf(exchange, `x-ratelimit-${name}`)
  )
  if (limit === undefined)
    return { what: "rate limit", state: "not tried", told: "responses have no X-RateLimit-Limit header" }
  return reading("rate limit", Number(remaining) > 0, `${remaining} of ${limit} calls left, for ${reset} s`)
}

/** Creates and deletes a worker, which every modifying walk needs. */
const workerOf = Effect.gen(function* () {
  const { profile } = yield* Session
  const worker = yield* makeWorker()
  if (profile.groups?.["worker"]?.delete === undefined) {
    return reading(
      "create and delete",
      false,
      `worker ${worker.id} was created and stays: the profile has no delete path`
    )
  }
  const deleted = yield* remove("worker", worker.id)
  return reading("create and delete", isIn(deleted, 2), inWords(deleted))
}).pipe(Effect.catchTag("Blocked", ({ reason }) => Effect.succeed(reading("create and delete", false, reason))))

/** The status of an answer and, for a refusal, its message. */
const withReason = (exchange: Exchange): string => {
  const message = at(exchange.answer?.json, "error.message")
  return typeof message === "string"
    ? `${inWords(exchange)}: ${inLine(message.slice(0, maxReason))}`
    : inWords(exchange)
}

/** Creates and deletes a credential of a worker, with the profile's body. About a third of the rules need one. */
const credentialOf = Effect.gen(function* () {
  const { profile, unique } = yield* Session
  const what = "credential body"
  const { create: made, delete: deleting } = profile.groups?.["credential"] ?? {}
  if (made === undefined || deleting === undefined || profile.groups?.["worker"]?.delete === undefined) {
    const told = made === undefined ? "the profile has none" : "not tried: the profile has no delete paths"
    return { what, state: "not tried", told } satisfies Reading
  }
  const owner = yield* makeWorker()
  const name = yield* unique
  const created = yield* create("credential", name, yield* bodyOf("credential", name, { worker: owner.id }))
  const id = madeId(created, name)
  const deleted = id === undefined ? undefined : yield* remove("credential", id)
  yield* remove("worker", owner.id)
  if (deleted !== undefined && !isIn(deleted, 2)) return reading(what, false, withReason(deleted))
  return reading(what, id !== undefined, withReason(created))
}).pipe(Effect.catchTag("Blocked", ({ reason }) => Effect.succeed(reading("credential body", false, reason))))

const secondTenantOf = Effect.gen(function* () {
  const { profile, send } = yield* Session
  if (profile.secondTenant === undefined) {
    return { what: "second tenant", state: "not tried", told: "the profile has none" } satisfies Reading
  }
  const exchange = yield* send({
    method: "GET",
    path: "/workers?pageSize=1",
    to: "second tenant",
    as: "secondTenant.admin"
  })
  return reading("second tenant", isIn(exchange, 2), inWords(exchange))
}).pipe(Effect.catchTag("Blocked", ({ reason }: Blocked) => Effect.succeed(reading("second tenant", false, reason))))

const legacyOf = Effect.gen(function* () {
  const { profile } = yield* Session
  if (profile.legacy?.user === undefined) {
    return { what: "legacy surface", state: "not tried", told: "the profile has no user" } satisfies Reading
  }
  const { bearer } = yield* logInUser()
  const exchange = yield* readMe(bearer)
  return reading("legacy surface", isIn(exchange, 2), inWords(exchange))
}).pipe(Effect.catchTag("Blocked", ({ reason }: Blocked) => Effect.succeed(reading("legacy surface", false, reason))))

const plainOf = Effect.gen(function* () {
  const { profile, send } = yield* Session
  if (profile.newer.plainHttpUrl === undefined) {
    return { what: "plain HTTP", state: "not tried", told: "the profile has no address" } satisfies Reading
  }
  const exchange = yield* send({ method: "GET", path: "/workers?pageSize=1", to: "plain", as: null })
  return reading("plain HTTP", statusOf(exchange) !== 200, inWords(exchange))
}).pipe(Effect.catchTag("Blocked", ({ reason }: Blocked) => Effect.succeed(reading("plain HTTP", false, reason))))

/**
 * Whether a request from here reaches the receiver at its public URL. For a local receiver this only proves that it
 * listens.
 */
const receiverOf = Effect.gen(function* () {
  const { listen, profile } = yield* Session
  const what = "receiver"
  if (profile.receiver === undefined) {
    return { what, state: "not tried", told: "the profile has none" } satisfies Reading
  }
  const { came, url } = yield* listen()
  const body = JSON.stringify({ from: "wcs-conformance doctor" })
  const headers = [["Content-Type", "application/json"]] as const
  const { origin } = new URL(url)
  const { send } = yield* Wire
  const answer = yield* Effect.option(send({ method: "POST", url, headers, body }))
  if ((yield* came).length === 0) {
    const told = Option.match(answer, {
      onNone: () => "nothing answered",
      onSome: ({ status }) => `status ${status}`
    })
    return reading(what, false, `requests from here to ${origin} do not arrive: ${told}`)
  }
  return reading(what, true, `requests from here to ${origin} arrive`)
}).pipe(Effect.catchTag("Blocked", ({ reason }: Blocked) => Effect.succeed(reading("receiver", false, reason))))

/**
 * Checks the preconditions of a run: answers, credentials, clock, rate limit, and creates and deletes of a worker and a
 * credential. Waits for at most these seconds until the deployment is ready.
 */
export const examine = Effect.fn("Doctor.examine")(function* (exchanges: ReadonlyArray<Exchange>, seconds: number) {
  const session = yield* Session
  const sentence = yield* readyWithin(session, seconds)
  if (sentence !== undefined) return [reading("answers", false, sentence)]
  const last = exchanges.at(-1)
  const seen = last === undefined ? [] : [clockOf(last, yield* Clock.currentTimeMillis), budgetOf(last)]
  return [
    reading("answers", true, last === undefined ? "yes" : `${inWords(last)} in ${last.millis} ms`),
    ...seen,
    yield* workerOf,
    yield* credentialOf,
    yield* secondTenantOf,
    yield* legacyOf,
    yield* plainOf,
    yield* receiverOf
  ]
})
