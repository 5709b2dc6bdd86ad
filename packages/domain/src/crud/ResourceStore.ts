import { Context, type Effect, type Option, type Result } from "effect"
import type { EventKind } from "../event/EventKind.ts"
import type { WebhookHealth } from "../event/WebhookHealth.ts"
import type { Holdings } from "../holding/Holdings.ts"
import type { OwnerReference, OwnerType } from "../ownership/Ownership.ts"
import type { Selection } from "../resource/ListQuery.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { ChangeRecords } from "./ChangeRecords.ts"

/** One page of a list. */
export interface Page<Fields extends JsonObject = JsonObject> {
  readonly items: ReadonlyArray<Stored<Fields>>
  /** Whether another page follows. */
  readonly hasMore: boolean
  /** The number of matches, at most `totalLimit`. Only if the selection asks for it. */
  readonly total: number | undefined
}

/** A resource as a read found it. */
export interface Found<Fields extends JsonObject = JsonObject> extends Omit<Stored<Fields>, "fields"> {
  /** The JSON text of the fields, if the store has it and it fits the definition. */
  readonly text: string | undefined
  /** The value of the column `verbatim.until`; the empty string if absent. */
  readonly until: string
  /** Whether the resource is a person whom no message reaches. */
  readonly isUnreachable: boolean
  /** Decodes the resource. Throws if it does not fit the definition. */
  readonly stored: () => Stored<Fields>
}

/** A resource that a decision needs, read in the same transaction. */
export interface Reference {
  readonly resource: Resource
  readonly id: string
}

/** The holdings that a decision needs. */
export interface HoldingsOf {
  readonly person: OwnerReference
  /** Returns the types of the credentials to read, each once. `references` are those of the basis. */
  readonly credentialTypes: (references: ReadonlyArray<Option.Option<Stored>>) => ReadonlyArray<string>
  /** Whether to lock the holdings until the change is committed. */
  readonly isLocked: boolean
}

/** The input of a decision. */
export interface Basis<Fields extends JsonObject> {
  /** The stored resource, even if deleted; none if the id is unused. */
  readonly current: Option.Option<Stored<Fields>>
  /** The referenced resources in the order of the references, even if deleted. */
  readonly references: ReadonlyArray<Option.Option<Stored>>
  /**
   * The number of the tenant's other resources of this type that are not deleted, counted up to the definition's
   * `most`. It cannot grow before the commit. 0 if the definition has no `most` or if the id is used.
   */
  readonly others: number
  /**
   * The person's holdings: of each needed type the newest credentials, `decidedLimitOfType`, and the newest
   * `decidedLimit` exemptions, without deleted ones. Empty if the change needs none.
   */
  readonly holdings: Holdings
  /** The number of the resource's open verifications. 0 if the definition is not `verified` or if the id is unused. */
  readonly openCount: number
  /** The tree of a definition with `tree`, without deleted rows. It cannot change before the commit. Otherwise empty. */
  readonly tree: ReadonlyMap<string, string | null>
  /** Whether a person, not deleted, links to this row of a tree. */
  readonly hasPeople: boolean
}

/** The outcome of a decision: the resource to store, or no change. */
export type Change<Fields extends JsonObject> =
  | {
      readonly _tag: "Changed"
      readonly next: Stored<Fields>
      readonly records: ChangeRecords
      /** The kinds of event that the resource subscribes to from now on. Unchanged if absent. */
      readonly subscribesTo?: ReadonlyArray<EventKind>
      /** Changes the health of the webhook, if it has had an attempt. Pure. The health is unchanged if absent. */
      readonly health?: (before: WebhookHealth) => WebhookHealth
    }
  | { readonly _tag: "Unchanged"; readonly current: Stored<Fields> }

/** Returns the stored resource after a change. */
export const storedAfter = <Fields extends JsonObject>(change: Change<Fields>): Stored<Fields> =>
  change._tag === "Changed" ? change.next : change.current

/**
 * Stores any resource by its definition: read, decide, write if unchanged. The rules are in the decision that the
 * caller passes, never here. Every method sees one tenant only. Infrastructure failures are defects.
 *
 * If the fiber has a caller who is limited to units, a row exists only if the caller reaches its people (`mayOversee`), by
 * the limits and units that are stored then. Of several owners, `hidden` names those whom the caller does not reach. The
 * `holdings` of a decision are whole.
 */
export class ResourceStore extends Context.Service<
  ResourceStore,
  {
    /** Returns the resource, even if deleted. One read. */
    readonly find: <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      id: string
    ) => Effect.Effect<Option.Option<Stored<Fields>>>

    /** The same, but decodes the fields only when asked. */
    readonly findText: <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      id: string
    ) => Effect.Effect<Option.Option<Found<Fields>>>

    /** Returns the resources with these ids by id, even if deleted. At most 100 ids; one read. */
    readonly findAll: <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, Stored<Fields>>>

    /** Returns the versions of the resources with these ids by id, even if deleted. At most 100 ids; one read. */
    readonly versions: (
      resource: Resource,
      tenantId: string,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, number>>

    /**
     * Returns the resources of each worker by worker id, without deleted ones, in the order of creation, at most
     * `limit` each. Workers without any are absent. At most 50 workers; one read, or bounded reads like those of `list`.
     * `by` names the kind of owner, if it is not workers.
     */
    readonly heldByEach: <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      workers: ReadonlyArray<string>,
      limit: number,
      by?: OwnerType
    ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<Stored<Fields>>>>

    /**
     * Returns a page in the selection's order. Takes a few bounded reads in sequence, more if matches are rare in that
     * order. A total is counted likewise.
     *
     * A page of several reads is no snapshot: each read continues after the last row of the previous read, and sees the
     * rows that are committed by then. A row that is unchanged meanwhile appears once if it matches. A row that changes
     * meanwhile may appear with its old or its new fields. It is missing, or appears twice, only if the change moves it
     * in the order of the list. An interrupted list stops after the current read.
     */
    readonly list: <Fields extends JsonObject>(
      resource: Resource<Fields>,
      tenantId: string,
      selection: Selection
    ) => Effect.Effect<Page<Fields>>

    /**
     * Reads the resource and the decision's other inputs, calls `decide`, and writes the result with its subscription
     * and records, all in one transaction. Returns the decision. Fails with the error of `decide` and then writes
     * nothing. `decide` is pure, synchronous and may be called more than once.
     *
     * `next.version` must be 1 for a new resource, else the current version plus one. An event is stored only if the
     * tenant has a subscriber to its kind; its sequence is the version.
     *
     * `holdingsOf` returns which holdings the decision needs. It is pure and may be called more than once.
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
