import { isDeepStrictEqual } from "node:util"
import type { Event } from "@wcs/conformance/engine/Event"
import type { Walk } from "@wcs/conformance/engine/Walk"
import { walks } from "@wcs/conformance/Walks"
import type { Answer, Exchange, Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { Clock, Effect, Result } from "effect"
import type { Serve } from "./Serve.ts"
import type { Specimen } from "./Specimen.ts"

// In which walks a variant differs from ours. A walk goes by its profile, its exchanges and what is delivered to it, and
// by nothing else. Where a variant passes each of the walk's requests on as it is, and each answer back as it came, the
// walk would find on the variant what it has found on ours.

/** Every walk, as it was made on our own deployment. */
export interface Recording {
  /** In the order in which they were sent. */
  readonly exchanges: ReadonlyArray<Exchange>
  /** The walks that something could be delivered to. */
  readonly listening: ReadonlySet<string>
  /** The walks that made calls at once: one by one, these may come to something else. */
  readonly racing: ReadonlySet<string>
}

const racingIn = (exchanges: ReadonlyArray<Exchange>): ReadonlySet<string> => {
  const lastSent = new Map<string, number>()
  const racing = new Set<string>()
  for (const { lastSent: last, number, walk } of exchanges) {
    const before = lastSent.get(walk) ?? 0
    if (number <= before) racing.add(walk) // sent before the answer to an earlier one had come
    lastSent.set(walk, Math.max(before, last))
  }
  return racing
}

/** The recording of a run that has ended. */
export const recordingOf = (events: ReadonlyArray<Event>): Recording => {
  const exchanges = events
    .flatMap((event) => (event.type === "exchange" ? [event.exchange] : []))
    .toSorted((one, other) => one.number - other.number)
  const evidence = events.flatMap((event) => (event.type === "evidence" ? [event.evidence] : []))
  return {
    exchanges,
    listening: new Set(evidence.flatMap((one) => (one.of === "address" ? [one.walk] : []))),
    racing: racingIn(exchanges.filter(isCall))
  }
}

/** What a deployment was asked: what it delivered came of itself. */
const isCall = ({ kind }: Exchange): boolean => kind !== "delivery"

/** A clock on which nobody waits: whoever would is noted. */
const unwaiting = (clock: Clock.Clock, note: () => void): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: () => Effect.sync(note)
})

/** What came of a request. */
type Came = Result.Result<Answer, NoAnswer>

const recordedIn = ({ answer, silence }: Exchange): Came =>
  answer === null ? Result.fail(new NoAnswer({ silence: silence ?? "reset", detail: "" })) : Result.succeed(answer)

const isSame = (one: Came, other: Came): boolean =>
  Result.isSuccess(one) && Result.isSuccess(other)
    ? isDeepStrictEqual(one.success, other.success)
    : Result.isFailure(one) && Result.isFailure(other) && one.failure.silence === other.failure.silence

/**
 * The walks in which a rewrite does anything, told by what it makes of each recorded exchange, one by one: it asks
 * something else, or more than once, or not at all, answers something else, or later.
 */
const rewrittenIn = Effect.fnUntraced(function* (rewrite: (serve: Serve) => Serve, exchanges: ReadonlyArray<Exchange>) {
  const rewritten = new Set<string>()
  const clock = yield* Clock.Clock
  let asked: ReadonlyArray<Request> = []
  let came: Came
  let isLate = false
  const serve = rewrite((request) =>
    Effect.suspend(() => {
      asked = [...asked, request]
      return Effect.fromResult(came)
    })
  )
  const replay = Effect.fnUntraced(function* (exchange: Exchange) {
    asked = []
    isLate = false
    came = recordedIn(exchange)
    const answered = yield* Effect.result(serve(exchange.request))
    const isPassedOn = !isLate && asked.length === 1 && isDeepStrictEqual(asked[0], exchange.request)
    if (!isPassedOn || !isSame(answered, recordedIn(exchange))) rewritten.add(exchange.walk)
  })
  yield* Effect.forEach(exchanges, replay, { discard: true }).pipe(
    Effect.provideService(
      Clock.Clock,
      unwaiting(clock, () => {
        isLate = true
      })
    )
  )
  return rewritten
})

/** What is made on a variant, and what is known of the others. */
export interface Differing {
  /** The walks in which it may differ from ours. */
  readonly walks: ReadonlyArray<Walk>
  /** The exchanges of the other walks, which are the same on it as on ours. */
  readonly known: ReadonlyArray<Exchange>
}

/** Of a specimen that may differ anywhere. */
const anywhere: Differing = { walks, known: [] }

/**
 * The walks in which a specimen may differ from ours. Those are all where it does not only rewrite what goes over the
 * wire: what another rule, store or profile comes to is not to be seen from outside. They are all, too, where it rewrites
 * anything that is not of one walk alone, such as the tokens that all of them use.
 */
export const differing = Effect.fnUntraced(function* (
  { deliveries, profile, rewrite, rules, secret, stores }: Specimen,
  { exchanges, listening, racing }: Recording
) {
  if ([profile, rules, secret, stores].some((changed) => changed !== undefined)) return anywhere
  const names = new Set([
    ...(rewrite === undefined ? [] : [...racing, ...(yield* rewrittenIn(rewrite, exchanges.filter(isCall)))]),
    ...(deliveries === undefined ? [] : listening)
  ])
  const made = walks.filter(({ name }) => names.has(name))
  if (made.length < names.size) return anywhere
  return { walks: made, known: exchanges.filter(({ walk }) => !names.has(walk)) } satisfies Differing
})
