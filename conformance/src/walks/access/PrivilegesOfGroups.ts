import { Effect } from "effect"
import {
  attempt,
  groundOf,
  guardedTypes,
  isShown,
  stillThere,
  type Target,
  updateCalls
} from "../../calls/GuardedCalls.ts"
import { isUntouched, type State, stateOf } from "../../calls/ResourceState.ts"
import { remove } from "../../calls/Resources.ts"
import type { RuleId } from "../../catalogue/Catalogue.ts"
import { apart, block, control } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { isOfTable } from "../../profile/Groups.ts"
import { type Holder, holdersOf, nearest } from "../../profile/LimitedPrincipals.ts"
import type { Operation } from "../../profile/Profile.ts"
import { equals } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { judgeUnchanged } from "../answer/Refusing.ts"
import { refuseCreates } from "../resource/RefusedCreates.ts"
import { askAlone, askOutsiders, judgeOutsiders, makeAlone, outsiders } from "./PrivilegeMatrix.ts"
import {
  isOffered,
  judgeRefusedDeletes,
  judgeRefusedUpdates,
  judgeUnknownRead,
  refuseDeletes,
  refuseUpdates
} from "./PrivilegeRefusals.ts"

// Every other group is compared with workers and credentials. All calls of a group are aimed at one target.

/** The rules about every refused create, change and delete. */
const always = ["PRV-05", "PRV-09", "PRV-10"] as const

/**
 * The principals that must not create, change, delete or see anything of a group, as far as a rule about them is
 * selected.
 */
const refusedOf = Effect.fnUntraced(function* (entity: string) {
  const { isAsked, profile } = yield* Session
  const near = (operation: Operation, ...rules: ReadonlyArray<RuleId>): ReadonlyArray<Holder> =>
    [...rules, ...always].some(isAsked) ? nearest(holdersOf(profile), entity, operation) : []
  return {
    creators: near("CREATE", "PRV-02", "PRV-07"),
    updaters: isOffered(profile, entity, "update") ? near("UPDATE", "PRV-03", "PRV-07", "PRV-08") : [],
    deleters: isOffered(profile, entity, "delete") ? near("DELETE", "PRV-04", "PRV-08") : [],
    others: isAsked("PRV-06") ? yield* outsiders(entity) : []
  }
})

type Refused = Effect.Success<ReturnType<typeof refusedOf>>

/** Makes every call of a target that must be refused. */
const refuseAll = Effect.fnUntraced(function* (target: Target, { deleters, others, updaters }: Refused) {
  const [updater] = updaters
  const [deleter] = deleters
  return {
    updates: updater && (yield* refuseUpdates(target, updaters, updater)),
    deletes: deleter && (yield* refuseDeletes(target, deleters, deleter)),
    asked: yield* askOutsiders(target, others)
  }
})

type Asked = Effect.Success<ReturnType<typeof refuseAll>>

/** All refused calls of a target, without those that name no existing resource. */
const probesOf = ({ asked, deletes, updates }: Asked): ReadonlyArray<Exchange> => [
  ...[updates, deletes].flatMap((some) =>
    some === undefined ? [] : [...some.refused.map(({ exchange }) => exchange), ...some.absent]
  ),
  ...(updates?.bad ?? []),
  ...asked
]

/** One of these calls that was carried out, else the admin's. */
const oneOf = <E, R>(some: ReadonlyArray<Exchange>, admins: Effect.Effect<Exchange, E, R>) => {
  const done = some.find((exchange) => isIn(exchange, 2))
  const call: Effect.Effect<Exchange, E, R> = done === undefined ? admins : Effect.succeed(done)
  return control(call)
}

/** What reads show of a target: at first, and after the refused calls. */
interface Shown extends Pick<Effect.Success<ReturnType<typeof stillThere>>, "after" | "gone" | "isSeen"> {
  readonly before: State
}

/** Makes the allowed changes, and judges the refused ones by them. No refused call has changed the target. */
const judgeUpdates = Effect.fnUntraced(function* (target: Target, all: Asked, { after, before, gone }: Shown) {
  const allowed = yield* askAlone(target, "UPDATE")
  if (all.updates === undefined) return
  const [own] = yield* updateCalls(target)
  if (own === undefined) return yield* block("the profile has no write path")
  const done = yield* oneOf(allowed, attempt(own, "admin"))
  const changed = yield* stateOf(target.entity, target.resource)
  yield* judgeRefusedUpdates(target.entity, all.updates, done)
  yield* judgeUnknownRead(target, before)
  const names = all.updates.calls.map(({ unique }) => unique)
  const same = gone.length > 0 ? gone : isUntouched(before, after, names)
  // the specification does not say what a read of the group shows
  if (before.data === undefined || (same.length === 0 && equals(after.data, changed.data))) return
  yield* judgeUnchanged({ control: done, probe: probesOf(all), after: after.exchange }, same)
})

/** Makes the allowed deletes, and judges the refused ones by them. */
const judgeDeletes = Effect.fnUntraced(function* (target: Target, all: Asked, { after, gone: lost, isSeen }: Shown) {
  const { entity, resource } = target
  const allowed = yield* askAlone(target, "DELETE")
  if (all.deletes === undefined) return
  const gone = yield* oneOf(allowed, remove(entity, resource.id))
  yield* judgeRefusedDeletes(entity, all.deletes, gone)
  if (all.updates !== undefined || !isSeen) return
  yield* judgeUnchanged({ control: gone, probe: probesOf(all), after: after.exchange }, lost)
})

/** Makes every call of a group as every principal that must be refused, and as those with one privilege alone. */
const judgeGroup = Effect.fnUntraced(function* (entity: string, them: Refused) {
  const target = yield* makeAlone(entity)
  const [creator] = them.creators
  if (creator !== undefined) yield* apart(["PRV-02"], refuseCreates(target, them.creators, creator))
  const before = yield* groundOf(target)
  const all = yield* refuseAll(target, them)
  const { other, ...seen } = yield* stillThere(target)
  const shown: Shown = { ...seen, before }
  if (them.others.length > 0) {
    yield* apart(["PRV-06"], judgeOutsiders(target, them.others, all.asked, shown.after.exchange))
  }
  const next = { ...target, resource: other }
  yield* apart(["PRV-05"], Effect.asVoid(askAlone(next, "READ")))
  yield* apart(["PRV-03", "PRV-07", "PRV-09"], judgeUpdates(next, all, shown))
  yield* apart(["PRV-04"], judgeDeletes(next, all, shown))
})

/** Entity types besides workers and credentials: those in the table of §4.2, and further groups. */
type Which = "table" | "further"

const isAmong = (which: Which, entity: string): boolean => !isShown(entity) && isOfTable(entity) === (which === "table")

/** The rules that a group without a target leaves open. */
const rulesOf = ({ creators, deleters, others, updaters }: Refused) => [
  ...(creators.length > 0 ? (["PRV-02"] as const) : []),
  ...(updaters.length > 0 ? (["PRV-03", "PRV-07", "PRV-09"] as const) : []),
  ...(deleters.length > 0 ? (["PRV-04"] as const) : []),
  "PRV-05" as const,
  ...(others.length > 0 ? (["PRV-06"] as const) : [])
]

const callsOf = (which: Which) =>
  walk({
    name: `privileges/calls-of-${which === "table" ? "others" : "further-groups"}`,
    judges: [],
    alsoJudges: ["PRV-02", "PRV-03", "PRV-04", "PRV-05", "PRV-06", "PRV-07", "PRV-08", "PRV-09", "PRV-10"],
    impact: "mutate-own",
    needs: ["limited tokens"]
  })(function* () {
    for (const entity of (yield* guardedTypes).filter((one) => isAmong(which, one))) {
      const them = yield* refusedOf(entity)
      yield* apart(rulesOf(them), judgeGroup(entity, them))
    }
  })

/** Privileges on every entity type of the profile besides workers and credentials. */
export const groupPrivilegeWalks: ReadonlyArray<Walk> = [callsOf("table"), callsOf("further")]
