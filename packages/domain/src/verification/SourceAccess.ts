import { Effect, Option, Result } from "effect"
import { entryOf, serverActing } from "../audit/AuditEntry.ts"
import type { Change, ResourceStore } from "../crud/ResourceStore.ts"
import { storedAfter } from "../crud/ResourceStore.ts"
import { maxPageSize } from "../resource/ListQuery.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import type { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
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
 * Returns a function that reads a tenant's sources, those of one type or all, oldest first. Two concurrent creates can
 * both succeed; then the first source of a type counts.
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
 * Returns a function that stores the result of a question, and returns the source. A result is ignored if the gateway
 * was changed meanwhile. Only a change of the state is audited.
 */
export const makeRecordResult = (store: ResourceStore["Service"], ids: Ids["Service"]) => {
  const auditId = ids.source("audit")
  return Effect.fnUntraced(function* (tenantId: string, asked: StoredSource, result: SourceResult, at: Instant) {
    const requestId = ids.ulidAt(at)
    const change = yield* store.change<VerificationSourceFields, never, Change<VerificationSourceFields>>(
      VerificationSource,
      tenantId,
      asked.id,
      [],
      ({ current }) => {
        const before = Option.getOrElse(current, () => asked)
        const { sealedSecret, state, url } = before.fields
        const isAsked = url === asked.fields.url && sealedSecret === asked.fields.sealedSecret
        const fields = afterEvent(before.fields, { _tag: "Asked", result, at })
        const isChanged =
          fields.lastSuccessAt !== before.fields.lastSuccessAt || fields.lastFault !== before.fields.lastFault
        if (!isAsked || !isVisible(before, false) || !isChanged) {
          return Result.succeed({ _tag: "Unchanged", current: before })
        }
        const action = {
          operation: "UPDATE",
          action: "asked",
          entityType: "verificationSource",
          entityId: asked.id
        } as const
        const audit = fields.state === state ? [] : [entryOf(auditId(), serverActing(requestId), action, at)]
        const next = { ...before, version: before.version + 1, updatedAt: at, fields }
        return Result.succeed({ _tag: "Changed", next, records: { audit, events: [] } })
      }
    )
    return storedAfter(change).fields
  })
}
