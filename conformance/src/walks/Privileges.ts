import { Effect } from "effect"
import { type Exchange, isIn } from "../Exchange.ts"
import * as Expect from "../Expect.ts"
import { attempt, forbidden, guardedTypes, readCall } from "../GuardedCalls.ts"
import { block, control, judge, judgePair } from "../Judge.ts"
import { holdersOf, may, strangers } from "../LimitedPrincipals.ts"
import { type Call, Session } from "../Session.ts"
import { type Walk, walk } from "../Walk.ts"
import { privilegedOwnershipWalks } from "./PrivilegedOwnership.ts"
import { matrixWalks } from "./PrivilegeMatrix.ts"
import { refusalWalks } from "./PrivilegeRefusals.ts"

/** The other groups of section 4.2, by entity type. */
const guarded = {
  credentialCheck: "/recruitment-checks",
  captureRequest: "/fetch-requests",
  exemption: "/exemptions",
  webhook: "/webhooks",
  ban: "/bans"
}

/** The further groups that it names, with paths that it does not show. */
const further = { applicant: "/applicants", screeningPackage: "/screening-packages" }

/** `GET` of a group, where the profile says it stands; where it says nothing, nobody named that path. */
const groupCall = Effect.fnUntraced(function* (
  entity: string,
  usual: string,
  as: NonNullable<Call["as"]> | null = "admin"
) {
  const { profile, send } = yield* Session
  const named = profile.readPaths?.[entity] ?? profile.groups?.[entity]?.path
  const unknown = named === undefined ? { isUnknownPath: true as const } : {}
  return yield* send({ method: "GET", path: named ?? usual, as, ...unknown })
})

/** The path is there: it is carried out, or refused for a reason of its own, such as a query that it wants. */
const isThere = (exchange: Exchange): Expect.Met =>
  isIn(exchange, 4) ? Expect.status(exchange, 400, 409, 422) : Expect.accepted(exchange)

const there = walk(
  {
    name: "privileges/groups",
    judges: ["PRV-13"],
    blast: "read",
    needs: []
  },
  Effect.gen(function* () {
    const lists = yield* Effect.forEach(guardedTypes, (entity) =>
      Effect.flatMap(readCall(entity), (call) => attempt(call, "admin"))
    )
    const differences = lists.flatMap((list) => {
      const wrong = Expect.status(list, 200)
      return wrong.length > 0 ? wrong : Expect.type(list, "data", "list")
    })
    yield* judge("PRV-13", lists, differences)
  })
)

const furtherGroups = walk(
  {
    name: "privileges/further-groups",
    judges: ["PRV-14"],
    blast: "read",
    needs: []
  },
  Effect.gen(function* () {
    const { profile } = yield* Session
    const all = holdersOf(profile)
    for (const [entity, usual] of Object.entries(further)) {
      const admins = yield* groupCall(entity, usual)
      const nobodys = yield* groupCall(entity, usual, null)
      const others = yield* Effect.forEach(strangers(all, entity).slice(0, 1), ({ name }) =>
        groupCall(entity, usual, name)
      )
      yield* judge(
        "PRV-14",
        [admins, nobodys, ...others],
        [...isThere(admins), ...Expect.status(nobodys, 401), ...others.flatMap((other) => Expect.status(other, 403))]
      )
    }
  })
)

const otherGroups = walk(
  {
    name: "privileges/other-groups",
    judges: ["PRV-18"],
    blast: "read",
    needs: []
  },
  Effect.gen(function* () {
    const lists = yield* Effect.forEach(Object.entries(guarded), ([entity, usual]) => groupCall(entity, usual))
    yield* judge("PRV-18", lists, lists.flatMap(isThere))
  })
)

const bans = walk(
  {
    name: "privileges/bans",
    judges: ["PRV-12"],
    blast: "create",
    needs: ["limited tokens"]
  },
  Effect.gen(function* () {
    const { profile, send, unique } = yield* Session
    const all = holdersOf(profile)
    const reader = all.find((holder) => may(holder, "ban", "READ"))
    if (reader === undefined) return yield* block("no limited principal of the profile may READ bans")
    const read = yield* control(groupCall("ban", guarded.ban, reader.name))
    const others = yield* Effect.forEach(strangers(all, "ban").slice(0, 1), ({ name }) =>
      groupCall("ban", guarded.ban, name)
    )
    const path =
      (profile.readPaths?.["ban"] ?? profile.groups?.["ban"]?.path ?? guarded.ban).split("?")[0] ?? guarded.ban
    const one = `${path}/${yield* unique}`
    const writes: ReadonlyArray<readonly [method: string, path: string]> = [
      ["POST", path],
      ["PUT", one],
      ["PATCH", one],
      ["DELETE", one]
    ]
    // the admin has every privilege that there is
    const refused = yield* Effect.forEach(writes, ([method, to]) =>
      send({ method, path: to, json: {}, isUnknownPath: true })
    )
    yield* judgePair("PRV-12", { control: read, probe: [...others, ...refused] }, [
      ...others.flatMap(forbidden),
      ...refused.flatMap((exchange) => Expect.status(exchange, 403, 404, 405))
    ])
  })
)

/** PRV: what a token may do. */
export const privilegeWalks: ReadonlyArray<Walk> = [
  there,
  furtherGroups,
  otherGroups,
  bans,
  ...refusalWalks,
  ...matrixWalks,
  ...privilegedOwnershipWalks
]
