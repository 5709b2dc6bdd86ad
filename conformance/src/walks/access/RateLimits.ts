import { Effect } from "effect"
import { makeNone } from "../../calls/Lookup.ts"
import { bodyOf } from "../../calls/Resources.ts"
import { showsNobodyOf } from "../../calls/ShownWorkers.ts"
import { errorEnvelope } from "../../exchanges/Envelope.ts"
import { secondsToReset, withinLimit } from "../../exchanges/Refusals.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, blockRule, control, judge, judgePair, observe } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { limitsOf as limitsOfRun } from "../../profile/Limits.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { isGivenBack, limitOf, remainingOf } from "./RateWindow.ts"

/** Calls of a burst: enough to see the remainder fall even if a window ends meanwhile. */
const burstLength = 3

/**
 * The maximum number of bursts. There is a next one only if a remainder rose in the last one, and none fell: a limit that
 * gives calls back can outrun a slow burst.
 */
const burstsMax = 4

/** The largest limit that is exhausted. */
const maxLimit = 1000

/** The part of a run's requests that may be spent on a limit: other rules come first. */
const mostOfRun = 1 / 3

/** The requests that exhaust a limit if no window ends meanwhile. */
const requestsFor = (limit: number): number => limit + mostAtATime

const read: Call = { method: "GET", path: "/workers?externalId=nobody" }

/** How the remainder changes between each two calls of a burst. */
const stepsIn = (burst: ReadonlyArray<Exchange>): ReadonlyArray<number> =>
  burst.slice(1).map((exchange, index) => {
    const before = burst[index]
    return (remainingOf(exchange) ?? 0) - ((before && remainingOf(before)) ?? 0)
  })

const fellIn = (burst: ReadonlyArray<Exchange>): boolean => stepsIn(burst).some((step) => step < 0)
const roseIn = (burst: ReadonlyArray<Exchange>): boolean => stepsIn(burst).some((step) => step > 0)

/** The remainder falls between two calls of a burst. */
const falls = (burst: ReadonlyArray<Exchange>): Expect.Met => {
  const [last] = burst.slice(-1)
  if (fellIn(burst) || last === undefined) return []
  const remaining = burst.map((exchange) => remainingOf(exchange) ?? null)
  return Expect.difference(last, "unchanged", "header x-ratelimit-remaining", "less than before", remaining)
}

const telling = walk({
  name: "rate-limits/headers",
  judges: ["RTL-02", "RTL-03"],
  impact: "read",
  needs: []
})(function* () {
  const { send } = yield* Session
  const next = Effect.forEach(Array.from({ length: burstLength }), () => send(read))
  let burst = yield* next
  for (let bursts = 1; bursts < burstsMax && roseIn(burst) && !fellIn(burst); bursts += 1) burst = yield* next
  const [first] = burst
  if (first === undefined) return yield* block("no call was made")
  yield* control(Effect.succeed(first))
  if (burst.some((exchange) => remainingOf(exchange) === undefined)) {
    return yield* block("prerequisite failed: an answer has no rate-limit headers (RTL-01)", ...burst)
  }
  yield* judge("RTL-02", burst, [...burst.flatMap(withinLimit), ...falls(burst)])
  yield* judge("RTL-03", [first], secondsToReset(first))
})

/** Calls without effect, one of each kind that may have its own tier. */
const tierCalls = Effect.gen(function* () {
  const { unique } = yield* Session
  const credential = `/credentials/cred_${yield* unique}`
  const nobody = Effect.map(unique, (name) => ({ type: "worker", id: `wkr_${name}` }))
  const batch = { from: yield* nobody, to: yield* nobody, credentialIds: [] }
  return [
    ["GET /workers", read],
    ["GET /credentials/{id}", { method: "GET", path: credential }],
    ["POST /credentials/{id}/verify", { method: "POST", path: `${credential}/verify`, json: {} }],
    ["POST /credentials/transfer", { method: "POST", path: "/credentials/transfer", json: batch }]
  ] satisfies ReadonlyArray<readonly [what: string, call: Call]>
})

const tiers = walk({
  name: "rate-limits/tiers",
  judges: ["RTL-07", "SIL-11"],
  impact: "create",
  needs: []
})(function* () {
  const { send } = yield* Session
  const answers = yield* Effect.forEach(yield* tierCalls, ([what, call]) =>
    Effect.map(send(call), (exchange) => ({ what, exchange }))
  )
  const limits = Object.fromEntries(answers.map(({ exchange, what }) => [what, limitOf(exchange) ?? null]))
  const evidence = answers.map(({ exchange }) => exchange)
  yield* observe("RTL-07", new Set(Object.values(limits)).size, evidence)
  yield* observe("SIL-11", { limits }, evidence)
})

const rateLimited = { as: "rateLimited", isUnpaced: true } as const

/** The minimum and maximum of concurrent calls. A small limit is exceeded by calls that are sent together. */
const [leastAtATime, mostAtATime] = [8, 64]

/**
 * Calls until one is refused for the limit, at most `most`. May need more calls than the limit, because a window can end
 * meanwhile.
 */
const exhaust = Effect.fnUntraced(function* (limit: number, most: number) {
  const { send } = yield* Session
  const atATime = Math.min(Math.max(leastAtATime, 2 * limit), mostAtATime)
  const some = Effect.forEach(Array.from({ length: atATime }), () => send({ ...read, ...rateLimited }), {
    concurrency: atATime
  })
  const bursts = [yield* some]
  const isRefused = () => bursts.at(-1)?.some((one) => !isIn(one, 2))
  for (let sent = atATime; sent <= Math.min(2 * limit, most) && !isRefused(); sent += atATime) bursts.push(yield* some)
  const answers = bursts.flat()
  const last = answers.find((one) => !isIn(one, 2)) ?? answers.at(-1) ?? (yield* block("no call was made"))
  return { last, sent: answers.length, wasGivenBack: isIn(last, 2) && isGivenBack(limit, bursts) }
})

/** The maximum number of attempts to exhaust the limit for one create: its window may end before the create arrives. */
const rounds = 4

/** A create sent while the limit is exhausted, and the last refusal. Sends at most `most` requests for it. */
const createBeyond = Effect.fnUntraced(function* (limit: number, first: Exchange, most: number) {
  const one = Effect.gen(function* () {
    const name = yield* (yield* Session).unique
    return { name, ...(yield* makeNone(name, { json: yield* bodyOf("worker", name), ...rateLimited })) }
  })
  let refused = first
  let create = yield* one
  let left = most
  for (let round = 1; round < rounds && statusOf(create.probe) !== 429; round += 1) {
    if (requestsFor(limit) > left) break
    const again = yield* exhaust(limit, left)
    refused = again.last
    left -= again.sent
    create = yield* one
  }
  return { refused, create }
})

/** Refused for the limit, in the envelope, with the seconds to wait. */
const limited = (exchange: Exchange): Expect.Met => {
  const wrong = Expect.error(exchange, 429, "TOO_MANY_REQUESTS")
  const seconds = Expect.header(exchange, "retry-after", (value) => /^\d+$/.test(value), "whole seconds to wait")
  return statusOf(exchange) === 429 ? [...wrong, ...errorEnvelope(exchange), ...seconds] : wrong
}

const exhausting = walk({
  name: "rate-limits/exhaust",
  judges: ["RTL-04", "RTL-05", "RTL-06"],
  impact: "exhaust",
  needs: ["permission to exhaust a limit"]
})(function* () {
  const { profile, send, wait } = yield* Session
  const allowed = yield* control(send({ ...read, as: "rateLimited" })) // paced: an earlier run may have used it up
  const limit = limitOf(allowed.exchange)
  if (limit === undefined) {
    return yield* block("prerequisite failed: an answer has no rate-limit headers (RTL-01)", allowed.exchange)
  }
  if (limit > maxLimit) {
    return yield* block(`the limit of ${limit} calls is too large to exhaust: give rateLimited a smaller one`)
  }
  const most = limitsOfRun(profile).requests * mostOfRun
  if (requestsFor(limit) > most) {
    return yield* block(
      `the limit of ${limit} calls takes more than a third of the run's requests: give rateLimited a smaller one, or ` +
        "raise run.requests"
    )
  }
  const { last: first, sent, wasGivenBack } = yield* exhaust(limit, most)
  if (wasGivenBack) return yield* block(`calls are too slow from here to exhaust the limit of ${limit}`, first)
  yield* judgePair("RTL-04", { control: allowed, probe: first }, limited(first))
  if (statusOf(first) !== 429) return yield* block("prerequisite failed: the limit was not reached", first)

  const { create, refused } = yield* createBeyond(limit, first, most - sent)
  if (statusOf(create.probe) === 429) {
    yield* judge("RTL-06", [create.probe, create.after], showsNobodyOf(create.after, create.name))
  } else {
    yield* blockRule("RTL-06", "a read was refused with 429, but the create after it was not", [create.probe])
  }

  const seconds = Number(Expect.headerOf(refused, "retry-after"))
  if (!Number.isFinite(seconds)) return yield* block("prerequisite failed: no Retry-After in seconds", refused)
  if (!(yield* wait(seconds))) {
    return yield* block(`the wait of ${seconds} s is longer than the profile allows (secondsToWait)`, refused)
  }
  const again = yield* send({ ...read, ...rateLimited })
  yield* judge("RTL-05", [refused, again], Expect.accepted(again))
})

/** RTL: rate limits. */
export const rateLimitWalks: ReadonlyArray<Walk> = [telling, tiers, exhausting]
