import { Context, Effect, Layer, Option, Schema } from "effect"
import { bearerKinds, Caller } from "../access/Caller.ts"
import { Credential } from "../credential/Credential.ts"
import type { ShownPage } from "../resource/Collection.ts"
import type { Query } from "../resource/ListQuery.ts"
import { ResourceNotFound, requireId } from "../resource/Resource.ts"
import { ResourceStore } from "../resource/ResourceStore.ts"
import * as Series from "../resource/Series.ts"
import { toRfc3339 } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { EventStore, type OwnershipEntry } from "../webhook/EventStore.ts"
import { Owners } from "./Ownership.ts"

/** One change of a credential's owners, as the wire shows it. */
export const OwnershipChangeDocument = Schema.Struct({
  id: Schema.String.annotate({ description: "The id of the audit event of this change." }),
  type: Schema.Literal("ownershipChange"),
  action: Schema.String.annotate({
    description: "`create`, `link`, `unlink`, `transfer`, `bulk link` or `bulk transfer`."
  }),
  account: Schema.String.annotate({ description: "The URN of the account that made the change." }),
  bearer: Schema.NullOr(Schema.Literals(bearerKinds)).annotate({
    description: "Kind of token or login that was used. Null for the operator."
  }),
  requestId: Schema.String,
  createdAt: Schema.String.annotate({ format: "date-time" }),
  before: Owners,
  after: Owners
})
export type OwnershipChangeDocument = typeof OwnershipChangeDocument.Type

/** The changes of one credential's owners, newest first. Each follows from the one before it. */
export const ownershipChanges: Series.Series<never> = {
  type: "ownershipChange",
  filters: {},
  ends: false,
  newestFirst: true
}

const show = ({ account, action, at, bearer, id, ownership, requestId }: OwnershipEntry): OwnershipChangeDocument => ({
  id,
  type: "ownershipChange",
  action,
  account,
  bearer: bearer?.kind ?? null,
  requestId,
  createdAt: toRfc3339(at),
  before: ownership.before,
  after: ownership.after
})

/** The ownership history of credentials. Each entry is written in the transaction of its change. */
export class OwnershipChanges extends Context.Service<
  OwnershipChanges,
  {
    /** GET of a page of a credential's changes. Deleted credentials keep their history. */
    readonly list: (
      credentialId: string,
      query: Query
    ) => Effect.Effect<ShownPage<OwnershipChangeDocument>, InvalidArgument | ResourceNotFound, Caller>
  }
>()("@wcs/domain/OwnershipChanges") {}

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const store = yield* EventStore

  return OwnershipChanges.of({
    list: Effect.fn("OwnershipChanges.list")(function* (text, query) {
      const { tenantId } = yield* Caller
      const selection = yield* Effect.fromResult(Series.parse(ownershipChanges, query))
      const id = yield* Effect.fromResult(requireId(Credential, text))
      const found = yield* resources.find(Credential, tenantId, id)
      if (Option.isNone(found)) return yield* new ResourceNotFound({ entityType: "credential", id })
      return Series.shownPage(ownershipChanges, selection, yield* store.ownership(tenantId, id, selection), show)
    })
  })
})

export const layer: Layer.Layer<OwnershipChanges, never, ResourceStore | EventStore> = Layer.effect(
  OwnershipChanges,
  make
)
