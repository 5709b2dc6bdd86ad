import { Effect } from "effect"
import { forbidden, isEntityType, listOf, readCall } from "../../calls/GuardedCalls.ts"
import { opened } from "../../calls/Lookup.ts"
import { idOf, itemsOf } from "../../calls/Reading.ts"
import { readPathsOf } from "../../calls/ReadPaths.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, blockRule, control, judge, judgePair } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { furtherPaths, groupPathOf, isOfTable, tablePaths } from "../../profile/Groups.ts"
import { holdersOf, may, strangers } from "../../profile/LimitedPrincipals.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { nobodysId } from "./UnknownIds.ts"

const there = walk({ name: "privileges/groups", judges: ["PRV-13"], impact: "read", needs: [] })(function* () {
  const lists = yield* Effect.forEach(["worker", "credential"], listOf)
  yield* judge("PRV-13", lists, lists.flatMap(opened))
})

/** The path exists: the call succeeds, or is refused for another reason, such as a required query. */
const isThere = (exchange: Exchange): Expect.Met =>
  isIn(exchange, 4) ? Expect.status(exchange, 400, 409, 422) : Expect.accepted(exchange)

/** `GET` of a further group. Without a path in the profile, the path counts as unknown. */
const furtherCall = (entity: keyof typeof furtherPaths): Call => ({
  method: "GET",
  path: furtherPaths[entity],
  isUnknownPath: true
})

const furtherGroups = walk({
  name: "privileges/further-groups",
  judges: ["PRV-14"],
  impact: "read",
  needs: []
})(function* () {
  const { profile, send } = yield* Session
  for (const entity of ["applicant", "screeningPackage"] as const) {
    const told = readPathsOf(profile).find((one) => one.entity === entity)?.call
    const call = told ?? furtherCall(entity)
    const admins = yield* told === undefined ? send(call) : listOf(entity)
    if (told === undefined && statusOf(admins) === 404) {
      yield* blockRule("PRV-14", `the profile names no path of ${entity}, and there is none at ${call.path}`, [admins])
      continue
    }
    const nobodys = yield* send({ ...call, as: null })
    // only the profile knows which entity type guards them
    const guarded = isEntityType(profile, entity) ? strangers(holdersOf(profile), entity).slice(0, 1) : []
    const others = yield* Effect.forEach(guarded, ({ name }) => send({ ...call, as: name }))
    yield* judge(
      "PRV-14",
      [admins, nobodys, ...others],
      [...isThere(admins), ...Expect.status(nobodys, 401), ...others.flatMap((other) => Expect.status(other, 403))]
    )
  }
})

const otherGroups = walk({
  name: "privileges/other-groups",
  judges: ["PRV-18"],
  impact: "read",
  needs: []
})(function* () {
  const { profile, send, unique } = yield* Session
  const others = readPathsOf(profile).filter(
    ({ entity }) => isOfTable(entity) && entity !== "worker" && entity !== "credential"
  )
  if (others.length === 0) return yield* block("the profile's paths for these groups lead to the same resource")
  const lists = yield* Effect.forEach(others, ({ entity }) => listOf(entity))
  const nowhere = yield* send({ method: "GET", path: `/${yield* unique}`, isUnknownPath: true })
  const isAlike = lists.some((list) => statusOf(list) === statusOf(nowhere))
  if (isAlike && isThere(nowhere).length === 0) {
    return yield* block("an unknown path is answered as these groups are", nowhere)
  }
  yield* judge("PRV-18", lists, lists.flatMap(isThere))
})

/** An unused ban id in the form of an existing one, if a list shows one. */
const nobodysBan = Effect.fnUntraced(function* (list: Exchange) {
  const real = idOf(itemsOf(list.answer?.json)[0])
  return (real === undefined ? undefined : nobodysId(real)) ?? (yield* (yield* Session).unique)
})

const bans = walk({
  name: "privileges/bans",
  judges: ["PRV-12"],
  impact: "create",
  needs: ["limited tokens"]
})(function* () {
  const { profile, send } = yield* Session
  const all = holdersOf(profile)
  const reader = all.find((holder) => may(holder, "ban", "READ"))
  if (reader === undefined) return yield* block("no limited principal of the profile may READ bans")
  const { call } = yield* readCall("ban")
  const read = yield* control(send({ ...call, as: reader.name }))
  const others = yield* Effect.forEach(strangers(all, "ban").slice(0, 1), ({ name }) => send({ ...call, as: name }))
  const path = groupPathOf(profile, "ban") ?? tablePaths.ban
  const one = `${path}/${encodeURIComponent(yield* nobodysBan(read.exchange))}`
  const writes: ReadonlyArray<readonly [method: string, path: string]> = [
    ["POST", path],
    ["PUT", one],
    ["PATCH", one],
    ["DELETE", one]
  ]
  // the admin has every privilege
  const refused = yield* Effect.forEach(writes, ([method, to]) =>
    send({ method, path: to, json: {}, isUnknownPath: true })
  )
  yield* judgePair("PRV-12", { control: read, probe: [...others, ...refused] }, [
    ...others.flatMap(forbidden),
    ...refused.flatMap((exchange) => Expect.status(exchange, 403, 404, 405))
  ])
})

/** The groups that exist, and bans, which are read-only. */
export const groupWalks: ReadonlyArray<Walk> = [there, furtherGroups, otherGroups, bans]
