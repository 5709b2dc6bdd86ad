import { isDeepStrictEqual } from "node:util"
import type { Event } from "@wcs/conformance/engine/Event"
import type { Walk } from "@wcs/conformance/engine/Walk"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { walks } from "@wcs/conformance/Walks"
import type { Answer, Exchange, Request } from "@wcs/conformance/wire/Exchange"
import { NoAnswer } from "@wcs/conformance/wire/Wire"
import { Clock, Effect, Result } from "effect"
import type { Serve } from "./Serve.ts"
import type { Specimen } from "./Specimen.ts"
import type { Known } from "./selftest/Judging.ts"

// Finds the walks in which a variant can differ from ours. The result of a walk depends only on its profile, its
// exchanges and its deliveries. If the variant changes no request and no answer of a walk, the walk has the same
// findings as on ours.

/** Every walk as recorded on our deployment. */
export interface Recording {
  /** In the order sent. */
  readonly exchanges: ReadonlyArray<Exchange>
  /** The walks that can receive deliveries. */
  readonly listening: ReadonlySet<string>
  /** The walks with concurrent calls: in sequence these may have other results. */
  readonly racing: ReadonlySet<string>
  /** The profile of the deployment, to which its exchanges belong. */
  readonly profile: Profile
}

const racingIn = (exchanges: ReadonlyArray<Exchange>): ReadonlySet<string> => {
  const lastSent = new Map<string, number>()
  const racing = new Set<string>()
  for (const { lastSent: last, number, walk } of exchanges) {
    const before = lastSent.get(walk) ?? 0
    if (number <= before) racing.add(walk) // sent before an earlier call was answered
    lastSent.set(walk, Math.max(before, last))
  }
  return racing
}

/** The recording of a finished run. */
export const recordingOf = (events: ReadonlyArray<Event>, profile: Profile): Recording => {
  const exchanges = events
    .flatMap((event) => (event.type === "exchange" ? [event.exchange] : []))
    .toSorted((one, other) => one.number - other.number)
  const evidence = events.flatMap((event) => (event.type === "evidence" ? [event.evidence] : []))
  return {
    exchanges,
    listening: new Set(evidence.flatMap((one) => (one.of === "address" ? [one.walk] : []))),
    racing: racingIn(exchanges.filter(isCall)),
    profile
  }
}

/** Whether the exchange is a request to the deployment, not a delivery from it. */
const isCall = ({ kind }: Exchange): boolean => kind !== "delivery"

/** A clock that never waits and reports each attempt. */
const unwaiting = (clock: Clock.Clock, note: () => void): Clock.Clock => ({
  currentTimeMillisUnsafe: () => clock.currentTimeMillisUnsafe(),
  currentTimeMillis: clock.currentTimeMillis,
  currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
  currentTimeNanos: clock.currentTimeNanos,
  monotonicTimeNanosUnsafe: () => clock.monotonicTimeNanosUnsafe(),
  monotonicTimeNanos: clock.monotonicTimeNanos,
  sleep: () => Effect.sync(note)
})

/** The result of a request. */
type Came = Result.Result<Answer, NoAnswer>

const recordedIn = ({ answer, silence }: Exchange): Came =>
  answer === null ? Result.fail(new NoAnswer({ silence: silence ?? "reset", detail: "" })) : Result.succeed(answer)

const isSame = (one: Came, other: Came): boolean =>
  Result.isSuccess(one) && Result.isSuccess(other)
    ? isDeepStrictEqual(one.success, other.success)
    : Result.isFailure(one) && Result.isFailure(other) && one.failure.silence === other.failure.silence

/**
 * The walks that a rewrite affects. Replays each recorded exchange: a rewrite affects it if it changes, repeats or
 * drops the request, changes the answer, or waits.
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

/** The walks to make on a variant, and the known exchanges of the others. */
export interface Differing {
  /** The walks in which the variant may differ from ours. */
  readonly walks: ReadonlyArray<Walk>
  /** The exchanges of the other walks, equal to ours. */
  readonly known: Known
}

/** For a specimen that may differ anywhere. */
const anywhere: Differing = { walks, known: { exchanges: [] } }

/**
 * The walks in which a specimen may differ from ours. All walks if it changes rules, stores or the profile, because
 * recorded exchanges do not show these. Also all if it rewrites shared exchanges, such as token requests.
 */
export const differing = Effect.fnUntraced(function* (
  { deliveries, profile, rewrite, rules, secret, stores }: Specimen,
  { exchanges, listening, profile: told, racing }: Recording
) {
  if ([profile, rules, secret, stores].some((changed) => changed !== undefined)) return anywhere
  const names = new Set([
    ...(rewrite === undefined ? [] : [...racing, ...(yield* rewrittenIn(rewrite, exchanges.filter(isCall)))]),
    ...(deliveries === undefined ? [] : listening)
  ])
  const made = walks.filter(({ name }) => names.has(name))
  if (made.length < names.size) return anywhere
  const known = exchanges.filter(({ walk }) => !names.has(walk))
  return { walks: made, known: { exchanges: known, profile: told } } satisfies Differing
})
