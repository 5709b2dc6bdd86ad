/** Creates webhooks, credentials and calls in any stores. */

import { accountUrn } from "@wcs/domain/access/Account"
import { Caller } from "@wcs/domain/access/Caller"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import type { EventKind } from "@wcs/domain/event/EventKind"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import * as Id from "@wcs/domain/shared/Id"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import * as Verifications from "@wcs/domain/verification/Verifications"
import { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import * as WebhookSecret from "@wcs/domain/webhook/WebhookSecret"
import { serviceAccountFor } from "@wcs/store-suite/access/AccessFixtures"
import { auditEntry } from "@wcs/store-suite/Fixtures"
import { Clock, Effect, Option, Result } from "effect"

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
      holder: { lastName: "Example" },
      owners: { worker: idOf("worker", n), applicant: null }
    }
  })

const callerId = idOf("account", 1)
const actor = { account: accountUrn(callerId), bearer: null, requestId: "01KCZ00000000000000000000Z" }

/** Stores the tenant with the account of the calls, unless it is stored. */
const putCaller = Effect.gen(function* () {
  const access = yield* AccessStore
  if (Option.isSome(yield* access.findAccount(tenantId, callerId))) return
  const tenant = { id: tenantId, name: "first", timeZone: "Australia/Sydney", hosts: [] }
  const account = { ...serviceAccountFor(tenantId), id: callerId }
  yield* access.insertTenant(tenant, account, auditEntry(tenantId, { entityType: "tenant" }))
}).pipe(Effect.orDie)

/** Requests a verdict on the n-th credential without waiting. */
export const verify = (n: number, correlationId: string) =>
  Verifications.Verifications.use((verifications) =>
    verifications.begin({ tenantId, timeZone: "Australia/Sydney", workerId: null }, idOf("credential", n), {
      actor,
      correlationId,
      trigger: "verify"
    })
  )

/** Requests a verdict on the n-th credential and waits. */
export const verifyNow = (n: number, request: Verifications.VerifyRequest) =>
  Effect.andThen(
    putCaller,
    Verifications.Verifications.use((verifications) => verifications.verify(idOf("credential", n), request))
  ).pipe(
    Effect.provideService(Caller, {
      tenantId,
      timeZone: "Australia/Sydney",
      account: actor.account,
      privileges: privilegesOf("Super Admin"),
      bearer: { kind: "password", id: callerId },
      rateLimitKey: "1",
      rateLimit: null,
      workerId: null
    }),
    Effect.provideService(RequestId, actor.requestId)
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
