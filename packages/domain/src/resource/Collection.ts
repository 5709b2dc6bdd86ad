import type { Effect } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject, JsonValue } from "../shared/Json.ts"
import type { RequestId } from "../shared/RequestId.ts"
import type { EntityTag } from "./EntityTag.ts"
import type { Query } from "./ListQuery.ts"
import type { PreconditionFailed } from "./Precondition.ts"
import type { Document, ResourceNotFound } from "./Resource.ts"

/** A resource as returned, with warnings for the caller. */
export interface Shown<Fields extends JsonObject> {
  readonly document: Document<Fields>
  readonly warnings: ReadonlyArray<string>
  /** Present if the call starts something that a later event reports. */
  readonly correlationId?: string
  /** The state of the resource. */
  readonly tag?: EntityTag
}

/** A resource as GET returns it. */
export interface ShownText {
  /** The JSON text of the document. */
  readonly text: string
  readonly warnings?: ReadonlyArray<string>
  /** The state of the resource. Absent if the document combines several resources. */
  readonly tag?: EntityTag
}

/** A page of documents as returned. */
export interface ShownPage<Shown extends JsonObject> {
  readonly documents: ReadonlyArray<Shown>
  readonly pageSize: number
  /** The cursor of the next page; null on the last page. */
  readonly nextCursor: string | null
  readonly total: number | undefined
  readonly warnings: ReadonlyArray<string>
}

/** The read use cases of a group. `ReadError` and `ListError` are errors besides those of the parameters. */
export interface Reading<Fields extends JsonObject, ReadError = never, ListError = never> {
  /** GET of one resource. A deleted one is found only with `includeDeleted`. */
  readonly read: (
    id: string,
    query: Query
  ) => Effect.Effect<ShownText, InvalidArgument | ReadError | ResourceNotFound, Caller>
  /** GET of a page. */
  readonly list: (query: Query) => Effect.Effect<ShownPage<Document<Fields>>, InvalidArgument | ListError, Caller>
}

/**
 * The write use cases of a group. `CreateError` is for create only, `WriteError` for every write; both are besides
 * errors in the body. `RemoveError` is for DELETE. A write of one resource fails with `PreconditionFailed` if the `Precondition` does not hold.
 */
export interface Writing<Fields extends JsonObject, CreateError = never, WriteError = never, RemoveError = never> {
  /** POST: creates with a new id. Not idempotent (§4.2). */
  readonly create: (
    body: JsonValue
  ) => Effect.Effect<Shown<Fields>, InvalidArgument | WriteError | CreateError, Caller | RequestId>
  /** PUT: replaces the document. */
  readonly replace: (
    id: string,
    body: JsonValue
  ) => Effect.Effect<
    Shown<Fields>,
    InvalidArgument | WriteError | ResourceNotFound | PreconditionFailed,
    Caller | RequestId
  >
  /** PATCH: merges into the document (RFC 7396). */
  readonly patch: (
    id: string,
    body: JsonValue
  ) => Effect.Effect<
    Shown<Fields>,
    InvalidArgument | WriteError | ResourceNotFound | PreconditionFailed,
    Caller | RequestId
  >
  /** DELETE: soft delete; repeating it changes nothing (§3), also under the precondition of the first call. */
  readonly remove: (
    id: string
  ) => Effect.Effect<void, InvalidArgument | RemoveError | ResourceNotFound | PreconditionFailed, Caller | RequestId>
}

/** The use case of a group whose deleted resources can be restored. */
export interface Restoring<Fields extends JsonObject, Refused = never> {
  /** Undoes a delete; repeating it changes nothing. */
  readonly restore: (
    id: string
  ) => Effect.Effect<
    Shown<Fields>,
    InvalidArgument | Refused | ResourceNotFound | PreconditionFailed,
    Caller | RequestId
  >
}

/** The standard use cases of every group, one for each HTTP operation. */
export interface Collection<Fields extends JsonObject, CreateError = never, WriteError = never>
  extends Reading<Fields>,
    Writing<Fields, CreateError, WriteError> {}
