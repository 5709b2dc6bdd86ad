import { Clock, Context, Effect, Layer, Result, Schema } from "effect"
import * as Credential from "./Credential.ts"
import { Ids } from "./Id.ts"
import { fromSchemaError, type InvalidArgument } from "./InvalidArgument.ts"
import type { JsonValue } from "./Json.ts"
import { LegacyCaller } from "./LegacyAuthentication.ts"
import * as ListQuery from "./ListQuery.ts"
import { RequestId } from "./RequestId.ts"
import { ResourceStore } from "./ResourceStore.ts"
import { codeOfType, match, ScanRequest } from "./Scan.ts"
import { ScanStore } from "./ScanStore.ts"
import { actorOf, makeAudit } from "./Trail.ts"
import { dayAt } from "./Verification.ts"
import { Verifications } from "./Verifications.ts"

/** The answer to `POST scan` (decisions, section 2). */
export interface ScanQueued {
  readonly correlation_id: string
  readonly status: "queued"
  readonly type: string
  readonly identifier: string
}

/** Screening checks that are submitted on the legacy surface (section 4.1). */
export class Scans extends Context.Service<
  Scans,
  {
    /**
     * Keeps the scan with what it came upon, and in the same step has the credential verified anew where it came upon
     * one. What that is is not told: a number alone shows nobody's record.
     */
    readonly submit: (body: JsonValue) => Effect.Effect<ScanQueued, InvalidArgument, LegacyCaller | RequestId>
  }
>()("@wcs/domain/Scans") {}

const decode = Schema.decodeUnknownResult(ScanRequest)

export const make = Effect.gen(function* () {
  const store = yield* ScanStore
  const resources = yield* ResourceStore
  const verifications = yield* Verifications
  const ids = yield* Ids
  const audited = makeAudit(ids)

  const submit: Scans["Service"]["submit"] = Effect.fn("Scans.submit")(function* (body) {
    const { caller } = yield* LegacyCaller
    const requestId = yield* RequestId
    const request = yield* Effect.fromResult(Result.mapError(decode(body), fromSchemaError))
    const { identifier, type } = request
    const credentialType = codeOfType(type) ?? type // which the schema has found
    const at = yield* Clock.currentTimeMillis
    const query = { credentialType, identifier, pageSize: "2" }
    const selection = yield* Effect.fromResult(ListQuery.parse(Credential.Credential, query, dayAt(at)))
    const { items } = yield* resources.list(Credential.Credential, caller.tenantId, selection)
    const correlationId = yield* ids.ulid
    const scan = {
      correlationId,
      tenantId: caller.tenantId,
      credentialType,
      identifier,
      firstName: request.first_name,
      surname: request.surname,
      ...match(request, items),
      account: caller.account,
      requestId,
      at
    }
    const actor = actorOf(caller, requestId)
    const deed = { operation: "CREATE", action: "scan", entityType: "scan", entityId: correlationId } as const
    const audit = yield* audited(actor, deed, at)
    const by = { actor, correlationId, trigger: "scan" } as const
    const isKept =
      scan.credentialId !== null &&
      (yield* verifications.begin(caller.tenantId, scan.credentialId, by, { audit: [audit], scans: [scan] }))
    if (!isKept) yield* store.insert(scan, audit)
    return { correlation_id: correlationId, status: "queued", type, identifier } as const
  })

  return Scans.of({ submit })
})

export const layer: Layer.Layer<Scans, never, ScanStore | ResourceStore | Verifications | Ids> = Layer.effect(
  Scans,
  make
)
