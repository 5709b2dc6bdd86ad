import { Data, Effect, Option, type Redacted, Result } from "effect"
import { Caller } from "../access/Caller.ts"
import type { NoSuch } from "../access/NoSuch.ts"
import type { EntityType, Forbidden, Operation, PrivilegeRules } from "../access/Privilege.ts"
import { type Actor, actorOf } from "../audit/AuditEntry.ts"
import type { ShownPage } from "../resource/Collection.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { ResourceNotFound } from "../resource/Resource.ts"
import * as SoftDelete from "../resource/SoftDelete.ts"
import * as Timeline from "../resource/Timeline.ts"
import type { Instant } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonObject } from "../shared/Json.ts"
import { RequestId } from "../shared/RequestId.ts"
import type { Administration } from "./Administration.ts"
import { type IssuedReference, revokingNeeds } from "./Lineage.ts"

/** A new token or client with its secret, which is returned only here (§5.2, items 2a and 4). */
export interface NewlyIssued<Shown extends JsonObject> {
  readonly document: Shown
  readonly secret: Redacted.Redacted
}

/** The account is a service account, which cannot create tokens or clients. */
export class NotAUser extends Data.TaggedError("NotAUser")<{ readonly account: string }> {}

/** A kind of item that is issued once, never changed, and revoked: personal tokens and OAuth clients. */
export interface Kind<Row extends { readonly revokedAt: Instant | null }, Shown extends JsonObject> {
  readonly timeline: Timeline.Timeline<never> & { readonly type: EntityType }
  readonly entityType: IssuedReference["entityType"]
  /** Returns whether text has the format of an id. */
  readonly isId: (text: string) => boolean
  /** The format of an id, in words. */
  readonly idFormat: string
  /** Returns a page of the items that the caller may read. */
  readonly page: (
    caller: Caller["Service"],
    selection: Timeline.TimelineSelection<never>
  ) => Effect.Effect<Timeline.TimelinePage<Row>>
  /** Returns the item, even if revoked; none if the caller may not run `operation` on the item. */
  readonly find: (caller: Caller["Service"], operation: Operation, id: string) => Effect.Effect<Option.Option<Row>>
  readonly revoke: (tenantId: string, id: string, actor: Actor) => Effect.Effect<void, NoSuch>
  readonly revokeTree: Administration["Service"]["revokeTree"]
  readonly rules: Pick<PrivilegeRules["Service"], "authorize">
  /** Returns the document without the secret. */
  readonly show: (row: Row) => Shown
}

/** The use cases that all such kinds share. Creation is separate. */
export interface Issued<Shown extends JsonObject> {
  /** GET of a page. Revoked items are included only with `includeDeleted`. */
  readonly list: (query: ListQuery.Query) => Effect.Effect<ShownPage<Shown>, InvalidArgument, Caller>
  /** GET of one item. A revoked item is found only with `includeDeleted`. */
  readonly read: (
    id: string,
    query: ListQuery.Query
  ) => Effect.Effect<Shown, InvalidArgument | ResourceNotFound, Caller>
  /**
   * DELETE: revokes the item; repeating it changes nothing. `cascade=true` also revokes all descendants. Fails with
   * Forbidden if the caller lacks a privilege that a descendant needs.
   */
  readonly remove: (
    id: string,
    query: ListQuery.Query
  ) => Effect.Effect<void, InvalidArgument | ResourceNotFound | Forbidden, Caller | RequestId>
}

const parseRemoval = (query: ListQuery.Query): Result.Result<{ readonly isCascade: boolean }, InvalidArgument> =>
  Result.gen(function* () {
    const given = yield* ListQuery.singles(["cascade"], query)
    return { isCascade: yield* ListQuery.parseFlag("cascade", given.get("cascade")) }
  })

export const issued = <Row extends { readonly revokedAt: Instant | null }, Shown extends JsonObject>({
  entityType,
  find,
  idFormat,
  isId,
  page,
  revoke,
  revokeTree,
  rules,
  timeline,
  show
}: Kind<Row, Shown>): Issued<Shown> => {
  const notFound = (id: string) => new ResourceNotFound({ entityType: timeline.type, id })

  const findBy = Effect.fnUntraced(function* (operation: Operation, id: string) {
    if (!isId(id)) return yield* new InvalidArgument({ field: "id", reason: `must be ${idFormat}` })
    const found = yield* find(yield* Caller, operation, id)
    return Option.isSome(found) ? found.value : yield* notFound(id)
  })

  return {
    list: Effect.fnUntraced(function* (query) {
      const selection = yield* Effect.fromResult(Timeline.parse(timeline, query))
      return Timeline.shownPage(timeline, selection, yield* page(yield* Caller, selection), show)
    }),

    read: Effect.fnUntraced(function* (id, query) {
      const { includeDeleted } = yield* Effect.fromResult(ListQuery.parseRead(query))
      const row = yield* findBy("READ", id)
      return SoftDelete.isVisible({ deletedAt: row.revokedAt }, includeDeleted) ? show(row) : yield* notFound(id)
    }),

    remove: Effect.fnUntraced(function* (id, query) {
      const { isCascade } = yield* Effect.fromResult(parseRemoval(query))
      yield* findBy("DELETE", id)
      const caller = yield* Caller
      const actor = actorOf(caller, yield* RequestId)
      const root = { entityType, id }
      const removed = isCascade
        ? revokeTree(caller.tenantId, root, actor, (live) =>
            rules.authorize(caller.account, caller.privileges, revokingNeeds(root, live))
          )
        : revoke(caller.tenantId, id, actor)
      yield* Effect.catchTag(removed, "NoSuch", () => Effect.fail(notFound(id)))
    })
  }
}
