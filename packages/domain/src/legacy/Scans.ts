import { Clock, Context, Effect, Layer } from "effect"
import { Caller } from "../access/Caller.ts"
import { actorOf, makeAudit } from "../audit/AuditEntry.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import * as Credential from "../holding/Credential.ts"
import {
  codeOfType,
  documentOf,
  match,
  type Scan,
  type ScanDocument,
  ScanRequest,
  type ScanStatus,
  scans,
  statusOf
} from "../holding/Scan.ts"
import type { ShownPage } from "../resource/Collection.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import * as Timeline from "../resource/Timeline.ts"
import { dayAt } from "../shared/CalendarDay.ts"
import { Ids } from "../shared/Id.ts"
import { decodeArgument, type InvalidArgument } from "../shared/InvalidArgument.ts"
import type { JsonValue } from "../shared/Json.ts"
import { RequestId } from "../shared/RequestId.ts"
import { Verifications } from "../verification/Verifications.ts"
import { LegacyCaller } from "./LegacyAuthentication.ts"
import { ScanStore } from "./ScanStore.ts"

/** The answer to `POST scan`. */
export interface ScanAnswer {
  readonly correlation_id: string
  readonly status: ScanStatus
  readonly type: string
  readonly identifier: string
}

/** Screening checks that are submitted on the legacy surface (§4.1). */
export class Scans extends Context.Service<
  Scans,
  {
    /**
     * Stores the scan with its outcome. If a credential matches, the same transaction starts its verification. If too
     * many calls already wait for that credential's verdict, the scan joins them and starts none.
     */
    readonly submit: (body: JsonValue) => Effect.Effect<ScanAnswer, InvalidArgument, LegacyCaller | RequestId>
    /** GET of a page on the newer surface. */
    readonly list: (query: ListQuery.Query) => Effect.Effect<ShownPage<ScanDocument>, InvalidArgument, Caller>
  }
>()("@wcs/domain/Scans") {}

const decode = decodeArgument(ScanRequest)

export const make = Effect.gen(function* () {
  const store = yield* ScanStore
  const resources = yield* ResourceStore
  const verifications = yield* Verifications
  const ids = yield* Ids
  const audited = makeAudit(ids)

  const submit: Scans["Service"]["submit"] = Effect.fn("Scans.submit")(function* (body) {
    const { caller } = yield* LegacyCaller
    const requestId = yield* RequestId
    const request = yield* Effect.fromResult(decode(body))
    const { identifier, type } = request
    const credentialType = codeOfType(type) ?? type // the schema has checked the type
    const at = yield* Clock.currentTimeMillis
    const query = { credentialType, identifier, pageSize: "2" }
    const selection = yield* Effect.fromResult(
      ListQuery.parse(Credential.Credential, query, dayAt(at, caller.timeZone))
    )
    const { items } = yield* resources.list(Credential.Credential, caller.tenantId, selection)
    const correlationId = yield* ids.ulid
    const matched = match(request, items)
    const scan = {
      correlationId,
      tenantId: caller.tenantId,
      credentialType,
      identifier,
      firstName: request.first_name,
      surname: request.surname,
      status: statusOf(credentialType, matched.outcome),
      ...matched,
      account: caller.account,
      requestId,
      at
    }
    const actor = actorOf(caller, requestId)
    const auditedAction = { operation: "CREATE", action: "scan", entityType: "scan", entityId: correlationId } as const
    const audit = yield* audited(actor, auditedAction, at)

    const keep = (kept: Scan) => Effect.as(store.insert(kept, audit), kept)
    /** The credential was deleted or changed after it was found, or is the caller's own. */
    const lost: Scan = { ...scan, outcome: "NO_CREDENTIAL", status: "unmatched", credentialId: null }
    const by = { actor, correlationId, trigger: "scan" } as const
    const { status } = yield* scan.status !== "queued" || scan.credentialId === null
      ? keep(scan)
      : verifications.begin(caller, scan.credentialId, by, { audit: [audit], scans: [scan] }).pipe(
          Effect.as(scan),
          Effect.catchTags({
            ResourceNotFound: () => keep(lost),
            NotVerifiable: () => keep(lost),
            OwnCard: () => keep(lost),
            OwnerOutside: () => keep(lost),
            TooManyWaiting: () => keep(scan)
          })
        )
    return { correlation_id: correlationId, status, type, identifier }
  })

  const list: Scans["Service"]["list"] = Effect.fn("Scans.list")(function* (query) {
    const { tenantId } = yield* Caller
    const selection = yield* Effect.fromResult(Timeline.parse(scans, query))
    return Timeline.shownPage(scans, selection, yield* store.list(tenantId, selection), documentOf)
  })

  return Scans.of({ submit, list })
})

export const layer = Layer.effect(Scans, make)
