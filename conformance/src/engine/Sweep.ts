import { Clock, Effect, Option } from "effect"
import { cleanUp, whereOf } from "../calls/CleanUp.ts"
import { runOf } from "../calls/Names.ts"
import { carries, idOf, isOwner, itemsOf, slotsOf } from "../calls/Reading.ts"
import { type Entry, Journal } from "../evidence/Journal.ts"
import type { Blocked } from "../judgement/Blocked.ts"
import type { Residue } from "../judgement/Residue.ts"
import type { Call, CreatedResource } from "../judgement/Session.ts"
import { findPathOf } from "../profile/Groups.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Json } from "../text/Json.ts"
import { type Exchange, isIn } from "../wire/Exchange.ts"

/** The walk under which the calls of a sweep are recorded. */
export const sweepWalk = "sweep"

/** A create without a response. */
type Lost = Pick<CreatedResource, "type" | "to"> & { readonly unique: string }

/** The resources of a finished run according to its journal: those that exist and those that may exist. */
export interface Left {
  readonly made: ReadonlyArray<CreatedResource>
  /** Creates without a response. */
  readonly lost: ReadonlyArray<Lost>
  /** The names of all owners that were or may have been created. Their credentials belong to the run too. */
  readonly owners: ReadonlyArray<string>
  /** The ids of the created owners, deleted or not. */
  readonly ownerIds: ReadonlyArray<string>
}

/** Ids of two types may be equal, because codes are ids. */
const keyOf = ({ id, to, type }: CreatedResource): string => `${type} ${id} ${to ?? "tenant"}`

/** Includes the tenant, because the same name may have been created on the hosts of both tenants. */
const lostKeyOf = ({ to, unique }: Pick<Lost, "to" | "unique">): string => `${unique} ${to ?? "tenant"}`

const atHost = ({ to }: Pick<CreatedResource, "to">): Pick<CreatedResource, "to"> => (to === undefined ? {} : { to })

/** Returns the remaining resources after all entries of a journal. */
export const leftOf = (entries: ReadonlyArray<Entry>): Left => {
  const made = new Map<string, CreatedResource>()
  const lost = new Map<string, Lost>()
  const owners = new Set<string>()
  const ownerIds = new Set<string>()
  for (const entry of entries) {
    if (entry.entry === "run" || entry.entry === "ended") continue
    if (entry.entry === "intended") {
      lost.set(lostKeyOf(entry), { type: entry.type, unique: entry.unique, ...atHost(entry) })
      if (isOwner(entry.type)) owners.add(entry.unique)
    }
    if (entry.entry === "made" || entry.entry === "refused") lost.delete(lostKeyOf(entry))
    if (entry.entry === "made") {
      made.set(keyOf(entry), { type: entry.type, id: entry.id, ...atHost(entry) })
      if (isOwner(entry.type)) ownerIds.add(entry.id)
    }
    if (entry.entry === "deleted") made.delete(keyOf(entry))
  }
  return {
    made: [...made.values()],
    lost: [...lost.values()],
    owners: [...owners],
    ownerIds: [...ownerIds]
  }
}

/**
 * Returns the entries of runs against one deployment. A journal may contain concurrent runs against others. The name of
 * a resource contains the id of its run. An entry without a name belongs to the last run that began before the entry.
 */
export const against = (entries: ReadonlyArray<Entry>, target: string): ReadonlyArray<Entry> => {
  const runs = entries.filter((entry) => entry.entry === "run")
  const targetsOf = (run: string) => new Set(runs.filter((one) => one.run === run).map((one) => one.target))
  const known = new Map(runs.map(({ run }) => [run, [...targetsOf(run)]]))
  let latest: string | undefined
  return entries.filter((entry) => {
    if (entry.entry === "run") latest = entry.target
    const named = "unique" in entry ? known.get(runOf(entry.unique)) : undefined
    return (named?.length === 1 ? named[0] : latest) === target
  })
}

/** Whether all resources of a journal are deleted. */
export const isClear = (entries: ReadonlyArray<Entry>): boolean => {
  const targets = new Set(entries.flatMap((entry) => (entry.entry === "run" ? [entry.target] : [])))
  return [...targets].every((target) => {
    const { lost, made } = leftOf(against(entries, target))
    return made.length + lost.length === 0
  })
}

/** Whether all runs of a journal have ended, so that none writes to it. */
export const isOver = (entries: ReadonlyArray<Entry>): boolean => {
  const ended = new Set(entries.flatMap((entry) => (entry.entry === "ended" ? [entry.run] : [])))
  return entries.every((entry) => entry.entry !== "run" || ended.has(entry.run))
}

type Send = (call: Call) => Effect.Effect<Exchange, Blocked>

/** Returns the run's own resources in a list. Others are never deleted. */
const foundIn = (
  exchange: Exchange,
  { to, type }: Pick<CreatedResource, "type" | "to">,
  isOurs: (item: Json) => boolean
): ReadonlyArray<CreatedResource> =>
  itemsOf(exchange.answer?.json)
    .filter(isOurs)
    .flatMap((item) => {
      const id = idOf(item)
      return id === undefined ? [] : [{ type, id, ...atHost({ to }) }]
    })

/** Finds the resource with a name; undefined if it cannot be looked up. */
const lookUp = Effect.fnUntraced(function* (profile: Profile, send: Send, lost: Lost) {
  const { type, unique } = lost
  const path = findPathOf(profile, type, unique)
  if (path === undefined) return undefined
  const exchange = yield* send({ method: "GET", path, ...whereOf(lost) })
  return isIn(exchange, 2) ? foundIn(exchange, lost, (item) => carries(item, unique)) : undefined
})

/** Finds the credentials of an owner by the lookup of §4.2; undefined without a successful response. */
const credentialsOf = Effect.fnUntraced(function* (
  send: Send,
  { owner, to }: Pick<CreatedResource, "to"> & { readonly owner: string },
  ids: ReadonlySet<string>
) {
  const path = `/credentials?ownerExternalId=${encodeURIComponent(owner)}`
  const exchange = yield* send({ method: "GET", path, ...whereOf({ to }) })
  if (!isIn(exchange, 2)) return undefined
  return foundIn(exchange, { type: "credential", to }, (item) =>
    Object.values(slotsOf(item)).some((holder) => typeof holder === "string" && ids.has(holder))
  )
})

/** The number of concurrent lookups, and the time limit in seconds for all of them. */
const concurrency = 4
const secondsToLookUp = 30

/** Looks up each item until the time limit; undefined for items that could not be looked up. */
const eachWithin = Effect.fnUntraced(function* <A, B>(
  some: ReadonlyArray<A>,
  look: (one: A) => Effect.Effect<B | undefined, Blocked>
) {
  const deadline = (yield* Clock.currentTimeMillis) + secondsToLookUp * 1000
  const one = Effect.fnUntraced(function* (wanted: A) {
    const millis = deadline - (yield* Clock.currentTimeMillis)
    if (millis <= 0) return undefined
    const found = yield* Effect.timeoutOption(look(wanted), millis)
    return Option.getOrUndefined(found)
  })
  return yield* Effect.forEach(
    some,
    (wanted) => Effect.catchTag(one(wanted), "Blocked", () => Effect.succeed(undefined)),
    { concurrency }
  )
})

/** Finds credentials whose creates had no response, by their owners. */
const lostCredentials = Effect.fnUntraced(function* (send: Send, { lost, owners }: Left, ids: ReadonlySet<string>) {
  const names = lost.filter(({ type }) => type === "credential")
  const tenants = [...new Set(names.map(({ to }) => to))]
  const wanted = tenants.flatMap((to) => owners.map((owner) => ({ owner, to })))
  const owned = yield* eachWithin(wanted, (one) => credentialsOf(send, one, ids))
  return { found: owned.flatMap((found) => found ?? []), unknown: owned.includes(undefined) ? names : [] }
})

/** Returns the journal entries for a create without a response, after its lookup: `made` if found, else `refused`. */
const settling = (lost: Lost, found: ReadonlyArray<CreatedResource> | undefined): ReadonlyArray<Entry> => {
  const { type, unique } = lost
  if (found === undefined) return []
  if (found.length === 0) return [{ entry: "refused", type, unique, ...atHost(lost) }]
  return found.map(({ id }) => ({ entry: "made", type, unique, id, ...atHost(lost) }))
}

/**
 * Deletes the resources of a run according to its journal, including those of creates without a response. Returns what
 * still exists or may exist.
 */
export const sweep = Effect.fn("Sweep.sweep")(function* (profile: Profile, entries: ReadonlyArray<Entry>, send: Send) {
  const journal = yield* Journal
  const left = leftOf(entries)
  const remove = (some: ReadonlyArray<CreatedResource>) =>
    cleanUp(profile, some, send, (one) =>
      journal.write({ entry: "deleted", type: one.type, id: one.id, ...atHost(one) })
    )
  const lost = left.lost.filter(({ type }) => type !== "credential")
  const looked = yield* eachWithin(lost, (one) => lookUp(profile, send, one))
  const found = looked.flatMap((some) => some ?? [])
  for (const [index, one] of lost.entries()) {
    yield* Effect.forEach(settling(one, looked[index]), journal.write)
  }
  // delete known resources first, so that paged lists show the unknown ones
  const known = left.made.filter(({ type }) => type === "credential")
  const knownLeft = yield* remove(known)
  const ids = new Set([...left.ownerIds, ...found.map(({ id }) => id)])
  const credentials = yield* lostCredentials(send, left, ids)
  if (credentials.unknown.length === 0) {
    const names = left.lost.filter(({ type }) => type === "credential")
    yield* Effect.forEach(names, (one) =>
      journal.write({ entry: "refused", type: one.type, unique: one.unique, ...atHost(one) })
    )
  }
  const others = [...left.made.filter(({ type }) => type !== "credential"), ...found, ...credentials.found]
  const rest = new Map(others.map((one) => [keyOf(one), one]))
  for (const { name, type } of knownLeft) rest.delete(keyOf({ id: name, type }))
  const restLeft = yield* remove([...rest.values()])
  const unknown = [...lost.filter((_, index) => looked[index] === undefined), ...credentials.unknown]
  return {
    deleted: known.length + rest.size - knownLeft.length - restLeft.length,
    residue: [
      ...knownLeft,
      ...restLeft,
      ...unknown.map(({ type, unique }): Residue => ({ type, name: unique, why: "may have been made" }))
    ]
  }
})
