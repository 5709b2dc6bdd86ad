/** Creates webhooks, credentials and calls in any stores. */

import { Caller } from "@wcs/domain/access/Caller"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { EventKind } from "@wcs/domain/event/EventKind"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import * as Id from "@wcs/domain/shared/Id"
import { RequestId } from "@wcs/domain/shared/RequestId"
import * as Verifications from "@wcs/domain/verification/Verifications"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import * as WebhookSecret from "@wcs/domain/webhook/WebhookSecret"
import { Clock, Effect, Result } from "effect"

export const tenantId = "tnt_0000000000000001"

export const idOf = (kind: Id.IdKind, n: number): string => Id.prefixes[kind] + String(n).padStart(16, "0")

export const webhookIdOf = (n: number): string => idOf("webhook", n)

const create = <Fields extends WebhookFields | CredentialFields>(
  resource: Resource<Fields>,
  id: string,
  fields: Fields,
  subscribesTo: ReadonlyArray<EventKind> = []
) =>
  Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const next: Stored<Fields> = { id, version: 1, createdAt: now, updatedAt: now, deletedAt: null, fields }
    const store = yield* ResourceStore
    yield* store.change(resource, tenantId, id, [], () =>
      Result.succeed({ _tag: "Changed", next, records: noRecords, subscribesTo } as const)
    )
  })

/** The n-th webhook, subscribed to verdicts, with its receiver at the URL. Returns its secret. */
export const seedWebhook = Effect.fnUntraced(function* (n: number, url: string) {
  const secret = yield* WebhookSecret.mint
  const id = webhookIdOf(n)
  const kept = yield* WebhookSecret.keep(id, secret, yield* Clock.currentTimeMillis)
  const events: ReadonlyArray<EventKind> = ["credential.verified"]
  const fields: WebhookFields = { name: `webhook ${n}`, url, events, status: "ACTIVE", secrets: [kept] }
  yield* create(Webhook, id, fields, events)
  return secret
})

/** The n-th credential, of a type with a register. */
export const putCredential = (n: number, jurisdiction: "VIC" | "SA" = "VIC") =>
  create(Credential, idOf("credential", n), {
    attributes: {
      credentialType: `WWCC_${jurisdiction}`,
      jurisdiction,
      identifier: `${n}`.padStart(8, "0"),
      owners: { worker: idOf("worker", n), applicant: null }
    }
  })

/** Requests a verdict on the n-th credential without waiting. */
export const verify = (n: number, correlationId: string) =>
  Verifications.Verifications.use((verifications) =>
    verifications.begin({ tenantId, timeZone: "Australia/Sydney" }, idOf("credential", n), {
      actor: { account: "urn:wcs:account:1", bearer: null, requestId: "01KCZ00000000000000000000Z" },
      correlationId,
      trigger: "verify"
    })
  )

/** Requests a verdict on the n-th credential and waits. */
export const verifyNow = (n: number, request: Verifications.VerifyRequest) =>
  Verifications.Verifications.use((verifications) => verifications.verify(idOf("credential", n), request)).pipe(
    Effect.provideService(Caller, {
      tenantId,
      timeZone: "Australia/Sydney",
      account: "urn:wcs:account:1",
      privileges: privilegesOf("Super Admin"),
      bearer: { kind: "personal", id: "pat_0000000000000001" },
      rateLimitKey: "1",
      rateLimit: null
    }),
    Effect.provideService(RequestId, "01KCZ00000000000000000000Z")
  )

/** Every delivery of the n-th webhook, in order of creation. */
export const deliveriesOf = (n: number) =>
  DeliveryStore.use((store) =>
    store.list(tenantId, webhookIdOf(n), {
      conditions: [],
      direction: "asc",
      pageSize: 10_000,
      after: undefined,
      includeDeleted: false,
      includeTotal: false
    })
  ).pipe(Effect.map(({ items }) => items))
