import { Effect } from "effect"
import type { Blocked } from "../judgement/Blocked.ts"
import * as Expect from "../judgement/Expect.ts"
import { block } from "../judgement/Judge.ts"
import { type Call, Session } from "../judgement/Session.ts"
import { groupPathOf, makeableTypesOf } from "../profile/Groups.ts"
import { needs } from "../profile/Need.ts"
import type { Profile } from "../profile/Profile.ts"
import { at } from "../text/Json.ts"
import { type Exchange, isIn } from "../wire/Exchange.ts"
import { makeCredential, makeWorker, type Resource } from "./Resources.ts"
import { shownIn } from "./ShownWorkers.ts"

// A list may show a resource only some time after its creation. One rule judges that for each list; the other walks wait.

/** What a list showed after a create. */
export interface Lag {
  readonly made: Resource
  /** The read immediately after the create. */
  readonly first: Exchange
  readonly last: Exchange
  /** An upper bound of the wait until the list shows a new resource: 0 if it did at once, infinite if it never did. */
  readonly seconds: number
}

/** The pauses in seconds between reads of a list that does not show a new resource: 5 s in all. */
const pauses: ReadonlyArray<number> = [
  ...Array.from({ length: 10 }, () => 0.1),
  ...Array.from({ length: 8 }, () => 0.5)
]

/** Whether an answer is a list without a resource. Any other answer is no lag: other rules judge it. */
const isWithout = (list: Exchange, { id }: Resource): boolean =>
  isIn(list, 2) && Array.isArray(at(list.answer?.json, "data")) && shownIn(list, id) === undefined

/** A create, and the reads of a list until it showed the new resource. */
interface Reads extends Pick<Lag, "made" | "first" | "last"> {
  /** The last exchange before the resource was shown: a read without it, or the create. */
  readonly before: Exchange
}

/** Reads a list until it shows a resource. */
const awaited = Effect.fnUntraced(function* (made: Resource, path: string) {
  const { send, wait } = yield* Session
  const read = send({ method: "GET", path, isAtOnce: true })
  const first = yield* read
  let [before, last] = [made.exchange, first]
  for (const pause of pauses) {
    if (!isWithout(last, made) || !(yield* wait(pause))) break
    before = last
    last = yield* read
  }
  return { made, first, last, before } satisfies Reads
})

const isNeverShown = ({ last, made }: Reads): boolean => isWithout(last, made)

const isShownLate = ({ first, made }: Reads): boolean => isWithout(first, made)

/**
 * The lag of a list that may be refreshed at intervals. A resource that is created just before a refresh is shown at once,
 * and one that is created just after it waits for a whole interval, so two are created. From the last exchange before the
 * first was shown to the read that shows the second, at least one interval passes. A lag that is shorter than the time of
 * an answer may not be seen.
 */
const twice = Effect.fnUntraced(function* (once: Effect.Effect<Reads, Blocked, Session>) {
  const one = yield* once
  const two = isNeverShown(one) ? one : yield* once
  if (isNeverShown(two)) return { ...two, seconds: Number.POSITIVE_INFINITY } satisfies Lag
  const shown = isShownLate(one) ? one : two
  const seconds = (two.last.startedAt + two.last.millis - one.before.startedAt) / 1000
  return { ...shown, seconds: isShownLate(shown) ? seconds : 0 } satisfies Lag
})

/** The lag of the lookup of workers, measured once for all walks. */
export const lagOfWorkers = Effect.flatMap(Session, ({ share }) =>
  share(
    "lag of workers",
    twice(
      Effect.flatMap(makeWorker(), (made) => awaited(made, `/workers?externalId=${encodeURIComponent(made.unique)}`))
    )
  )
)

/** The lag of the list of an owner's credentials, measured once for all walks. */
export const lagOfCredentials = Effect.flatMap(Session, ({ share }) =>
  share(
    "lag of credentials",
    Effect.flatMap(lagOfWorkers, ({ made: { id, unique } }) =>
      twice(
        Effect.flatMap(makeCredential({ worker: id }), (made) =>
          awaited(made, `/credentials?ownerExternalId=${encodeURIComponent(unique)}`)
        )
      )
    )
  )
)

/** Whether a list showed a new resource, but not at once. */
export const isLate = (lag: Lag): boolean => lag.seconds > 0 && !isBlind(lag)

/** The difference of a list that showed a new resource late. */
export const late = ({ first, made: { id }, seconds }: Lag): Expect.Met =>
  Expect.difference(first, "missing", "body.data", `${id} at once`, `${id} within ${Math.ceil(seconds)} s`)

/** The specification implies that lists are up to date and does not say so: a late list is a warning. */
export const breachOf = (lag: Lag): "warn" | "fail" => (isLate(lag) ? "warn" : "fail")

/** Whether a list never showed a new resource. */
export const isBlind = ({ seconds }: Lag): boolean => seconds === Number.POSITIVE_INFINITY

/** Blocks the walk if no list ever shows anything new: WRK-05 alone judges that. */
export const unlessBlind = Effect.gen(function* () {
  const lag = yield* lagOfCredentials
  if (isBlind(lag) && isBlind(yield* lagOfWorkers)) {
    return yield* block("prerequisite failed: lists do not show what was created (WRK-05)", lag.last)
  }
})

/** The type of the resources in the list that a call reads; undefined for other calls. */
export const listedBy = (profile: Profile, { isAtOnce, isUnknownPath, isUnpaced, method, path, surface, to }: Call) => {
  if (method !== "GET" || surface !== undefined || to === "plain") return undefined
  if (isAtOnce || isUnknownPath || isUnpaced) return undefined
  const [groupPath] = path.split("?")
  return makeableTypesOf(profile).find((type) => groupPathOf(profile, type) === groupPath)
}

/** Waits until the list that a call reads shows the changes so far, if lists lag. */
export const settled = Effect.fnUntraced(
  function* (call: Call) {
    const { profile, wait } = yield* Session
    const type = listedBy(profile, call)
    if (type === undefined) return
    const isOfCredentials = type === "credential" && needs["credential body"].isMet(profile)
    const lag = yield* isOfCredentials ? lagOfCredentials : lagOfWorkers
    if (isLate(lag)) yield* wait(lag.seconds + 0.1) // another time it may be a little longer
  },
  Effect.catchTag("Blocked", () => Effect.void)
)
