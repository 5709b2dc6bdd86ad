import type { Account } from "@wcs/domain/access/Account"
import type { Tenant } from "@wcs/domain/access/Tenant"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { AuditSeal } from "@wcs/domain/audit/AuditSeal"
import type { StoredEvent } from "@wcs/domain/audit/EventStore"
import type { ChangeRecords } from "@wcs/domain/crud/ChangeRecords"
import type { EventKind } from "@wcs/domain/event/EventKind"
import type { WebhookHealth } from "@wcs/domain/event/WebhookHealth"
import type { Scan } from "@wcs/domain/holding/Scan"
import type { VerificationDraft } from "@wcs/domain/holding/VerificationRecord"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import type { SecondFactor } from "@wcs/domain/second-factor/SecondFactor"
import type { Session } from "@wcs/domain/session/Session"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { JsonObject } from "@wcs/domain/shared/Json"
import type { SubjectBinding } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import type { LegacyToken } from "@wcs/domain/token/LegacyToken"
import type { OAuthClient } from "@wcs/domain/token/OAuthClient"
import type { PersonalToken } from "@wcs/domain/token/PersonalToken"
import type { SigningKey } from "@wcs/domain/token/SigningKey"
import type { User } from "@wcs/domain/user/User"
import type { Delivery } from "@wcs/domain/webhook/Delivery"
import type { WaitingEvent } from "@wcs/domain/webhook/FanOut"
import { Context, Effect, Layer } from "effect"

/** The resources of one type. */
export interface ResourceTable {
  readonly resource: Resource
  readonly rows: Map<string, Stored>
}

/** A run: at least one open verification of a credential. */
export interface VerificationRun {
  readonly attempts: number
  /** Null while the run waits for a person. */
  readonly dueAt: Instant | null
}

export interface KeptDelivery {
  readonly position: number
  delivery: Delivery
}

/** The tables of one tenant. */
export interface TenantTables {
  readonly id: string
  readonly resources: Map<string, ResourceTable>
  /** The event kinds of each subscriber. */
  readonly subscriptions: Map<string, ReadonlySet<EventKind>>
  readonly events: Array<StoredEvent & { readonly position: number }>
  readonly audit: Array<AuditEntry>
  readonly scans: Array<Scan>
  readonly verifications: Array<VerificationDraft>
  /** By credential id. */
  readonly runs: Map<string, VerificationRun>
  readonly deliveries: Array<KeptDelivery>
  /** By webhook id, for webhooks with attempts. */
  readonly health: Map<string, WebhookHealth>
  /** By webhook id: when results were last stored. */
  readonly servedAt: Map<string, Instant>
  readonly shared: SharedTables
}

export interface UnsentEvent {
  readonly event: Omit<WaitingEvent, "isRetry">
  state: "pending" | "retrying" | "dead"
  /** When a retrying event is tried again; null otherwise. */
  retryAt: Instant | null
}

/** State that all tenants share. */
interface SharedTables {
  /** The events that are not sent yet, oldest first. */
  readonly unsent: Array<UnsentEvent>
  /** A growing number, for rows that can be deleted: a list index would not be stable. */
  readonly nextPosition: () => number
}

/** State of single sign-on, of all tenants. */
interface SingleSignOnTables {
  /** When each used ticket may be deleted, by tenant and ticket. */
  readonly tickets: Map<string, Instant>
  readonly bindings: Array<SubjectBinding>
}

/** Accounts and credentials of callers, of all tenants, in insertion order. */
export interface AccessTables {
  epoch: number
  readonly tenants: Map<string, Tenant>
  readonly accounts: Map<string, Account>
  /** User data beside the accounts. Missing for accounts without any. */
  readonly people: Map<string, Omit<User, "account" | "number">>
  /** By tenant id. */
  readonly abns: Map<string, string>
  readonly clients: Map<string, OAuthClient>
  readonly personalTokens: Map<string, PersonalToken>
  readonly legacyTokens: Map<string, LegacyToken>
  /** In insertion order. A deleted session takes its position with it. */
  readonly sessions: Map<string, Session & { readonly position: number }>
  /** By account id. */
  readonly secondFactors: Map<string, SecondFactor>
  readonly singleSignOn: SingleSignOnTables
  readonly signingKeys: Map<string, SigningKey>
  /** Entries without a tenant: those of the signing keys, which all tenants share. */
  readonly audit: Array<AuditEntry>
}

/** The state that the stores of this package share. */
export class MemoryTables extends Context.Service<
  MemoryTables,
  {
    /** The tables of a tenant, created empty when missing. */
    readonly of: (tenantId: string) => TenantTables
    readonly tenants: ReadonlyMap<string, TenantTables>
    readonly access: AccessTables
    /** The seals of the audit log by tenant, '' for the deployment, oldest first. */
    readonly seals: Map<string, ReadonlyArray<AuditSeal>>
  } & SharedTables
>()("@wcs/store-memory/MemoryTables") {}

export type Tables = MemoryTables["Service"]

const emptyTenant = (id: string, shared: SharedTables): TenantTables => ({
  id,
  resources: new Map(),
  subscriptions: new Map(),
  events: [],
  audit: [],
  scans: [],
  verifications: [],
  runs: new Map(),
  deliveries: [],
  health: new Map(),
  servedAt: new Map(),
  shared
})

/** The table of a resource. */
export const tableOf = <Fields extends JsonObject>(tables: TenantTables, resource: Resource<Fields>): ResourceTable => {
  const existing = tables.resources.get(resource.type)
  if (existing !== undefined) return existing
  const table: ResourceTable = { resource, rows: new Map() }
  tables.resources.set(resource.type, table)
  return table
}

/** The resource with an id. A table only has rows of its own definition. */
export const rowOf = <Fields extends JsonObject>(
  tables: TenantTables,
  resource: Resource<Fields>,
  id: string
): Stored<Fields> | undefined => tableOf(tables, resource).rows.get(id) as Stored<Fields> | undefined

/** Whether a verification has no outcome yet. */
export const isOpen = ({ outcome }: VerificationDraft): boolean => outcome === null

/** The open verifications of a credential, in order of request. */
export const openOf = (tables: TenantTables, credentialId: string): ReadonlyArray<VerificationDraft> =>
  tables.verifications.filter((verification) => verification.credentialId === credentialId && isOpen(verification))

/** Stores the records of a change. Of the events only those with a subscriber. */
export const writeRecords = (
  tables: TenantTables,
  records: ChangeRecords,
  sequenceOf: (subjectId: string) => number
): void => {
  const { id: tenantId, runs, shared } = tables
  tables.audit.push(...records.audit)
  const subscribed = new Set([...tables.subscriptions.values()].flatMap((kinds) => [...kinds]))
  for (const draft of records.events.filter(({ kind }) => subscribed.has(kind))) {
    const event = { ...draft, sequence: draft.sequence ?? sequenceOf(draft.subjectId) }
    tables.events.push({ ...event, position: shared.nextPosition() })
    shared.unsent.push({ event: { ...event, tenantId, traceparent: null }, state: "pending", retryAt: null })
  }
  for (const verification of records.verifications ?? []) {
    const { credentialId, requestedAt } = verification
    tables.verifications.push(verification)
    if (isOpen(verification) && !runs.has(credentialId)) {
      runs.set(credentialId, { attempts: 0, dueAt: requestedAt })
    }
  }
  for (const { credentialId, dueAt } of records.reruns ?? []) {
    const run = runs.get(credentialId)
    const waits = run !== undefined && (run.dueAt === null || run.dueAt > dueAt)
    if (waits) runs.set(credentialId, { attempts: 0, dueAt })
  }
  tables.scans.push(...(records.scans ?? []))
}

/** The number of a tenant's users that are not deactivated. */
export const activeUsers = ({ accounts }: AccessTables, tenant: string): number =>
  [...accounts.values()].filter(
    ({ deactivatedAt, kind, tenantId }) => tenantId === tenant && kind === "user" && deactivatedAt === null
  ).length

/** Ends the active sessions of an account or an identity provider. Returns whether there were any. */
export const endSessions = (
  { sessions }: AccessTables,
  of: { readonly accountId: string } | { readonly tenantId: string; readonly providerId: string },
  at: Instant,
  keep: string | null = null
): boolean => {
  const isOf = (session: Session) =>
    "accountId" in of
      ? session.accountId === of.accountId
      : session.tenantId === of.tenantId && session.providerId === of.providerId
  const live = [...sessions.values()].filter(
    (session) => isOf(session) && session.revokedAt === null && session.id !== keep
  )
  for (const session of live) sessions.set(session.id, { ...session, revokedAt: at })
  return live.length > 0
}

/** Ends every write that can change the validity of tokens: adds the audit entry and raises the epoch. */
export const writeAccess = (tables: Tables, tenantId: string, audit: AuditEntry): void => {
  tables.of(tenantId).audit.push(audit)
  tables.access.epoch++
}

export const make = Effect.sync(() => {
  const tenants = new Map<string, TenantTables>()
  let position = 0
  const shared: SharedTables = { unsent: [], nextPosition: () => ++position }
  return MemoryTables.of({
    of: (tenantId) => {
      const tables = tenants.get(tenantId) ?? emptyTenant(tenantId, shared)
      tenants.set(tenantId, tables)
      return tables
    },
    tenants,
    ...shared,
    seals: new Map(),
    access: {
      epoch: 0,
      tenants: new Map(),
      accounts: new Map(),
      people: new Map(),
      abns: new Map(),
      clients: new Map(),
      personalTokens: new Map(),
      legacyTokens: new Map(),
      sessions: new Map(),
      secondFactors: new Map(),
      singleSignOn: { tickets: new Map(), bindings: [] },
      signingKeys: new Map(),
      audit: []
    }
  })
})

export const layer: Layer.Layer<MemoryTables> = Layer.effect(MemoryTables, make)
