import { Effect, Option, type Redacted } from "effect"
import type { NoSuch } from "./Administration.ts"
import { Caller } from "./Caller.ts"
import type { ShownPage } from "./Collection.ts"
import type { Instant } from "./Instant.ts"
import { InvalidArgument } from "./InvalidArgument.ts"
import type { JsonObject } from "./Json.ts"
import * as ListQuery from "./ListQuery.ts"
import type { EntityType, Operation } from "./Privilege.ts"
import { RequestId } from "./RequestId.ts"
import { ResourceNotFound } from "./Resource.ts"
import * as Series from "./Series.ts"
import * as SoftDelete from "./SoftDelete.ts"
import { type Actor, actorOf } from "./Trail.ts"

/** Something with a secret, at the one moment when that is known (section 5.2, items 2a and 4). */
export interface NewlyIssued<Shown extends JsonObject> {
  readonly document: Shown
  readonly secret: Redacted.Redacted
}

/** What is handed out once, never changed, and ends by being revoked: personal tokens and OAuth clients. */
export interface Kind<Row extends { readonly revokedAt: Instant | null }, Shown extends JsonObject> {
  readonly series: Series.Series<never> & { readonly type: EntityType }
  /** Whether text has the form of an id. */
  readonly isId: (text: string) => boolean
  /** The form of an id, in words. */
  readonly idForm: string
  /** A page of those that the caller may read. */
  readonly page: (
    caller: Caller["Service"],
    selection: Series.SeriesSelection<never>
  ) => Effect.Effect<Series.SeriesPage<Row>>
  /** The one with an id, revoked or not, if the caller may do this to it: else it is as if it were not there. */
  readonly find: (caller: Caller["Service"], operation: Operation, id: string) => Effect.Effect<Option.Option<Row>>
  readonly revoke: (tenantId: string, id: string, actor: Actor) => Effect.Effect<void, NoSuch>
  /** As it is answered: without its secret. */
  readonly show: (row: Row) => Shown
}

/** The use cases of such a kind, beside its making. */
export interface Issued<Shown extends JsonObject> {
  /** GET of a page; revoked ones only where deleted ones are asked for. */
  readonly list: (query: ListQuery.Query) => Effect.Effect<ShownPage<Shown>, InvalidArgument, Caller>
  /** GET of one; a revoked one only where it is asked for. */
  readonly read: (
    id: string,
    query: ListQuery.Query
  ) => Effect.Effect<Shown, InvalidArgument | ResourceNotFound, Caller>
  /** DELETE: revokes it at once, and again does nothing. */
  readonly remove: (id: string) => Effect.Effect<void, InvalidArgument | ResourceNotFound, Caller | RequestId>
}

export const issued = <Row extends { readonly revokedAt: Instant | null }, Shown extends JsonObject>({
  find,
  idForm,
  isId,
  page,
  revoke,
  series,
  show
}: Kind<Row, Shown>): Issued<Shown> => {
  const notFound = (id: string) => new ResourceNotFound({ entityType: series.type, id })

  const findBy = Effect.fnUntraced(function* (operation: Operation, id: string) {
    if (!isId(id)) return yield* new InvalidArgument({ field: "id", reason: `must be ${idForm}` })
    const found = yield* find(yield* Caller, operation, id)
    return Option.isSome(found) ? found.value : yield* notFound(id)
  })

  return {
    list: Effect.fnUntraced(function* (query) {
      const selection = yield* Effect.fromResult(Series.parse(series, query))
      return Series.shownPage(series, selection, yield* page(yield* Caller, selection), show)
    }),

    read: Effect.fnUntraced(function* (id, query) {
      const { includeDeleted } = yield* Effect.fromResult(ListQuery.parseRead(query))
      const row = yield* findBy("READ", id)
      return SoftDelete.isVisible({ deletedAt: row.revokedAt }, includeDeleted) ? show(row) : yield* notFound(id)
    }),

    remove: Effect.fnUntraced(function* (id) {
      yield* findBy("DELETE", id)
      const caller = yield* Caller
      yield* Effect.mapError(revoke(caller.tenantId, id, actorOf(caller, yield* RequestId)), () => notFound(id))
    })
  }
}
