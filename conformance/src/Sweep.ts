import { Effect } from "effect"
import { cleanUp } from "./CleanUp.ts"
import { type Exchange, isIn } from "./Exchange.ts"
import { type Entry, Journal } from "./Journal.ts"
import type { Json } from "./Json.ts"
import type { Blocked } from "./Judge.ts"
import type { Profile } from "./Profile.ts"
import { idOf, itemsOf } from "./Reading.ts"
import type { Residue } from "./Residue.ts"
import type { Call, Made } from "./Session.ts"

/** The calls of a sweep are recorded under this walk's name. */
export const sweepWalk = "sweep"

/** What a journal says of a run that is over: what is known to be there, and what may be. */
export interface Left {
  readonly made: ReadonlyArray<Made>
  /** Creates that no answer was seen of. */
  readonly lost: ReadonlyArray<{ readonly type: Made["type"]; readonly unique: string }>
  /** The names of every owner that was made: their credentials are the run's too. */
  readonly owners: ReadonlyArray<string>
}

/** Follows a journal to its end. */
export const leftOf = (entries: ReadonlyArray<Entry>): Left => {
  const made = new Map<string, Made>()
  const lost = new Map<string, Made["type"]>()
  const owners = new Set<string>()
  for (const entry of entries) {
    if (entry.entry === "intended") {
      lost.set(entry.unique, entry.type)
      if (entry.type !== "credential") owners.add(entry.unique)
    }
    if (entry.entry === "made" || entry.entry === "refused") lost.delete(entry.unique)
    if (entry.entry === "made") made.set(entry.id, { type: entry.type, id: entry.id })
    if (entry.entry === "deleted") made.delete(entry.id)
  }
  return {
    made: [...made.values()],
    lost: [...lost].map(([unique, type]) => ({ type, unique })),
    owners: [...owners]
  }
}

type Send = (call: Call) => Effect.Effect<Exchange, Blocked>

/** The path of a list that shows what was made under a name: what section 4.2 shows for workers, else the profile's. */
const findPath = (profile: Profile, type: Made["type"], unique: string): string | undefined => {
  const named = profile.groups?.[type]?.find?.replaceAll("{{unique}}", encodeURIComponent(unique))
  return named ?? (type === "worker" ? `/workers?externalId=${encodeURIComponent(unique)}` : undefined)
}

/** What a list shows that carries a name of the run's own: nothing else is ever deleted. */
const foundIn = (exchange: Exchange, type: Made["type"], isOurs: (item: Json) => boolean): ReadonlyArray<Made> =>
  (isIn(exchange, 2) ? itemsOf(exchange.answer?.json) : []).filter(isOurs).flatMap((item) => {
    const id = idOf(item)
    return id === undefined ? [] : [{ type, id }]
  })

/** What was made under a name; undefined where there is no way to know. */
const lookUp = Effect.fnUntraced(function* (profile: Profile, send: Send, type: Made["type"], unique: string) {
  const path = findPath(profile, type, unique)
  if (path === undefined) return undefined
  const exchange = yield* send({ method: "GET", path })
  return isIn(exchange, 2) ? foundIn(exchange, type, (item) => JSON.stringify(item).includes(`${unique}"`)) : undefined
})

/** The credentials of an owner of the run's, by section 4.2's own lookup; undefined where it is not answered. */
const credentialsOf = Effect.fnUntraced(function* (send: Send, owner: string) {
  const exchange = yield* send({ method: "GET", path: `/credentials?ownerExternalId=${encodeURIComponent(owner)}` })
  return isIn(exchange, 2) ? foundIn(exchange, "credential", () => true) : undefined
})

const unlessBlocked = <A>(looking: Effect.Effect<A, Blocked>): Effect.Effect<A | undefined> =>
  Effect.catchTag(looking, "Blocked", () => Effect.succeed(undefined))

/** How many lookups a sweep makes at a time. */
const concurrency = 4

/**
 * Deletes what a run left behind, which its journal tells: what was made, and what creates made whose answers were
 * lost. Answers what is still there, or may be.
 */
export const sweep = Effect.fn("Sweep.sweep")(function* (profile: Profile, entries: ReadonlyArray<Entry>, send: Send) {
  const journal = yield* Journal
  const { lost, made, owners } = leftOf(entries)
  const lookedUp = yield* Effect.forEach(
    lost.filter(({ type }) => type !== "credential"),
    ({ type, unique }) =>
      Effect.map(unlessBlocked(lookUp(profile, send, type, unique)), (found) => ({ type, unique, found })),
    { concurrency }
  )
  const lostCredentials = lost.filter(({ type }) => type === "credential")
  const owned = yield* Effect.forEach(
    lostCredentials.length === 0 ? [] : owners,
    (owner) => unlessBlocked(credentialsOf(send, owner)),
    { concurrency }
  )
  const all = [...made, ...lookedUp.flatMap(({ found }) => found ?? []), ...owned.flatMap((found) => found ?? [])]
  const known = new Map(all.map((one) => [one.id, one]))
  const left = yield* cleanUp(profile, [...known.values()], send, ({ id, type }) =>
    journal.write({ entry: "deleted", type, id })
  )
  const unknown = [
    ...lookedUp.filter(({ found }) => found === undefined),
    ...(owned.includes(undefined) ? lostCredentials : [])
  ]
  return {
    deleted: known.size - left.length,
    residue: [
      ...left,
      ...unknown.map(({ type, unique }): Residue => ({ type, name: unique, why: "may have been made" }))
    ]
  }
})
