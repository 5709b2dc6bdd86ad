import { Clock, Context, Effect, Layer, Option, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import { type Actor, actorOf, entryOf } from "../audit/AuditEntry.ts"
import type { OwnerReference } from "../ownership/Ownership.ts"
import { Worker } from "../people/Worker.ts"
import type { ShownPage } from "../resource/Collection.ts"
import { erase } from "../resource/Erasing.ts"
import type * as ListQuery from "../resource/ListQuery.ts"
import { type Resource, ResourceNotFound, requireId, type Stored } from "../resource/Resource.ts"
import * as Timeline from "../resource/Timeline.ts"
import { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { at } from "../shared/Json.ts"
import { deliveryDue, Notifications } from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import { documentOf, type Erasure, type ErasureDocument, erasures, eventOf, type Reason, rowsOf } from "./Erasure.ts"
import { type Begun, type ErasureBasis, ErasureStore } from "./ErasureStore.ts"

/** Rows of a transaction; events of one; and versions and messages of one. */
const portionMax = 50
const eventsMax = 500
const rowsMax = 500

/** Transactions that a call waits for. The worker program does the rest. */
const stepsOfCall = 100

/** Merged workers of one read. */
const mergedMax = 50

/** A request to erase a worker. */
interface Asked {
  readonly reason: Reason
  readonly actor: Actor
  readonly auditId: () => string
  readonly now: Instant
}

/** The decision to erase a worker: the one of the basis. Repeated calls change nothing, also while other rows are being erased. */
export const begun = (
  tenantId: string,
  id: string,
  { erasure, worker }: Pick<ErasureBasis, "erasure" | "worker">,
  { actor, auditId, now, reason }: Asked
): Result.Result<Begun, ResourceNotFound> => {
  if (Option.isNone(worker)) return Result.fail(new ResourceNotFound({ entityType: "worker", id }))
  const workerId = worker.value.id
  const known = Option.getOrUndefined(erasure)
  const unchanged = { next: undefined, records: { audit: [], events: [] } }
  if (known?.status === "ERASING" || known?.status === "ERASED") return Result.succeed({ erasure: known, ...unchanged })
  const { account, requestId } = actor
  const asked = { tenantId, workerId, reason, account, requestId, requestedAt: now, dueOn: known?.dueOn ?? null }
  // What a restored backup has undone keeps its request.
  const begun: Erasure = { ...(known?.status === "DUE" ? known : asked), status: "ERASING", erasedAt: null }
  const next = erase(Worker, worker.value, now)
  if (next === worker.value) return Result.succeed({ ...unchanged, erasure: begun })
  const entry = entryOf(
    auditId(),
    actor,
    { operation: "DELETE", action: "erase", entityType: "worker", entityId: workerId },
    now
  )
  return Result.succeed({ erasure: begun, next, records: { audit: [entry], events: [] } })
}

/** Whether a credential of an applicant is that of another worker. */
const isAnothers = (resource: Resource, { fields }: Stored, workerId: string): boolean => {
  const worker = resource.type === "credential" ? at(fields, ["attributes", "owners", "worker"]) : null
  return typeof worker === "string" && worker !== workerId
}

/** New ids of audit entries and events. */
export interface RecordIds {
  readonly auditId: () => string
  readonly eventId: () => string
}

/** The transactions that an erasure may still use. */
interface Budget {
  left: number
}

/**
 * Returns a function that erases the rows about a worker, after `begin`, in bounded transactions. Workers that were merged
 * into this one are the same person, and are erased too. It can be repeated at any time: rows that are erased stay as they
 * are. Returns whether nothing is left; false if `steps` were too few.
 */
export const makeFinish = (store: ErasureStore["Service"], ids: RecordIds) => {
  const { auditId } = ids
  const finishOwn = makeFinishOwn(store, ids)
  const finish = (erasure: Erasure, actor: Actor, budget: Budget): Effect.Effect<boolean> =>
    Effect.gen(function* () {
      const { reason, tenantId, workerId } = erasure
      for (let after = "", isMore = true; isMore; budget.left--) {
        if (budget.left <= 0) return false
        const merged = yield* store.mergedFrom(tenantId, workerId, after, mergedMax)
        for (const id of merged) {
          const now = yield* Clock.currentTimeMillis
          const begin = store.begin(tenantId, id, (basis) =>
            begun(tenantId, id, basis, { actor, auditId, now, reason })
          )
          const other = yield* Effect.orDie(begin) // the row is there: nothing deletes it
          if (other.status !== "ERASED" && !(yield* finish(other, actor, budget))) return false
        }
        after = merged.at(-1) ?? after
        isMore = merged.length === mergedMax
      }
      return yield* finishOwn(erasure, actor, budget)
    })
  return Effect.fn("Erasures.finish")((erasure: Erasure, actor: Actor, steps: number) =>
    finish(erasure, actor, { left: steps })
  )
}

/** Returns a function that erases the rows about a worker alone. */
const makeFinishOwn = (store: ErasureStore["Service"], { auditId, eventId }: RecordIds) =>
  Effect.fnUntraced(function* ({ tenantId, workerId }: Erasure, actor: Actor, budget: Budget) {
    const subjects = new Set<string>([workerId])
    const people: Array<OwnerReference> = [{ type: "worker", id: workerId }]
    // An applicant who owns a credential together with the worker is the same person, before the hire.
    for (const person of people) {
      for (const rows of rowsOf[person.type]) {
        for (let after = "", isMore = true; isMore; budget.left--) {
          if (budget.left <= 0) return false
          const now = yield* Clock.currentTimeMillis
          const { resource } = rows
          const portion = { ...rows, tenantId, personId: person.id, after, limit: portionMax }
          const { applicants, ids } = yield* store.portion(portion, (stored) => ({
            next: isAnothers(resource, stored, workerId) ? stored : erase(resource, stored, now),
            audit: entryOf(
              auditId(),
              actor,
              { operation: "DELETE", action: "erase", entityType: resource.type, entityId: stored.id },
              now
            )
          }))
          for (const id of ids) subjects.add(id)
          if (person.type === "worker") {
            for (const id of applicants)
              if (!people.some((each) => each.id === id)) people.push({ type: "applicant", id })
          }
          after = ids.at(-1) ?? after
          isMore = ids.length === portionMax
          yield* Effect.yieldNow // other requests run between two transactions
        }
      }
      for (const forget of [store.forgetVersions, store.forgetMessages]) {
        for (let isMore = true; isMore; budget.left--) {
          if (budget.left <= 0) return false
          isMore = yield* forget(tenantId, person, rowsMax)
          yield* Effect.yieldNow
        }
      }
    }
    for (let after: number | null = 0; after !== null; budget.left--) {
      if (budget.left <= 0) return false
      after = yield* store.forgetAnswers(tenantId, subjects, after, eventsMax)
      yield* Effect.yieldNow
    }
    const now = yield* Clock.currentTimeMillis
    yield* store.finish(tenantId, workerId, now, (erasure) => eventOf("worker.erased", erasure, eventId(), now))
    return true
  })

/** Erases people (DECISIONS.md#erasure). */
export class Erasures extends Context.Service<
  Erasures,
  {
    /**
     * Erases a worker, deleted or not, and all rows about the person, also those of workers that were merged into one
     * another. A call that is repeated, or whose caller waits no
     * longer, changes nothing more: the worker program finishes what was begun.
     */
    readonly erase: (
      workerId: string,
      reason: Reason
    ) => Effect.Effect<ErasureDocument, InvalidArgument | ResourceNotFound, Caller | RequestId>
    /** GET of a page of erasures. */
    readonly list: (query: ListQuery.Query) => Effect.Effect<ShownPage<ErasureDocument>, InvalidArgument, Caller>
  }
>()("@wcs/domain/Erasures") {}

export const make = Effect.gen(function* () {
  const store = yield* ErasureStore
  const ids = yield* Ids
  const notifications = yield* Notifications
  const auditId = ids.source("audit")
  const finish = makeFinish(store, { auditId, eventId: ids.source("event") })

  return Erasures.of({
    erase: Effect.fn("Erasures.erase")(function* (id, reason) {
      const caller = yield* Caller
      const workerId = yield* Effect.fromResult(requireId(Worker, id))
      const actor = actorOf(caller, yield* RequestId)
      const now = yield* Clock.currentTimeMillis
      const erasure = yield* store.begin(
        caller.tenantId,
        workerId,
        (basis) => begun(caller.tenantId, workerId, basis, { actor, auditId, now, reason }),
        "person"
      )
      if (erasure.status === "ERASED") return documentOf(erasure)
      const isDone = yield* finish(erasure, actor, stepsOfCall)
      if (isDone) yield* notifications.notify(deliveryDue)
      return documentOf(isDone ? { ...erasure, status: "ERASED", erasedAt: yield* Clock.currentTimeMillis } : erasure)
    }),
    list: Effect.fn("Erasures.list")(function* (query) {
      const { tenantId } = yield* Caller
      const selection = yield* Effect.fromResult(Timeline.parse(erasures, query))
      return Timeline.shownPage(erasures, selection, yield* store.list(tenantId, selection), documentOf)
    })
  })
})

export const layer = Layer.effect(Erasures, make)
