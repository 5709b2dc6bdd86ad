import { Effect, Option, Result } from "effect"
import { type Caller, withoutCaller } from "../access/Caller.ts"
import type { ImportedRow } from "../crud/ChangeRecords.ts"
import { unitOf, withLivingUnit } from "../crud/Links.ts"
import type { Basis, Change, ResourceStore } from "../crud/ResourceStore.ts"
import { makeAct, makeCreate, makeRemove, makeUpdate, type Services } from "../crud/ResourceWrites.ts"
import { noHoldings } from "../holding/Holdings.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import { tagAt } from "../resource/EntityTag.ts"
import { Precondition } from "../resource/Precondition.ts"
import type { Stored } from "../resource/Resource.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { RequestId } from "../shared/RequestId.ts"
import { completed, faultAt, type MappedColumn, type RowFault } from "./ColumnMapping.ts"
import type { Marked, Outcome } from "./ImportRow.ts"

// A row is carried out by the use cases of a single call, so every rule of a call holds for it. Only the store differs:
// a check decides and does not write, and a run marks the row in the transaction of its change.

type Store = ResourceStore["Service"]

/** A store that decides on the present state and writes nothing. `present` has the workers that the rows update. */
export const deciding = (store: Store, present: ReadonlyMap<string, Stored<WorkerFields>>): Store => ({
  ...store,
  change: Effect.fnUntraced(function* (_resource, tenantId, id, references, decide) {
    const basis: Basis<never> = {
      current: Option.fromUndefinedOr(present.get(id)) as Option.Option<Stored<never>>,
      references: yield* Effect.forEach(references, (each) => store.find(each.resource, tenantId, each.id)),
      others: 0,
      holdings: noHoldings,
      openCount: 0,
      tree: new Map(),
      hasPeople: false
    }
    return yield* Effect.fromResult(decide(basis))
  })
})

/** What a change leaves in its row. */
export type Mark = Pick<ImportedRow, "importId" | "row" | "from">

const markedChange = <Fields extends JsonObject, Decided extends Change<Fields>>(
  mark: Mark,
  outcomeOf: (before: Stored<Fields> | undefined) => Outcome,
  { current }: Basis<Fields>,
  decided: Decided
): Decided => {
  if (decided._tag === "Unchanged") return decided
  const before = Option.getOrUndefined(current)
  const imported: ImportedRow = {
    ...mark,
    outcome: outcomeOf(before),
    workerId: decided.next.id,
    tag: tagAt(Worker, decided.next, { today: "" }).text,
    before: before?.fields ?? null
  }
  return { ...decided, records: { ...decided.records, imported } }
}

/** A store that marks a row in the transaction of its change. It writes although the login that asked has ended. */
export const marking = (
  store: Store,
  mark: Mark,
  outcomeOf: (before: Stored | undefined) => Outcome = (before) => (before === undefined ? "CREATED" : "UPDATED")
): Store => ({
  ...store,
  change: (resource, tenantId, id, references, decide, holdingsOf) =>
    withoutCaller(
      store.change(
        resource,
        tenantId,
        id,
        references,
        (basis) => Result.map(decide(basis), (decided) => markedChange(mark, outcomeOf, basis, decided)),
        holdingsOf
      )
    )
})

/** Observes whether a change through the store changes something. */
const observed = (services: Services) => {
  let tag: Change<never>["_tag"] | undefined
  const store: Store = {
    ...services.store,
    change: (...asked) =>
      Effect.map(services.store.change(...asked), (decided) => {
        tag = decided._tag
        return decided
      })
  }
  return { services: { ...services, store }, seen: () => tag }
}

/** The result of a row: what it does to which worker, or its fault. */
export type RowResult = Pick<Marked, "workerId"> &
  (
    | { readonly does: "create" | "update" | "nothing"; readonly fault: null }
    | { readonly does: "fail"; readonly fault: RowFault }
  )

const failed = (fault: RowFault, workerId: string | null): RowResult => ({ does: "fail", fault, workerId })

/** Carries out a row: creates a worker, or changes the one with this id. */
export const writeRow = Effect.fnUntraced(function* (
  services: Services,
  mapped: ReadonlyArray<MappedColumn>,
  match: Option.Option<string>,
  document: JsonObject
): Effect.fn.Return<RowResult, never, Caller | RequestId> {
  const { seen, services: own } = observed(services)
  const written = yield* Effect.result(
    Option.isNone(match)
      ? makeCreate(own)(Worker, completed(document))
      : makeUpdate(own)(Worker, match.value, "patch", document)
  )
  const known = Option.getOrNull(match)
  if (Result.isFailure(written)) {
    const { failure } = written
    switch (failure._tag) {
      case "InvalidArgument":
        return failed(faultAt(mapped, failure.field, failure.reason), known)
      case "LinkNotFound": {
        const reason = `must be the externalId of ${failure.found === "none" ? "a unit" : "one unit only"}`
        return failed(faultAt(mapped, `${failure.field}.externalId`, reason), known)
      }
      default:
        return failed({ column: null, reason: "updates a worker that was deleted meanwhile" }, known)
    }
  }
  const does = seen() === "Unchanged" ? "nothing" : known === null ? "create" : "update"
  // The id of a worker that a check would create is minted anew by the run.
  return { does, fault: null, workerId: known }
})

/** A row that is carried out. */
interface Done {
  readonly outcome: Outcome
  readonly workerId: string
  readonly tag: string
  readonly before: JsonObject | null
}

/**
 * Undoes a row, if the worker has the tag that the row left. Returns whether it did. The earlier fields of an updated
 * worker may be erased.
 */
export const undoRow = Effect.fnUntraced(function* (
  services: Services,
  { before, outcome, tag, workerId }: Done
): Effect.fn.Return<boolean, never, Caller | RequestId> {
  if (outcome !== "CREATED" && before === null) return false
  const { seen, services: own } = observed(services)
  const undone =
    outcome === "CREATED"
      ? makeRemove(own)(Worker, workerId)
      : makeAct(own)(
          Worker,
          workerId,
          "undo-import",
          (_fields, _moment, found) => Result.succeed(withLivingUnit(before as WorkerFields, found)),
          {},
          unitOf(Worker, before ?? {})
        )
  const result = yield* Effect.result(Effect.provideService(undone, Precondition, { match: [tag] }))
  return Result.isSuccess(result) && seen() === "Changed"
})
