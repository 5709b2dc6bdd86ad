import type { Option, Result } from "effect"
import type { OwnershipChange } from "../audit/AuditEntry.ts"
import type { EventKind } from "../event/EventKind.ts"
import type { WebhookHealth } from "../event/WebhookHealth.ts"
import type { Holdings } from "../holding/Holdings.ts"
import type { CollectionFull, Document, DuplicateId, Resource, Stored } from "../resource/Resource.ts"
import type { Update, Written } from "../resource/Write.ts"
import type { Moment } from "../shared/CalendarDay.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { ChangeRecords } from "./ChangeRecords.ts"
import type { LinkNotFound } from "./Links.ts"
import type { ChangedBy } from "./Progression.ts"
import type { Basis, HoldingsOf, Reference } from "./ResourceStore.ts"

/** The refusals of every write that follow from a definition. */
export type WriteRefusal<Definition extends Resource> = Definition["links"] extends readonly [] ? never : LinkNotFound

/** The refusals of a create that follow from a definition, besides those of every write. */
export type CreateRefusal<Definition extends Resource> =
  | (Definition extends { readonly naming: { readonly by: "code" } } ? DuplicateId : never)
  | (Definition extends { readonly most: number } ? CollectionFull : never)

/** Returns the document that callers get at a time. */
export type Show<Fields extends JsonObject, View extends JsonObject> = (
  stored: Stored<Fields>,
  moment: Moment
) => Document<View>

/** The records of a change besides its audit entry. */
export interface OwnRecords extends Partial<Omit<ChangeRecords, "audit">> {
  /** The change of owners, for the audit entry. */
  readonly ownership?: OwnershipChange
  /** The kinds of event that the resource now subscribes to. Absent if unchanged. */
  readonly subscribesTo?: ReadonlyArray<EventKind>
  /** Changes the health of the webhook. Absent if unchanged. */
  readonly health?: (before: WebhookHealth) => WebhookHealth
}

/** The context of a change whose records can have messages. */
export interface RecordedBy extends ChangedBy {
  readonly messageId: () => string
}

/** A person whose holdings complete the fields of a change. */
export interface HoldingsRule<Fields extends JsonObject> {
  /** Returns the person, if the change needs one. `fields` are the new ones of a create, else the stored ones. */
  readonly of: (
    change: "created" | "updated",
    fields: Fields,
    today: string
  ) => Omit<HoldingsOf, "credentialTypes"> | undefined
  /** Returns the types of the credentials that `complete` needs, each once. */
  readonly credentialTypes: (fields: Fields) => ReadonlyArray<string>
  readonly complete: (fields: Fields, holdings: Holdings, today: string) => Fields
}

/** The rules of every change of a group, besides its definition. All functions are pure and may be called again. */
export interface Rules<Fields extends JsonObject, View extends JsonObject = Fields> {
  /** By default callers get the stored document. */
  readonly show?: Show<Fields, View>
  readonly holdings?: HoldingsRule<Fields>
  /** Returns the records of a create (no `before`), an update or a delete. */
  readonly records?: (before: Stored<Fields> | undefined, after: Stored<Fields>, by: RecordedBy) => OwnRecords
}

/** Other resources that a create needs. */
export interface ReferencesRule<Fields extends JsonObject, Refused> {
  readonly of: (fields: Fields) => ReadonlyArray<Reference>
  /** Validates and completes the fields by the references, in their order. */
  readonly complete: (fields: Fields, found: ReadonlyArray<Option.Option<Stored>>) => Result.Result<Fields, Refused>
}

/** Fails if a row of a tree cannot be where its fields say. */
export type Place<Fields extends JsonObject, Refused> = (
  tree: Basis<Fields>["tree"],
  id: string,
  fields: Fields
) => Result.Result<void, Refused>

/** The rules of a create. */
export interface Creating<Fields extends JsonObject, Refused = never, View extends JsonObject = Fields>
  extends Rules<Fields, View> {
  /** The id, if other records must know it first. */
  readonly id?: string
  /** Validates and completes the fields of the body. The warnings go to the caller. */
  readonly settle?: (fields: Fields, moment: Moment) => Result.Result<Written<Fields>, InvalidArgument>
  readonly references?: ReferencesRule<Fields, Refused>
  readonly place?: Place<Fields, Refused>
}

/** The rules of an update. */
export interface Updating<Fields extends JsonObject, Refused = never, View extends JsonObject = Fields>
  extends Rules<Fields, View> {
  /** Validates and completes the new fields. The warnings go to the caller. */
  readonly settle?: (
    before: Fields,
    after: Fields,
    update: Update
  ) => Result.Result<Written<Fields>, InvalidArgument | Refused>
  readonly place?: Place<Fields, Refused>
}

/** The rules of a restore. */
export interface RestoreRules<Fields extends JsonObject, View extends JsonObject = Fields, Refused = never>
  extends Pick<Rules<Fields, View>, "show" | "records"> {
  /** Returns the fields of the restored resource. `openCount` is the number of its open verifications. */
  readonly settle?: (before: Stored<Fields>, openCount: number) => Result.Result<Fields, Refused>
}
