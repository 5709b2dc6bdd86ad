import { Effect } from "effect"
import type { Blocked } from "../judgement/Blocked.ts"
import type { Residue } from "../judgement/Residue.ts"
import type { Call, CreatedResource } from "../judgement/Session.ts"
import { isExistingOwner } from "../profile/ExistingOwners.ts"
import { groupPathOf, isIssued } from "../profile/Groups.ts"
import type { Profile } from "../profile/Profile.ts"
import { newerRoot, originOf } from "../profile/Roots.ts"
import { fill, fillPath } from "../profile/Template.ts"
import { at } from "../text/Json.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import { templateOf } from "./OwnershipCalls.ts"
import { isOwner, slotsOf } from "./Reading.ts"

/** The time limit in seconds for deleting the resources of one walk. */
const secondsToCleanUp = 30

/** Sorts resources for deletion: owned resources before their owners, later ones before earlier ones. */
export const inOrder = <A extends { readonly type: string }>(made: ReadonlyArray<A>): ReadonlyArray<A> => {
  const newestFirst = made.toReversed()
  const of = (type: string) => newestFirst.filter((one) => one.type === type)
  return [...newestFirst.filter(({ type }) => !isOwner(type)), ...of("applicant"), ...of("worker")]
}

const isUnknown = (exchange: Exchange): boolean => [404, 410].includes(statusOf(exchange))

/** Returns the host and the caller for calls about a resource. */
export const whereOf = ({ to }: Pick<CreatedResource, "to">): Pick<Call, "to" | "as"> =>
  to === undefined ? {} : { to, as: "secondTenant.admin" }

/** Principals whose delete of a tenant's resource is carried out if it is answered with a 2xx. */
const own =
  /^(admin|secondClient|personalToken|rotated\..*|revokedToken\.living|enrolledToken|externalToken|secondTenant\.admin|limited\.\d+)$/

/** Whether a walk has deleted a resource itself: another delete would be a no-op (§3). */
export const isDeletedBy = (profile: Profile, exchanges: Iterable<Exchange>) => {
  const gone = new Set<string>()
  const second = originOf(profile, { to: "second tenant" })
  for (const exchange of exchanges) {
    const { principal, request } = exchange
    const isHome = (principal === "secondTenant.admin") === request.url.startsWith(`${second}/`)
    if (request.method === "DELETE" && isIn(exchange, 2) && own.test(principal ?? "") && isHome) gone.add(request.url)
  }
  return (one: CreatedResource): boolean => {
    const how = profile.groups?.[one.type]?.delete
    return how !== undefined && gone.has(`${originOf(profile, one)}${newerRoot}${fillPath(how.path, { id: one.id })}`)
  }
}

/** Deletes resources by the delete paths of the profile. Reports each to `deleted` and returns the ones that remain. */
export const cleanUp = Effect.fnUntraced(function* (
  profile: Profile,
  made: ReadonlyArray<CreatedResource>,
  send: (call: Call) => Effect.Effect<Exchange, Blocked>,
  deleted: (made: CreatedResource) => Effect.Effect<void>
) {
  const gone = new Set<CreatedResource>()

  /** A 404 may mean that the walk deleted the resource itself, or that the delete path is wrong. */
  const isNowhere = Effect.fnUntraced(function* (one: CreatedResource) {
    const { id, type } = one
    const groupPath = groupPathOf(profile, type)
    if (groupPath === undefined) return false
    const exchange = yield* send({ method: "GET", path: `${groupPath}/${encodeURIComponent(id)}`, ...whereOf(one) })
    return exchange.answer !== null && !(isIn(exchange, 2) && at(exchange.answer.json, "data.id") === id)
  })

  const isRemoved = Effect.fnUntraced(function* (one: CreatedResource) {
    const how = profile.groups?.[one.type]?.delete
    if (how === undefined) return false
    const by = isIssued(one.type) ? {} : ({ turn: "any" } as const)
    const exchange = yield* send({
      method: how.method,
      path: fillPath(how.path, { id: one.id }),
      ...by,
      ...whereOf(one)
    })
    return isIn(exchange, 2) || (isUnknown(exchange) && (yield* isNowhere(one)))
  })

  /** Takes existing owners of the profile out of a credential that remains. The last owner may have to stay. */
  const release = Effect.fnUntraced(function* ({ id, type }: CreatedResource) {
    if (type !== "credential" || profile.owners === undefined) return
    const path = `${groupPathOf(profile, type)}/${encodeURIComponent(id)}`
    const shown = yield* send({ method: "GET", path })
    const holders = Object.entries(slotsOf(at(shown.answer?.json, "data")))
    for (const [type, holder] of holders) {
      if (typeof holder !== "string" || !isExistingOwner(profile, holder)) continue
      yield* send({
        method: "POST",
        path: `${path}/unlink`,
        json: fill(templateOf(profile, "unlink"), { type, id: holder })
      })
    }
  })

  const remove = Effect.fnUntraced(function* (one: CreatedResource) {
    if (!(yield* isRemoved(one))) return yield* release(one)
    gone.add(one)
    yield* deleted(one)
  })

  yield* Effect.forEach(inOrder(made), (one) => Effect.ignore(remove(one))).pipe(
    Effect.timeoutOption(`${secondsToCleanUp} seconds`)
  )
  const left = made.filter((one) => !gone.has(one))
  return left.map(
    ({ id, type }): Residue => ({
      type,
      name: id,
      why: profile.groups?.[type]?.delete === undefined ? "no delete path in the profile" : "the delete was refused"
    })
  )
})
