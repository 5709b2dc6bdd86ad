import { type Account, accountUrn } from "@wcs/domain/access/Account"
import { Caller } from "@wcs/domain/access/Caller"
import * as Privilege from "@wcs/domain/access/Privilege"
import { Ban } from "@wcs/domain/holding/Ban"
import { Credential } from "@wcs/domain/holding/Credential"
import { Exemption } from "@wcs/domain/holding/Exemption"
import * as DuplicatePairs from "@wcs/domain/merge/DuplicatePairs"
import * as Merges from "@wcs/domain/merge/Merges"
import * as Ownership from "@wcs/domain/ownership/Ownership"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import type { Resource } from "@wcs/domain/resource/Resource"
import { FetchRequest } from "@wcs/domain/screening/FetchRequests"
import * as Id from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { allowed, putTenant, user } from "../access/AccessFixtures.ts"
import {
  auditEntry,
  created,
  credentialFields,
  find,
  idFor,
  listIds,
  mint,
  put,
  remove,
  workerFields
} from "../Fixtures.ts"

const services = Layer.mergeAll(
  Notifications.layer,
  Ownership.layer,
  Privilege.layer,
  Layer.provide(Id.layer, SecureRandom.layerWebCrypto)
)
const layer = Layer.provideMerge(Layer.mergeAll(Merges.layer, DuplicatePairs.layer), services)

/** A tenant with an officer. */
export interface World {
  readonly tenantId: string
  readonly account: Account
}

export const begin = Effect.gen(function* () {
  const access = yield* AccessStore
  const { tenant } = yield* putTenant
  const account = user(tenant.id)
  yield* access.insertAccount(account, auditEntry(account.id, { entityType: "account" }), allowed)
  return { account, tenantId: tenant.id } satisfies World
})

const requestId = "01K00000000000000000MERGED"

/** Runs a use case as the officer, or as a caller with other privileges. */
export const as = (
  { account, tenantId }: World,
  privileges: Privilege.Privileges = Privilege.privilegesOf(account.role)
) =>
  Layer.provideMerge(
    layer,
    Layer.mergeAll(
      Layer.succeed(Caller, {
        ...{ tenantId, timeZone: "Australia/Sydney", account: accountUrn(account.id), privileges },
        bearer: { kind: "password", id: account.id },
        ...{ rateLimitKey: account.id, rateLimit: null, workerId: null }
      }),
      Layer.succeed(RequestId, requestId)
    )
  )

export const merge = (world: World, workerId: string, fromId: string) =>
  Effect.provide(
    Merges.Merges.use((merges) => merges.merge(workerId, fromId)),
    as(world)
  )

export const undo = (world: World, mergeId: string) =>
  Effect.provide(
    Merges.Merges.use((merges) => merges.undo(mergeId)),
    as(world)
  )

export const putPerson = (tenant: string, fields: Partial<WorkerFields> = {}) =>
  Effect.map(put(Worker, tenant, created(mint("worker"), workerFields(fields))), ({ id }) => id)

/** A card that a register accepted, or asks a person about. */
export const putCard = (
  tenant: string,
  worker: string,
  attributes: Parameters<typeof credentialFields>[1] = {},
  applicant: string | null = null
) =>
  Effect.map(
    put(Credential, tenant, created(mint("credential"), credentialFields({ worker, applicant }, attributes))),
    ({ id }) => id
  )

/** A fetch request for a type. */
export const putRequest = (tenant: string, worker: string, type: "FIRST_AID" | "WWCC_NSW") =>
  Effect.map(
    put(
      FetchRequest,
      tenant,
      created(mint("captureRequest"), {
        ...{ worker: { id: worker }, requestedCredentialTypes: [type], expiryDays: 14, status: "SENT" as const },
        expiryDate: "2099-12-31"
      })
    ),
    ({ id }) => id
  )

/** One row of each kind about a worker, and a deleted card. */
export const furnish = Effect.fnUntraced(function* (tenant: string, worker: string) {
  const card = yield* putCard(tenant, worker, { identifier: "1111" }, mint("applicant"))
  const deleted = yield* putCard(tenant, worker, { credentialType: "FIRST_AID" })
  yield* remove(Credential, tenant, deleted)
  const exemption = yield* put(
    Exemption,
    tenant,
    created(mint("exemption"), { exemptionType: "MEDICAL", worker: { id: worker } })
  )
  const ban = yield* put(
    Ban,
    tenant,
    created(idFor(Ban), {
      ...{ register: "test", worker: { id: worker }, checkedAt: "2026-01-31T09:30:00Z", matches: [] },
      eligibility: "MAY_ENGAGE" as const
    })
  )
  const request = yield* putRequest(tenant, worker, "FIRST_AID")
  return { card, deleted, exemption: exemption.id, ban: ban.id, request }
})

/** Everything of some workers: the fields of each row, and whether it is deleted. Without versions and times. */
export const contentOf = Effect.fnUntraced(function* (tenant: string) {
  const content: Array<readonly [string, boolean, unknown]> = []
  const resources: ReadonlyArray<Resource> = [Worker, Credential, Exemption, Ban, FetchRequest]
  for (const resource of resources) {
    for (const id of yield* listIds(resource, tenant, { includeDeleted: true })) {
      const stored = yield* find(resource, tenant, id)
      content.push([id, stored?.deletedAt !== null, stored?.fields])
    }
  }
  return content
})
