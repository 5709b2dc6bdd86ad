import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { Caller, requireUnlimited } from "../access/Caller.ts"
import { type Forbidden, PrivilegeRules, readOf } from "../access/Privilege.ts"
import { type AuditEntry, actorOf, entryOf } from "../audit/AuditEntry.ts"
import type { ChangeRecords } from "../crud/ChangeRecords.ts"
import { LinkNotFound, withLivingUnit } from "../crud/Links.ts"
import type { ChangedBy } from "../crud/Progression.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Ban, banLimit } from "../holding/Ban.ts"
import * as Credential from "../holding/Credential.ts"
import { type Decide, type Owners, Ownership } from "../ownership/Ownership.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import type { ShownPage } from "../resource/Collection.ts"
import { isErased } from "../resource/Erasing.ts"
import type * as ListQuery from "../resource/ListQuery.ts"
import { notFound, type ResourceNotFound, requireId, type Stored } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import * as Timeline from "../resource/Timeline.ts"
import { progressionOf } from "../screening/Progressions.ts"
import { momentAt } from "../shared/CalendarDay.ts"
import { Ids, idFormat, isId } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { deliveryDue, Notifications } from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import {
  documentOf,
  isRowType,
  type MayRead,
  type Merge,
  type MergeDocument,
  MergedAgain,
  MergeFinal,
  MergeNotFound,
  MergeTooLarge,
  MovedOn,
  type MovedType,
  merges,
  movedMax,
  TooManyBans,
  undoableUntil
} from "./Merge.ts"
import { type MergePlan, planOfMerge, planOfUndo, type RowMove } from "./MergePlan.ts"
import { type MergeBasis, type MergeChange, MergeStore } from "./MergeStore.ts"

/** The merged workers are no longer both there. */
type Missing = ResourceNotFound | LinkNotFound

const ownersOf = ({ fields }: Stored): Owners => (fields as Credential.CredentialFields).attributes.owners

/** The slots of an entry that names both workers: the one that ends and the one that goes on. */
const pair = (before: string, after: string) => ({
  before: { worker: before, applicant: null },
  after: { worker: after, applicant: null }
})

/**
 * Returns the records of a merge or its undo: one entry that names both workers, one for the other worker and for each
 * moved row, and the event of each moved card that is not deleted, as of a transfer.
 */
const recordsOf = (
  action: "merge" | "unmerge",
  { from, rows, users, worker }: MergePlan,
  by: ChangedBy
): ChangeRecords => {
  const { actor, auditId, eventId, now } = by
  const entry = (entityType: AuditEntry["entityType"], entityId: string, operation: AuditEntry["operation"]) =>
    entryOf(auditId(), actor, { operation, action, entityType, entityId }, now)
  const entryOfRow = ({ before, next, resource }: RowMove): AuditEntry => {
    const moved = entry(resource.type, next.id, "UPDATE")
    return resource.type === "credential"
      ? { ...moved, ownership: { before: ownersOf(before), after: ownersOf(next) } }
      : moved
  }
  const cards = rows.filter(({ next, resource }) => resource.type === "credential" && isVisible(next, false))
  const isMerge = action === "merge"
  return {
    audit: [
      {
        ...entry("worker", worker.id, "UPDATE"),
        ownership: isMerge ? pair(from.id, worker.id) : pair(worker.id, from.id)
      },
      entry("worker", from.id, isMerge ? "DELETE" : "UPDATE"),
      ...rows.map(entryOfRow),
      ...users.map((id) => entry("account", id, "UPDATE"))
    ],
    events: cards.map(({ next }) =>
      Credential.eventOf(
        "credential.updated",
        eventId(),
        Credential.slotsOf(next as Stored<Credential.CredentialFields>),
        null,
        now
      )
    ),
    // The cards that move can complete requests of either worker.
    progressions: isMerge ? [progressionOf({ type: "worker", id: worker.id }, by)] : []
  }
}

interface Asked {
  readonly tenantId: string
  readonly workerId: string
  readonly fromId: string
  readonly mergeId: string
}

/** The decision to merge. */
export const merged = (
  decide: Decide,
  { fromId, mergeId, tenantId, workerId }: Asked,
  basis: MergeBasis,
  by: ChangedBy
): Result.Result<MergeChange, Missing | MergeTooLarge | TooManyBans> =>
  Result.gen(function* () {
    const { held, tasks, users } = basis
    const worker = Option.getOrUndefined(basis.worker)
    const from = Option.getOrUndefined(basis.from)
    if (worker === undefined || !isVisible(worker, false)) {
      return yield* Result.fail(notFound(Worker, workerId, worker))
    }
    if (from === undefined || !isVisible(from, false)) {
      return yield* Result.fail(new LinkNotFound({ field: "from", entityType: "worker", found: "none" }))
    }
    if (held.length > movedMax) return yield* Result.fail(new MergeTooLarge({ workerId: fromId, limit: movedMax }))
    const bans = held.filter(({ kind }) => kind.resource.type === Ban.type).length
    if (bans > 0 && bans + basis.bans > banLimit) {
      return yield* Result.fail(new TooManyBans({ workerIds: [workerId, fromId], limit: banLimit }))
    }
    const plan = planOfMerge(decide, { worker, from, held, tasks, users }, by.now)
    const merge: Merge = {
      ...{ id: mergeId, tenantId, workerId, fromId, status: "MERGED", mergedAt: by.now, undoneAt: null },
      account: by.actor.account,
      requestId: by.actor.requestId,
      moved: [
        ...plan.rows.map(({ next, resource }) => ({ type: resource.type as MovedType, id: next.id })),
        ...plan.users.map((id) => ({ type: "user" as const, id })),
        ...(plan.taskOwner === undefined ? [] : [{ type: "taskOwner" as const, id: plan.taskOwner }])
      ]
    }
    return { merge, plan, records: recordsOf("merge", plan, by) }
  })

/** The decision to undo a merge. A repeated undo changes nothing. */
export const undone = (
  decide: Decide,
  mergeId: string,
  found: Option.Option<Merge>,
  basis: MergeBasis,
  by: ChangedBy,
  mayRead: MayRead
): Result.Result<MergeChange, MergeNotFound | MergeFinal | MergedAgain | MovedOn> =>
  Result.gen(function* () {
    const merge = Option.getOrUndefined(found)
    if (merge === undefined) return yield* Result.fail(new MergeNotFound({ mergeId }))
    if (merge.status === "UNDONE") return { merge, plan: undefined, records: { audit: [], events: [] } }
    const next = Option.getOrUndefined(basis.worker)?.fields.mergedInto?.id
    if (next !== undefined && Option.isSome(basis.worker) && !isErased(Worker, basis.worker.value.fields)) {
      return yield* Result.fail(new MergedAgain({ mergeId, workerId: basis.worker.value.id, intoId: next }))
    }
    if (by.now > undoableUntil(merge)) return yield* Result.fail(new MergeFinal({ mergeId, why: "EXPIRED" }))
    const worker = Option.getOrUndefined(basis.worker)
    const from = Option.getOrUndefined(basis.from)
    const isLeft = (one: Stored<WorkerFields> | undefined) => one !== undefined && !isErased(Worker, one.fields)
    if (worker === undefined || from === undefined || !isLeft(worker) || !isLeft(from)) {
      return yield* Result.fail(new MergeFinal({ mergeId, why: "ERASED" }))
    }
    const { held, tasks, users } = basis
    const restored = { ...from, fields: withLivingUnit(from.fields, [basis.unit]) }
    const undo = planOfUndo(decide, merge, { worker, from: restored, held, tasks, users }, by.now)
    const plan = yield* Result.mapError(undo, ({ ids }) => {
      const types = new Map(merge.moved.map(({ id, type }) => [id, type]))
      const shown = ids.filter((id) => {
        const type = types.get(id)
        return type !== undefined && isRowType(type) && mayRead(type)
      })
      return new MovedOn({ mergeId, ids: shown, hidden: ids.length - shown.length })
    })
    return { merge: { ...merge, status: "UNDONE", undoneAt: by.now }, plan, records: recordsOf("unmerge", plan, by) }
  })

/** Merges two workers who are one person (DECISIONS.md#duplicates). */
export class Merges extends Context.Service<
  Merges,
  {
    /** Moves everything about a worker to another one, and deletes the worker. */
    readonly merge: (
      workerId: string,
      fromId: string
    ) => Effect.Effect<
      MergeDocument,
      InvalidArgument | Missing | MergeTooLarge | TooManyBans | Forbidden,
      Caller | RequestId
    >
    /** Puts back what a merge moved, within 30 days. A repeated undo changes nothing. */
    readonly undo: (
      mergeId: string
    ) => Effect.Effect<
      MergeDocument,
      InvalidArgument | MergeNotFound | MergeFinal | MergedAgain | MovedOn | Forbidden,
      Caller | RequestId
    >
    /** GET of a page of merges. */
    readonly list: (
      query: ListQuery.Query
    ) => Effect.Effect<ShownPage<MergeDocument>, InvalidArgument | Forbidden, Caller>
  }
>()("@wcs/domain/Merges") {}

export const make = Effect.gen(function* () {
  const store = yield* MergeStore
  const resources = yield* ResourceStore
  const { decide } = yield* Ownership
  const rules = yield* PrivilegeRules
  const ids = yield* Ids
  const notifications = yield* Notifications

  const changedBy = Effect.gen(function* () {
    const caller = yield* Caller
    const actor = actorOf(caller, yield* RequestId)
    const moment = momentAt(yield* Clock.currentTimeMillis, caller.timeZone)
    return { ...moment, actor, auditId: ids.source("audit"), eventId: ids.source("event") } satisfies ChangedBy
  })

  const mayRead =
    ({ account, privileges }: Caller["Service"]): MayRead =>
    (type) =>
      Result.isSuccess(rules.authorize(account, privileges, [readOf(type)]))

  const shown = Effect.fnUntraced(function* (merge: Merge) {
    const workers = yield* resources.findAll(Worker, merge.tenantId, [merge.workerId, merge.fromId])
    return documentOf(merge, workers, mayRead(yield* Caller))
  })

  return Merges.of({
    merge: Effect.fn("Merges.merge")(function* (id, fromId) {
      yield* requireUnlimited("UPDATE")
      const { tenantId } = yield* Caller
      const workerId = yield* Effect.fromResult(requireId(Worker, id))
      if (workerId === fromId) return yield* new InvalidArgument({ field: "from", reason: "must be another worker" })
      const by = yield* changedBy
      const asked = { tenantId, workerId, fromId, mergeId: yield* ids.mint("merge") }
      const merge = yield* store.merge(tenantId, { workerId, fromId }, (basis) => merged(decide, asked, basis, by))
      yield* notifications.notify(deliveryDue)
      return yield* shown(merge)
    }),
    undo: Effect.fn("Merges.undo")(function* (mergeId) {
      yield* requireUnlimited("UPDATE")
      const caller = yield* Caller
      if (!isId("merge", mergeId)) {
        return yield* new InvalidArgument({ field: "id", reason: `must be ${idFormat("merge")}` })
      }
      const by = yield* changedBy
      const merge = yield* store.undo(caller.tenantId, mergeId, (found, basis) =>
        undone(decide, mergeId, found, basis, by, mayRead(caller))
      )
      yield* notifications.notify(deliveryDue)
      return yield* shown(merge)
    }),
    list: Effect.fn("Merges.list")(function* (query) {
      yield* requireUnlimited("READ")
      const caller = yield* Caller
      const { tenantId } = caller
      const selection = yield* Effect.fromResult(Timeline.parse(merges, query))
      const page = yield* store.list(tenantId, selection)
      const workers = new Map<string, Stored<WorkerFields>>()
      const people = [...new Set(page.items.flatMap(({ fromId, workerId }) => [workerId, fromId]))]
      for (let first = 0; first < people.length; first += 100) {
        const found = yield* resources.findAll(Worker, tenantId, people.slice(first, first + 100))
        for (const [id, worker] of found) workers.set(id, worker)
      }
      return Timeline.shownPage(merges, selection, page, (merge) => documentOf(merge, workers, mayRead(caller)))
    })
  })
})

export const layer = Layer.effect(Merges, make)
