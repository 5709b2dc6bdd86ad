import { Context, Effect, Layer, Option, Schema } from "effect"
import { bearerKinds, Caller } from "../access/Caller.ts"
import { EventStore, type OwnershipEntry } from "../audit/EventStore.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Credential } from "../holding/Credential.ts"
import { Owners, perOwner } from "../ownership/Ownership.ts"
import { ownerResources } from "../people/Owner.ts"
import type { ShownPage } from "../resource/Collection.ts"
import type { Query } from "../resource/ListQuery.ts"
import { ResourceNotFound, requireId } from "../resource/Resource.ts"
import { createdAt, recordedRequestId, typeField } from "../resource/ShownFields.ts"
import * as Timeline from "../resource/Timeline.ts"
import { toRfc3339 } from "../shared/Instant.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"

/** A change of a credential's owners on the wire. */
export const OwnershipChangeDocument = Schema.Struct({
  id: Schema.String.annotate({ description: "The id of the audit event of this change." }),
  type: typeField("ownershipChange"),
  action: Schema.String.annotate({
    description: "`create`, `link`, `unlink`, `transfer`, `bulk link` or `bulk transfer`."
  }),
  account: Schema.String.annotate({ description: "The URN of the account that made the change." }),
  bearer: Schema.NullOr(Schema.Literals(bearerKinds)).annotate({
    description: "The kind of token or login used; null for the operator."
  }),
  requestId: recordedRequestId,
  createdAt,
  before: Owners.annotate({ description: "The slots before the change. Both are empty before the creation." }),
  after: Owners.annotate({ description: "The slots after the change." })
})
export type OwnershipChangeDocument = typeof OwnershipChangeDocument.Type

/** The changes of a credential's owners, newest first. Each starts from the result of the previous one. */
export const ownershipChanges: Timeline.Timeline<never> = {
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
    /**
     * GET of a page of a credential's changes. Deleted credentials keep their history. Owners whom the caller does not reach
     * are left out.
     */
    readonly list: (
      credentialId: string,
      query: Query
    ) => Effect.Effect<ShownPage<OwnershipChangeDocument>, InvalidArgument | ResourceNotFound, Caller>
  }
>()("@wcs/domain/OwnershipChanges") {}

export const make = Effect.gen(function* () {
  const resources = yield* ResourceStore
  const store = yield* EventStore

  /** The page without the owners whom a caller with a limit does not reach. */
  const reached = Effect.fnUntraced(function* (tenantId: string, page: Timeline.TimelinePage<OwnershipEntry>) {
    if ((yield* Caller).limitedTo === undefined) return page
    const slots = page.items.flatMap(({ ownership: { after, before } }) => [before, after])
    const known = yield* Effect.all(
      perOwner((type) =>
        resources.versions(ownerResources[type], tenantId, [...new Set(slots.flatMap((owners) => owners[type] ?? []))])
      )
    )
    const shown = (owners: Owners): Owners =>
      perOwner((type) => (known[type].has(owners[type] ?? "") ? owners[type] : null))
    return {
      ...page,
      items: page.items.map((entry) => ({
        ...entry,
        ownership: { before: shown(entry.ownership.before), after: shown(entry.ownership.after) }
      }))
    }
  })

  return OwnershipChanges.of({
    list: Effect.fn("OwnershipChanges.list")(function* (text, query) {
      const { tenantId } = yield* Caller
      const selection = yield* Effect.fromResult(Timeline.parse(ownershipChanges, query))
      const id = yield* Effect.fromResult(requireId(Credential, text))
      const found = yield* resources.find(Credential, tenantId, id)
      if (Option.isNone(found)) return yield* new ResourceNotFound({ entityType: "credential", id })
      const page = yield* store.ownership(tenantId, id, selection)
      return Timeline.shownPage(ownershipChanges, selection, yield* reached(tenantId, page), show)
    })
  })
})

export const layer = Layer.effect(OwnershipChanges, make)
