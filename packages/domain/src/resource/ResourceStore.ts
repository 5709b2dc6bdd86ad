import { Context, type Effect, type Option, type Result } from "effect"
import type { Holdings } from "../credential/Holdings.ts"
import type { OwnerReference } from "../ownership/Ownership.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { EventKind } from "../webhook/EventKind.ts"
import type { ChangeRecords } from "./ChangeRecords.ts"
import type { Selection } from "./ListQuery.ts"
import type { Resource, Stored } from "./Resource.ts"

/** One page of a list. */
export interface Page<Fields extends JsonObject = JsonObject> {
  readonly items: ReadonlyArray<Stored<Fields>>
  /** Whether more follow after the last item. */
  readonly hasMore: boolean
  /** How many match, at most `totalLimit`; only where the selection asked. */
  readonly total: number | undefined
}

/** A resource that a decision rests on, read in the same transaction. */
export interface Reference {
  readonly resource: Resource
  readonly id: string
}

/** A person whose holdings a decision rests on. */
export interface HoldingsOf {
  readonly person: OwnerReference
  /** Whether the holdings must stay as they are read until the change is committed. */
  readonly isLocked: boolean
}

/** What a decision is made from. */
export interface Basis<Fields extends JsonObject> {
  /** The resource as it is stored, deleted or not; none where nothing has the id. */
  readonly current: Option.Option<Stored<Fields>>
  /** What the references lead to, in their order, deleted or not. */
  readonly references: ReadonlyArray<Option.Option<Stored>>
  /**
   * How many others the tenant has that are not deleted, counted up to the definition's `most`, and nobody adds to them
   * meanwhile; 0 where the definition has no `most`, and where something has the id.
   */
  readonly others: number
  /**
   * What the person holds that the decision rests on: the newest `heldLimit` credentials, and as many exemptions, that
   * are not deleted. Empty if the change asks for nobody's.
   */
  readonly holdings: Holdings
  /** The number of its open verifications. 0 if the definition is not `verified`, or if nothing has the id. */
  readonly openCount: number
}

/** What a decision comes to: the resource to store, or that all stays as it is. */
export type Change<Fields extends JsonObject> =
  | {
      readonly _tag: "Changed"
      readonly next: Stored<Fields>
      readonly records: ChangeRecords
      /** The kinds of event that the resource is told of from now on; left out, they stay as they are. */
      readonly subscribesTo?: ReadonlyArray<EventKind>
    }
  | { readonly _tag: "Unchanged"; readonly current: Stored<Fields> }

/** What is stored once the change is made. */
export const storedAfter = <Fields extends JsonObject>(change: Change<Fields>): Stored<Fields> =>
  change._tag === "Changed" ? change.next : change.current

/**
 * Stores any resource by its definition. Storage is read, decide, write-if-unchanged: the rules are in the decision
 * that is handed in, never here. Every method sees one tenant only. Infrastructure failures die.
 */
export class ResourceStore extends Context.Service<
  ResourceStore,
  {
    /** The resource, deleted or not. One read. */
    readonly find: <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      id: string
    ) => Effect.Effect<Option.Option<Stored<Fields>>>

    /** The resources with these ids, deleted or not, by id. At most 100 ids; one read. */
    readonly findAll: <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Stored<Fields>>>

    /**
     * The resources that each of these workers holds, deleted ones apart, in the order of creation: at most `limit` of
     * each. By worker; one that holds none is missing. At most 50 workers; one read.
     */
    readonly heldByEach: <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      workers: ReadonlyArray<string>,
      limit: number
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Stored<Fields>>>>

    /**
     * A page in the selection's order. A few bounded reads, one after the other, of which the more the rarer what
     * matches is in that order; and one more where a total is asked for.
     */
    readonly list: <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      selection: Selection
    ) => Effect.Effect<Page<Fields>>

    /**
     * Reads the resource with the id and what the decision rests on, calls `decide`, and writes what it says with its
     * subscription and its records, all in one transaction, or changes nothing. `decide` is synchronous, has no effects
     * and may be called again when somebody else wrote meanwhile. The answer is the decision that was carried out, with
     * whatever else it says. Fails with what `decide` fails with, and then nothing was written.
     *
     * `next.version` must be 1 where nothing was there, else one more than the current one. An event of the records is
     * kept if somebody of the tenant subscribes to its kind; its sequence is the version.
     *
     * `holdingsOf` names the person whose holdings the decision rests on. It is pure and may be called again.
     */
    readonly change: <Fields extends JsonObject, E, Decided extends Change<Fields>>(
      resource: Resource<Fields>,
      tenantId: string,
      id: string,
      references: ReadonlyArray<Reference>,
      decide: (basis: Basis<Fields>) => Result.Result<Decided, E>,
      holdingsOf?: (current: Option.Option<Stored<Fields>>) => HoldingsOf | undefined
    ) => Effect.Effect<Decided, E>
  }
>()("@wcs/domain/ResourceStore") {}
