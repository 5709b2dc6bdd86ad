import type { Effect, Result } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { Instant } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject, JsonValue } from "../shared/Json.ts"
import type { RequestId } from "../shared/RequestId.ts"
import type { Query } from "./ListQuery.ts"
import type { Document, ResourceNotFound } from "./Resource.ts"

/** A resource as it is answered, and what the caller should know beside it. */
export interface Shown<Fields extends JsonObject> {
  readonly document: Document<Fields>
  readonly warnings: ReadonlyArray<string>
  /** Where a call starts something that a later event reports. */
  readonly correlationId?: string
}

/** A page of documents as they are answered. */
export interface ShownPage<Shown extends JsonObject> {
  readonly documents: ReadonlyArray<Shown>
  readonly pageSize: number
  /** Where the next page begins, or null at the end. */
  readonly nextCursor: string | null
  readonly total: number | undefined
  readonly warnings: ReadonlyArray<string>
}

/**
 * The use cases of a group that can be read. `ReadError` and `ListError` are what one and a page are refused for beside
 * their parameters.
 */
export interface Reading<Fields extends JsonObject, ReadError = never, ListError = never> {
  /** GET of one; a deleted one only where it is asked for. */
  readonly read: (
    id: string,
    query: Query
  ) => Effect.Effect<Shown<Fields>, InvalidArgument | ReadError | ResourceNotFound, Caller>
  /** GET of a page. */
  readonly list: (query: Query) => Effect.Effect<ShownPage<Document<Fields>>, InvalidArgument | ListError, Caller>
}

/**
 * The use cases of a group that can be written. `CreateError` is what a create alone is refused for beside its body,
 * `WriteError` what every write is.
 */
export interface Writing<Fields extends JsonObject, CreateError = never, WriteError = never> {
  /** POST: mints an id. Not idempotent (§4.2). */
  readonly create: (
    body: JsonValue
  ) => Effect.Effect<Shown<Fields>, InvalidArgument | WriteError | CreateError, Caller | RequestId>
  /** PUT: replaces. */
  readonly replace: (
    id: string,
    body: JsonValue
  ) => Effect.Effect<Shown<Fields>, InvalidArgument | WriteError | ResourceNotFound, Caller | RequestId>
  /** PATCH: merges (RFC 7396). */
  readonly patch: (
    id: string,
    body: JsonValue
  ) => Effect.Effect<Shown<Fields>, InvalidArgument | WriteError | ResourceNotFound, Caller | RequestId>
  /** DELETE: soft, and again a no-op (§3). */
  readonly remove: (id: string) => Effect.Effect<void, InvalidArgument | ResourceNotFound, Caller | RequestId>
}

/** Everything that goes for every group: the use cases that HTTP's five methods ask for. */
export interface Collection<Fields extends JsonObject, CreateError = never, WriteError = never>
  extends Reading<Fields>,
    Writing<Fields, CreateError, WriteError> {}

/** What operations of a group's own are made from. */
export interface Acting<Fields extends JsonObject, View extends JsonObject = Fields> {
  /**
   * Does to one resource what `decide` says, under the name that the audit history has for it. What leaves the fields
   * as they are changes nothing. `decide` is pure and may be called again.
   */
  readonly act: <E>(
    id: string,
    action: string,
    decide: (fields: Fields, now: Instant) => Result.Result<Fields, E>
  ) => Effect.Effect<Shown<View>, InvalidArgument | ResourceNotFound | E, Caller | RequestId>
}
