import { Effect } from "effect"
import { isOwner } from "../calls/Reading.ts"
import { placeOf } from "../profile/Groups.ts"
import type { Profile } from "../profile/Profile.ts"
import { fillPath } from "../profile/Template.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import { at } from "../wire/Json.ts"
import type { Blocked } from "./Blocked.ts"
import type { Residue } from "./Residue.ts"
import type { Call, Made } from "./Session.ts"

/** Seconds that deleting what one walk made may take. */
const secondsToCleanUp = 30

/** What is of somebody goes before those whom it is of, and what was made last before what it was made with. */
export const inOrder = <A extends { readonly type: string }>(made: ReadonlyArray<A>): ReadonlyArray<A> => {
  const newestFirst = made.toReversed()
  const of = (type: string) => newestFirst.filter((one) => one.type === type)
  return [...newestFirst.filter(({ type }) => !isOwner(type)), ...of("applicant"), ...of("worker")]
}

const isUnknown = (exchange: Exchange): boolean => [404, 410].includes(statusOf(exchange))

/** Where a call about something that was made goes, and who makes it. */
export const whereOf = ({ to }: Pick<Made, "to">): Pick<Call, "to" | "as"> =>
  to === undefined ? {} : { to, as: "secondTenant.admin" }

/** Deletes what was made by the paths that the profile names; answers what is left, and tells `deleted` of what is gone. */
export const cleanUp = Effect.fnUntraced(function* (
  profile: Profile,
  made: ReadonlyArray<Made>,
  send: (call: Call) => Effect.Effect<Exchange, Blocked>,
  deleted: (made: Made) => Effect.Effect<void>
) {
  const gone = new Set<Made>()

  /** What a walk has deleted itself may be unknown by now; but a delete path that is wrong is unknown too. */
  const isNowhere = Effect.fnUntraced(function* (one: Made) {
    const { id, type } = one
    const place = placeOf(profile, type)
    if (place === undefined) return false
    const exchange = yield* send({ method: "GET", path: `${place}/${encodeURIComponent(id)}`, ...whereOf(one) })
    return exchange.answer !== null && !(isIn(exchange, 2) && at(exchange.answer.json, "data.id") === id)
  })

  const remove = Effect.fnUntraced(function* (one: Made) {
    const how = profile.groups?.[one.type]?.delete
    if (how === undefined) return
    const exchange = yield* send({ method: how.method, path: fillPath(how.path, { id: one.id }), ...whereOf(one) })
    const isGone = isIn(exchange, 2) || (isUnknown(exchange) && (yield* isNowhere(one)))
    if (!isGone) return
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
