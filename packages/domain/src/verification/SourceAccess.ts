import { Clock, Effect, Option, Result } from "effect"
import { type Actor, entryOf, serverActing } from "../audit/AuditEntry.ts"
import type { Change, ResourceStore } from "../crud/ResourceStore.ts"
import { storedAfter } from "../crud/ResourceStore.ts"
import { maxPageSize } from "../resource/ListQuery.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import type { Ids } from "../shared/Id.ts"
import type { Seal } from "../shared/Seal.ts"
import type { TenantGateway } from "./TenantGateways.ts"
import {
  afterEvent,
  type SourceResult,
  type StoredSource,
  VerificationSource,
  type VerificationSourceFields
} from "./VerificationSource.ts"

/** Returns the sealing purpose of a secret. The secret of another source does not open. */
export const secretPurposeOf = (id: string): string => `gateway secret of ${id}`

/**
 * Returns a function that reads a tenant's sources, oldest first: the one of a type that is asked, or the first hundred
 * of all types.
 */
export const makeSourcesOf =
  (store: ResourceStore["Service"]) =>
  (tenantId: string, credentialType?: string): Effect.Effect<ReadonlyArray<StoredSource>> =>
    Effect.map(
      store.list(VerificationSource, tenantId, {
        conditions:
          credentialType === undefined ? [] : [{ _tag: "Equal", column: "credential_type", value: credentialType }],
        sort: { column: "created_at", direction: "asc" },
        pageSize: credentialType === undefined ? maxPageSize : 1,
        after: undefined,
        offset: 0,
        includeDeleted: false,
        includeTotal: false
      }),
      ({ items }) => items
    )

/** Returns a function that opens the gateway of a source; undefined without a secret that the master key opens. */
export const makeGatewayOf =
  ({ open }: Seal["Service"]) =>
  ({ fields: { sealedSecret, url }, id }: StoredSource): Effect.Effect<TenantGateway | undefined> =>
    sealedSecret === ""
      ? Effect.undefined
      : open(secretPurposeOf(id), sealedSecret).pipe(
          Effect.map((secret) => ({ sourceId: id, url, secret })),
          Effect.catchTag("SealBroken", (broken) => Effect.as(Effect.logError(broken.message), undefined))
        )

/**
 * Returns a function that stores the result of a question, with an audit entry, and returns the fields of the source.
 * The result is ignored if the gateway was changed meanwhile. A result of the worker is stored only if it says
 * something new; `by` is the caller of a test, which always is stored.
 */
export const makeRecordResult = (store: ResourceStore["Service"], ids: Ids["Service"]) => {
  const auditId = ids.source("audit")
  return Effect.fnUntraced(function* (tenantId: string, asked: StoredSource, result: SourceResult, by?: Actor) {
    const at = yield* Clock.currentTimeMillis
    const actor = by ?? serverActing(ids.ulidAt(at))
    const action = by === undefined ? "asked" : "test"
    const audited = { operation: "UPDATE", action, entityType: "verificationSource", entityId: asked.id } as const
    const change = yield* store.change<VerificationSourceFields, never, Change<VerificationSourceFields>>(
      VerificationSource,
      tenantId,
      asked.id,
      [],
      ({ current }) => {
        const before = Option.getOrElse(current, () => asked)
        const { sealedSecret, url } = before.fields
        const isOurs =
          isVisible(before, false) && url === asked.fields.url && sealedSecret === asked.fields.sealedSecret
        const fields = afterEvent(before.fields, { _tag: "Asked", result, at })
        const isNew =
          fields.lastSuccessAt !== before.fields.lastSuccessAt || fields.lastFault !== before.fields.lastFault
        if (!isOurs || (by === undefined && !isNew)) return Result.succeed({ _tag: "Unchanged", current: before })
        const next = { ...before, version: before.version + 1, updatedAt: at, fields }
        const audit = [entryOf(auditId(), actor, audited, at)]
        return Result.succeed({ _tag: "Changed", next, records: { audit, events: [] } })
      }
    )
    return storedAfter(change).fields
  })
}
