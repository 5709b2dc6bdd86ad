import { Effect } from "effect"
import {
  attempt,
  guardedTypes,
  isShown,
  listOf,
  makeableTypes,
  readableTypes,
  readCall
} from "../../calls/GuardedCalls.ts"
import type { PairRuleId, RuleId } from "../../catalogue/Catalogue.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import { block, blockRule, type Control, control, lackNeed, walkPart } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { isExistingOwner } from "../../profile/ExistingOwners.ts"
import { needs } from "../../profile/Need.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import type { Profile } from "../../profile/Profile.ts"
import { equals } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { holdBodies } from "../ownership/OwnershipBodies.ts"
import { nobodyLike } from "../resource/UnknownIds.ts"
import { type Aimed, aim, pointsOf } from "./Aims.ts"
import { neededAt } from "./Callers.ts"
import { groundFor, makeAnother, type SweptGround } from "./Grounds.ts"
import { isUnchanged, judgeAnswers, judgeRow, type Looked, lookAt, onlyDone, refuses } from "./Judging.ts"
import {
  asShown,
  type Cell,
  canChange,
  cellsOf,
  formsAt,
  leavesOf,
  type Point,
  type Row,
  rulesBy,
  type Sweep,
  type SweepWalk
} from "./Row.ts"
import { attemptAllowed, offered, type Sent, sendAll } from "./Sending.ts"

// Makes the walks of a sweep. At one target of each entity type: all calls that must be refused, one look at what they
// may have changed, then the calls that are allowed, and a judgement call by call.

/** A sweep as one of its walks makes it. */
interface Part {
  readonly sweep: Sweep
  readonly about: SweepWalk
  /** The rows that a selected rule needs. */
  readonly rows: ReadonlyArray<Row>
  /** Everything that was sent. */
  readonly sent: Array<Sent>
  /** The rules that have a call or a finding. */
  readonly known: Set<RuleId>
}

/** The rows of a walk. The walk that always judges the answers sends all of them. */
const partOf = (sweep: Sweep, about: SweepWalk) =>
  Effect.map(Session, ({ isAsked }): Part => {
    const isJudged = sweep.answers.some(({ rule }) => isAsked(rule) && about.judges.some((one) => one === rule))
    const isNeeded = (row: Row) => isAsked(row.rule) || (canChange(about.calls) && isAsked(leavesOf(row)))
    const rows = sweep.rows.filter((row) => isJudged || isNeeded(row))
    return { sweep, about, rows, sent: [], known: new Set<RuleId>(sweep.answers.map(({ rule }) => rule)) }
  })

/** The rules that a blocked call leaves open. */
const openAt = (rows: ReadonlyArray<Row>, point: Point): ReadonlyArray<PairRuleId> => {
  const own = rows.filter((row) => formsAt(row, point).length > 0)
  return [...new Set(own.flatMap((row) => [row.rule, leavesOf(row)]))]
}

/** The rules that an entity type leaves open if its cells cannot be sent. */
const rulesAt = (cells: ReadonlyArray<Cell>, { judges, open = judges }: SweepWalk) => {
  const all = new Set<RuleId>(cells.flatMap(({ rows }) => rows.flatMap((row) => [row.rule, leavesOf(row)])))
  return open.filter((rule) => all.has(rule))
}

/** The cells of some calls. Blocks the rules that have no caller at a documented call, and those that have no call. */
const cellsAt = Effect.fnUntraced(function* (part: Part, points: ReadonlyArray<Point>, entity: string) {
  const { profile } = yield* Session
  yield* blockLacking(part, points, entity)
  const cells = cellsOf(part.rows, points, profile)
  for (const row of cells.flatMap(({ rows }) => rows)) part.known.add(row.rule).add(leavesOf(row))
  return cells
})

const blockLacking = Effect.fnUntraced(function* (part: Part, points: ReadonlyArray<Point>, entity: string) {
  const { about, known, rows } = part
  const { isAsked, profile } = yield* Session
  if (!isShown(entity)) return
  for (const row of rows.filter(({ rule }) => isAsked(rule))) {
    const own = points.filter((point) => formsAt(row, point).length > 0)
    const lacking = own.find((point) => row.by.at(point, profile, 0).length === 0)
    const reason = lacking && row.by.lacks?.(lacking)
    if (reason !== undefined) {
      known.add(row.rule)
      yield* blockRule(row.rule, reason)
    }
    const missing = refuses(row) ? [] : missingAt(row, about, entity, profile)
    yield* Effect.forEach(missing, (operation) =>
      blockRule(row.rule, `the profile has no call for ${operation} on ${entity}`)
    )
  }
})

/** The operations on a documented entity type for which the profile has no call. */
const missingAt = (row: Row, { calls }: SweepWalk, entity: string, profile: Profile): ReadonlyArray<string> => {
  const points = pointsOf(profile, entity)
  return (
    (["update", "delete"] as const)
      .filter((way) => calls.includes(way) && row.calls.includes(way))
      // the specification does not say which privilege guards a POST that deletes
      .filter((way) => !points.some((point) => point.way === way || (way === "delete" && point.way === "no delete")))
      .map((way) => neededAt({ name: "", method: "", entity, takesBody: false, way }))
  )
}

/** Aims cells at a target, sends those that must be refused, and looks at what has changed. */
const sendTo = Effect.fnUntraced(function* (
  { sweep }: Part,
  { before, stage }: SweptGround,
  cells: ReadonlyArray<Cell>
) {
  const names = new Set(cells.map(({ point }) => point.name))
  const isMeant = ({ name }: Point) => names.has(name)
  const aims = yield* aim(stage, { before, isMeant, isShared: sweep.target === "lent" })
  const nobody = yield* nobodyLike(stage.resource)
  const refused = cells.filter(({ rows }) => rows.some(refuses))
  const { profile } = yield* Session
  const isOfOthers = isExistingOwner(profile, stage.parts["worker"]?.id ?? "")
  const all = yield* sendAll(refused, aims, { nobody, isOfOthers })
  const seen = yield* lookAt(all)
  return { aims, sent: yield* offered(all), seen }
})

/** Makes the calls that must be accepted. The create has made the target. */
const sendAllowed = Effect.fnUntraced(function* (cells: ReadonlyArray<Cell>, aimed: Aimed, { created }: SweptGround) {
  const allowed = cells.filter(({ point, rows }) => point.name === aimed.point.name && !rows.every(refuses))
  const sent = yield* Effect.forEach(
    allowed,
    Effect.fnUntraced(function* (cell) {
      const known = cell.point.way === "create" ? created : undefined
      const exchange = known ?? (yield* attemptAllowed(aimed.guarded, cell.caller.as ?? "admin"))
      return { cell, aimed, exchange, token: "" } satisfies Sent
    })
  )
  return yield* offered(sent)
})

/** The transfer by the admin, as the control of all actions on a credential. A read must show it. */
const moving = (aims: ReadonlyArray<Aimed>): Effect.Effect<Control | undefined, Blocked, Session> =>
  Effect.gen(function* () {
    const one = aims.find(({ point }) => point.way === "action" && point.name.endsWith("/transfer"))
    if (one === undefined) return undefined
    const good = yield* control(attempt(one.guarded, "admin"))
    const seen = yield* Effect.forEach(one.watch === undefined ? [] : [one.watch], (watch) => watch.look([one]))
    if (!isUnchanged(seen)) return good
    return yield* block("prerequisite failed: a credential does not show its new owner", good.exchange)
  })

/** A success of each call, after the refused ones: by the principal that may make it, or by the admin. */
const controlOf = Effect.fnUntraced(function* (
  { sweep }: Part,
  { good }: SweptGround,
  { good: own, guarded, point: { way } }: Aimed,
  allowed: ReadonlyArray<Sent>,
  moved: Effect.Effect<Control | undefined, Blocked, Session>
) {
  if (own !== undefined) return own
  if (sweep.target === "lent") return good
  if (way === "action" || way === "batch") return (yield* moved) ?? good
  const done = allowed.find(({ exchange }) => isIn(exchange, 2))
  if (done !== undefined) return yield* control(Effect.succeed(done.exchange))
  return way === "update" || way === "delete" ? yield* control(attempt(guarded, "admin")) : good
})

/**
 * Whether a read shows that a change was carried out. Otherwise it proves nothing about refused changes. Blocks the rule
 * about these for a documented entity type.
 */
const isSeen = Effect.fnUntraced(function* (
  { rows, sweep }: Part,
  aimed: Aimed,
  good: Control,
  seen: ReadonlyArray<Looked>
) {
  const { isAsked } = yield* Session
  const { point, watch } = aimed
  const before = seen.find((one) => one.watch === watch)
  const leaves = new Set(
    rows.flatMap(({ calls, leaves }) => (calls.includes("update") && leaves) || []).filter(isAsked)
  )
  if (sweep.target === "lent" || point.way !== "update" || watch === undefined || before === undefined) return true
  if (leaves.size === 0 || !equals(before.data ?? null, (yield* watch.look([aimed])).data ?? null)) return true
  const reason = `the profile's write path of ${point.entity} changes no value that a read shows`
  if (isShown(point.entity)) yield* Effect.forEach(leaves, (rule) => blockRule(rule, reason, [good.exchange]))
  return false
})

/** Repeats the cells of each rule that may have changed something on a target of its own. */
const blame = Effect.fnUntraced(function* (part: Part, all: ReadonlyArray<Cell>, entity: string) {
  const { isAsked } = yield* Session
  for (const [rule, rows] of Map.groupBy(part.rows.filter(refuses), leavesOf)) {
    const cells = all.filter((cell) => cell.rows.some((row) => rows.includes(row)))
    if (cells.length === 0 || !isAsked(rule)) continue
    const ground = yield* makeAnother(entity)
    const { seen, sent } = yield* sendTo(part, ground, cells)
    for (const row of rows) yield* judgeRow(row, ground.good, sent, seen)
  }
})

/** The answers to calls that were sent as the profile has them: its body of a link may be wrong. */
const asShownIn = (sent: ReadonlyArray<Sent>): ReadonlyArray<Exchange> =>
  sent.flatMap(({ cell, exchange }) => (cell.form === asShown ? [exchange] : []))

/** Makes every cell of an entity type, and judges them. */
const sweepTarget = Effect.fnUntraced(function* (part: Part, ground: SweptGround, cells: ReadonlyArray<Cell>) {
  const { aims, seen, sent } = yield* sendTo(part, ground, cells)
  const isKept = isUnchanged(seen)
  const culprit = isKept ? undefined : onlyDone(sent)
  const moved = yield* Effect.cached(moving(aims))
  part.sent.push(...sent)
  const effective = new Map<Point["way"], boolean>()
  for (const aimed of aims) {
    const own = sent.filter((one) => one.aimed === aimed)
    const steps = Effect.gen(function* () {
      const allowed = yield* sendAllowed(cells, aimed, ground)
      part.sent.push(...allowed)
      if (own.length + allowed.length === 0) return
      if (part.sweep.target === "own") yield* holdBodies(asShownIn(own))
      const good = yield* controlOf(part, ground, aimed, allowed, moved)
      const { way } = aimed.point
      // another change with the same values shows nothing more
      if (isKept && !effective.has(way)) effective.set(way, yield* isSeen(part, aimed, good, seen))
      // a change counts against the rule that made it: the only one that was not refused, or the one found below
      const shown = isKept && effective.get(way) === true ? seen : []
      const changed = ground.changes?.get(aimed.point.name)
      for (const row of part.rows) {
        const ofRow = row.isOfContent === true && changed !== undefined ? control(Effect.succeed(changed)) : undefined
        const judging = Effect.flatMap(ofRow ?? Effect.succeed(good), (one) =>
          judgeRow(row, one, [...own, ...allowed], leavesOf(row) === culprit ? seen : shown)
        )
        yield* walkPart([row.rule], judging)
      }
    })
    yield* walkPart(openAt(part.rows, aimed.point), steps)
  }
  if (!isKept) yield* blame(part, cells, ground.stage.entity)
})

/** The cells of an entity type, on the target that the walks of the sweep share. */
const sweepType = Effect.fnUntraced(function* (part: Part, entity: string) {
  const { profile } = yield* Session
  const points = pointsOf(profile, entity).filter(({ way }) => part.about.calls.includes(way))
  const cells = yield* cellsAt(part, points, entity)
  if (cells.length === 0) return
  const ground = groundFor(part.sweep, entity, part.rows)
  yield* walkPart(
    rulesAt(cells, part.about),
    Effect.flatMap(ground, (one) => sweepTarget(part, one, cells))
  )
})

/** A list by the valid token that a caller's token was made from. */
const listBy = Effect.fnUntraced(function* (entity: string, as: PrincipalName) {
  const { share } = yield* Session
  const guarded = yield* readCall(entity)
  return yield* control(as === "admin" ? listOf(entity) : share(`list-of-${entity}-by-${as}`, attempt(guarded, as)))
})

/** Lists need no target. The controls come first: a token that is made from another must not be taken for it. */
const sweepList = Effect.fnUntraced(function* (part: Part, entity: string) {
  const guarded = yield* readCall(entity)
  const name = `GET ${guarded.call.path.split("?")[0] ?? ""}`
  const point: Point = { name, method: "GET", entity, way: "list", takesBody: false }
  const cells = yield* cellsAt(part, [point], entity)
  const steps = Effect.gen(function* () {
    // the principal with the valid token
    const originals = Map.groupBy(cells, ({ caller: { as, sent } }) => (sent && as) ?? "admin")
    for (const [as, some] of originals) {
      const good = yield* listBy(entity, as)
      const own = yield* sendAll(some, [{ point, guarded, id: "" }], { nobody: undefined })
      part.sent.push(...own)
      for (const row of part.rows) yield* judgeRow(row, good, own, [])
    }
  })
  const open = rulesAt(cells, part.about)
  yield* walkPart(isShown(entity) ? open : open.slice(0, 1), steps)
})

/** Blocks the rules of a walk that the profile has no entry, no call or no caller for. */
const blockOpen = Effect.fnUntraced(function* ({ about: { alsoNeeds = {}, judges }, known }: Part) {
  const { isAsked, profile } = yield* Session
  for (const rule of judges.filter(isAsked)) {
    const lacking = alsoNeeds[rule]?.find((need) => !needs[need].isMet(profile))
    if (lacking !== undefined) yield* lackNeed(rule, lacking, "the walk makes the calls of other rules")
    else if (!known.has(rule)) yield* blockRule(rule, "the profile has no call or no caller that would show it")
  }
})

const isOf = ({ of }: SweepWalk, entity: string): boolean =>
  of === undefined || isShown(entity) === (of === "documented")

const walkOf = (sweep: Sweep, about: SweepWalk): Walk => {
  const { calls, of: _, open: __, ...own } = about
  const alsoJudges = rulesBy(sweep, calls).filter((rule) => !about.judges.some((one) => one === rule))
  return walk({ ...own, alsoJudges })(
    Effect.gen(function* () {
      const part = yield* partOf(sweep, about)
      const types = yield* sweep.types === "guarded" ? guardedTypes : makeableTypes
      if (calls.includes("list")) {
        const all = new Set([...(yield* readableTypes), ...(sweep.types === "guarded" ? [] : types)])
        for (const entity of all) yield* sweepList(part, entity)
      } else {
        for (const entity of types.filter((one) => isOf(about, one))) yield* sweepType(part, entity)
      }
      yield* judgeAnswers(sweep, about, part.sent)
      yield* blockOpen(part)
    })
  )
}

/** The walks of a sweep. */
export const walksOf = (sweep: Sweep): ReadonlyArray<Walk> => sweep.walks.map((about) => walkOf(sweep, about))
