import type { Vitest } from "@effect/vitest"
import type { AnswerAccessStore } from "@wcs/domain/answer/AnswerAccessStore"
import type { AccountNames } from "@wcs/domain/audit/AccountNames"
import { type AuditEntry, operatorUrn } from "@wcs/domain/audit/AuditEntry"
import type { AuditSealStore } from "@wcs/domain/audit/AuditSealStore"
import { EventStore } from "@wcs/domain/audit/EventStore"
import type { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { type ChangeRecords, noRecords } from "@wcs/domain/crud/ChangeRecords"
import type { ResourceHistory } from "@wcs/domain/crud/ResourceHistory"
import { type Change, ResourceStore, storedAfter } from "@wcs/domain/crud/ResourceStore"
import type { DocumentContent } from "@wcs/domain/document/DocumentContent"
import type { DocumentStore } from "@wcs/domain/document/DocumentStore"
import type { ErasureStore } from "@wcs/domain/erasure/ErasureStore"
import type { EventDraft } from "@wcs/domain/event/EventDraft"
import type { EventKind } from "@wcs/domain/event/EventKind"
import type { CredentialFields } from "@wcs/domain/holding/Credential"
import type { ImportStore } from "@wcs/domain/import/ImportStore"
import type { LeaseStore } from "@wcs/domain/lease/LeaseStore"
import type { ScanStore } from "@wcs/domain/legacy/ScanStore"
import type { DuplicateStore } from "@wcs/domain/merge/DuplicateStore"
import type { MergeStore } from "@wcs/domain/merge/MergeStore"
import type { MessageStore } from "@wcs/domain/message/MessageStore"
import type { NoteStore } from "@wcs/domain/note/NoteStore"
import { noOwners, type OwnerReference, type Owners } from "@wcs/domain/ownership/Ownership"
import type { ApplicantFields } from "@wcs/domain/people/Applicant"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import type { ProofStore } from "@wcs/domain/proof/ProofStore"
import type { Selection } from "@wcs/domain/resource/ListQuery"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import * as SoftDelete from "@wcs/domain/resource/SoftDelete"
import type { ScheduleStore } from "@wcs/domain/schedule/ScheduleStore"
import type { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import type { SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import type { SessionStore } from "@wcs/domain/session/SessionStore"
import { type IdKind, prefixes } from "@wcs/domain/shared/Id"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { JsonObject } from "@wcs/domain/shared/Json"
import type { SingleSignOnStore } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import type { AccessStore } from "@wcs/domain/token/AccessStore"
import type { UserStore } from "@wcs/domain/user/UserStore"
import type { VerificationStore } from "@wcs/domain/verification/VerificationStore"
import type { WarningStore } from "@wcs/domain/watch/WarningStore"
import type { BacklogStore } from "@wcs/domain/webhook/BacklogStore"
import type { DeliveryStore } from "@wcs/domain/webhook/DeliveryStore"
import { Webhook, type WebhookFields } from "@wcs/domain/webhook/Webhook"
import { Effect, Option, Result } from "effect"

/** The storage ports, which an adapter provides over one state. */
export type Stores =
  | ResourceStore
  | ResourceHistory
  | OwnershipStore
  | AccessStore
  | EventStore
  | AuditSealStore
  | ProofStore
  | AccountNames
  | UserStore
  | ScanStore
  | VerificationStore
  | KeptComplianceStore
  | WarningStore
  | ScheduleStore
  | ErasureStore
  | ImportStore
  | MergeStore
  | DuplicateStore
  | MessageStore
  | AnswerAccessStore
  | DocumentStore
  | DocumentContent
  | NoteStore
  | DeliveryStore
  | BacklogStore
  | LeaseStore
  | SessionStore
  | SecondFactorStore
  | SingleSignOnStore

/** Declares a test that runs on the adapter's layer. */
export type StoresTest = Vitest.MethodsNonLive<Stores>

/** Declares a test with a tenant of its own, which runs on the adapter's layer. */
export type TenantTest = (
  name: string,
  body: (tenant: string) => Generator<Effect.Effect<unknown, unknown, Stores>, void, never>,
  timeout?: number
) => void

/** Gives each test a tenant of its own. `before` runs first: it ends work of other tests that concerns all tenants. */
export const tenantTest =
  (it: StoresTest, before: Effect.Effect<unknown, never, Stores> = Effect.void): TenantTest =>
  (name, body, timeout) =>
    it.effect(
      name,
      () =>
        Effect.andThen(
          before,
          Effect.gen(() => body(freshTenant()))
        ),
      timeout
    )

let minted = 0

/** Sixteen digits, increasing: tests share an engine and never share an id. */
export const digits = (): string => String(++minted).padStart(16, "0")

/** A new id, greater than earlier ones. */
export const mint = (kind: IdKind): string => prefixes[kind] + digits()

/** A new id of a resource, greater than earlier ones. */
export const idFor = ({ naming }: Resource): string => {
  switch (naming.by) {
    case "minting":
      return mint(naming.kind)
    case "code":
      return `c${digits()}`
    case "urn":
      return `urn:wcs:ban:test:${digits()}`
  }
}

/** A tenant for one test. */
export const freshTenant = (): string => mint("tenant")

/** The time base of the tests. */
export const start: Instant = Date.UTC(2026, 0, 31, 9, 30)

/** A resource in its first version. */
export const created = <Fields extends JsonObject>(
  id: string,
  fields: Fields,
  overrides: Partial<Omit<Stored, "id" | "fields">> = {}
): Stored<Fields> => ({ id, version: 1, createdAt: start, updatedAt: start, deletedAt: null, ...overrides, fields })

export const workerFields = (fields: Partial<WorkerFields> = {}): WorkerFields => ({
  identity: { displayName: "Ada Lovelace" },
  ...fields
})

export const applicantFields = (fields: Partial<ApplicantFields> = {}): ApplicantFields => ({
  emailAddress: "ada@example.org",
  status: "NEW",
  ...fields
})

export const credentialFields = (
  owners: Partial<Owners> = {},
  attributes: Partial<CredentialFields["attributes"]> = {}
): CredentialFields => ({
  attributes: { credentialType: "WWCC_NSW", ...attributes, owners: { ...noOwners, ...owners } }
})

export const workerRef = (id: string): OwnerReference => ({ type: "worker", id })
export const applicantRef = (id: string): OwnerReference => ({ type: "applicant", id })

export const auditEntry = (entityId: string, overrides: Partial<AuditEntry> = {}): AuditEntry => ({
  id: mint("audit"),
  account: operatorUrn,
  bearer: null,
  operation: "UPDATE",
  action: "update",
  entityType: "credential",
  entityId,
  requestId: "01K0000000000000000000TEST",
  at: start,
  ...overrides
})

export const eventDraft = (
  subjectId: string,
  kind: EventKind = "credential.updated",
  overrides: Partial<EventDraft> = {}
): EventDraft => ({
  id: mint("event"),
  kind,
  subjectId,
  correlationId: null,
  data: { credential: { id: subjectId } },
  about: { credentialType: null, jurisdiction: null },
  at: start,
  ...overrides
})

/** The arguments of `change` that store a resource. */
export const stored = <Fields extends JsonObject>(
  next: Stored<Fields>,
  records: ChangeRecords = noRecords
): Result.Result<Change<Fields>> => Result.succeed({ _tag: "Changed", next, records })

/** Stores a new resource. */
export const put = Effect.fnUntraced(function* <Fields extends JsonObject>(
  resource: Resource<Fields>,
  tenantId: string,
  next: Stored<Fields>,
  records: ChangeRecords = noRecords
) {
  const store = yield* ResourceStore
  return storedAfter(yield* store.change(resource, tenantId, next.id, [], () => stored(next, records)))
})

/** Stores many resources, concurrently if the adapter can. */
export const putAll = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  tenantId: string,
  rows: ReadonlyArray<Stored<Fields>>
) => Effect.forEach(rows, (row) => put(resource, tenantId, row), { concurrency: "unbounded", discard: true })

/** Stores the next version of an existing resource. */
export const revise = Effect.fnUntraced(function* <Fields extends JsonObject>(
  resource: Resource<Fields>,
  tenantId: string,
  id: string,
  revision: (current: Stored<Fields>) => Stored<Fields>,
  records: ChangeRecords = noRecords
) {
  const store = yield* ResourceStore
  const made = yield* store.change(resource, tenantId, id, [], ({ current }) =>
    stored(revision(Option.getOrThrow(current)), records)
  )
  return storedAfter(made)
})

export const webhookFields: WebhookFields = {
  name: "HR",
  url: "https://receiver.invalid/",
  events: ["credential.created"],
  status: "ACTIVE",
  secrets: []
}

/** Webhooks with a limit per tenant. */
const limited: Resource<WebhookFields> = { ...Webhook, most: 100 }

/** Subscribes a webhook of the tenant to exactly these kinds of event. Creates the webhook if there is none. */
export const subscribe = Effect.fnUntraced(function* (
  tenantId: string,
  webhookId: string,
  kinds: ReadonlyArray<EventKind>
) {
  const store = yield* ResourceStore
  yield* store.change(limited, tenantId, webhookId, [], ({ current }): Result.Result<Change<WebhookFields>> => {
    const next = Option.match(current, {
      onNone: () => created(webhookId, webhookFields),
      onSome: (webhook) => ({ ...webhook, version: webhook.version + 1 })
    })
    return Result.succeed({ _tag: "Changed", next, records: noRecords, subscribesTo: kinds })
  })
})

/** Soft-deletes a resource. */
export const remove = <Fields extends JsonObject>(resource: Resource<Fields>, tenantId: string, id: string) =>
  revise(resource, tenantId, id, (current) => SoftDelete.remove(current, current.updatedAt + 1))

/** The resource with an id, deleted or not. */
export const find = Effect.fnUntraced(function* <Fields extends JsonObject>(
  resource: Resource<Fields>,
  tenantId: string,
  id: string
) {
  const store = yield* ResourceStore
  return Option.getOrUndefined(yield* store.find(resource, tenantId, id))
})

/** A selection of all resources, with changes. */
export const select = (narrowed: Partial<Selection> = {}): Selection => ({
  conditions: [],
  sort: { column: "id", direction: "asc" },
  pageSize: 100,
  after: undefined,
  offset: 0,
  includeDeleted: false,
  includeTotal: false,
  ...narrowed
})

/** A selection of a whole timeline, oldest first. */
export const everything = {
  conditions: [],
  direction: "asc",
  pageSize: 100,
  after: undefined,
  includeDeleted: false,
  includeTotal: false
} as const

/** The ids of a list, in order. */
export const listIds = Effect.fnUntraced(function* <Fields extends JsonObject>(
  resource: Resource<Fields>,
  tenantId: string,
  narrowed: Partial<Selection> = {}
) {
  const store = yield* ResourceStore
  const page = yield* store.list(resource, tenantId, select(narrowed))
  return page.items.map(({ id }) => id)
})

/** The tenant's audit entries, oldest first, after a position, up to a limit. */
export const auditLog = Effect.fnUntraced(function* (tenantId: string, limit = 100, after?: number) {
  const store = yield* EventStore
  return (yield* store.audit(tenantId, { ...everything, pageSize: limit, after })).items
})
