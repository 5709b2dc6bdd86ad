import type { Account } from "@wcs/domain/access/Account"
import type { OAuthClient } from "@wcs/domain/access/OAuthClient"
import type { PersonalToken } from "@wcs/domain/access/PersonalToken"
import type { SigningKey } from "@wcs/domain/access/SigningKey"
import type { Tenant } from "@wcs/domain/access/Tenant"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import type { LegacyToken } from "@wcs/domain/legacy/LegacyToken"
import type { Scan } from "@wcs/domain/legacy/Scan"
import type { SecondFactor } from "@wcs/domain/login/SecondFactor"
import type { Session } from "@wcs/domain/login/Session"
import type { ChangeRecords } from "@wcs/domain/resource/ChangeRecords"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { JsonObject } from "@wcs/domain/shared/Json"
import type { SubjectBinding } from "@wcs/domain/single-sign-on/SingleSignOnStore"
import type { User } from "@wcs/domain/user/User"
import type { VerificationDraft } from "@wcs/domain/verification/VerificationRecord"
import type { Delivery } from "@wcs/domain/webhook/Delivery"
import type { EventKind } from "@wcs/domain/webhook/EventKind"
import type { StoredEvent } from "@wcs/domain/webhook/EventStore"
import type { WaitingEvent } from "@wcs/domain/webhook/FanOut"
import type { WebhookHealth } from "@wcs/domain/webhook/WebhookHealth"
import { Context, Effect, Layer } from "effect"

/** The resources of one type: its definition tells what the columns hold. */
export interface ResourceTable {
  readonly resource: Resource
  readonly rows: Map<string, Stored>
}

/** That somebody waits for a verdict on a credential. */
export interface VerificationRun {
  readonly attempts: number
  /** Null where it was set aside for a person. */
  readonly dueAt: Instant | null
  readonly lease: string | null
}

export interface KeptDelivery {
  readonly position: number
  delivery: Delivery
}

/** Who holds a webhook, and until when. */
export interface KeptHold {
  readonly holder: string
  readonly until: Instant
}

/** What belongs to one tenant. */
export interface TenantTables {
  readonly id: string
  readonly resources: Map<string, ResourceTable>
  /** The kinds that each subscriber is told of. */
  readonly subscriptions: Map<string, ReadonlySet<EventKind>>
  readonly events: Array<StoredEvent & { readonly position: number }>
  readonly audit: Array<AuditEntry>
  readonly scans: Array<Scan>
  readonly verifications: Array<VerificationDraft>
  /** By the credentials' ids. */
  readonly runs: Map<string, VerificationRun>
  readonly deliveries: Array<KeptDelivery>
  /** By the webhooks' ids, of those to which something was attempted. */
  readonly health: Map<string, WebhookHealth>
  /** By the webhooks' ids: when a delivery was last claimed, and who holds it. */
  readonly servedAt: Map<string, Instant>
  readonly holds: Map<string, KeptHold>
  readonly shared: SharedTables
}

/** What all tenants have one of. */
interface SharedTables {
  /** The events that nobody has sent yet, the oldest first, and from when each can be taken. */
  readonly waiting: Array<{ readonly event: Omit<WaitingEvent, "wasSetAside">; from: Instant }>
  /** A number greater than all before it, for what can be taken away: its place in a list would not last. */
  readonly nextPosition: () => number
}

/** What logins through identity providers leave behind, of all tenants. */
interface SingleSignOnTables {
  /** When each used ticket may be forgotten, by tenant and ticket. */
  readonly tickets: Map<string, Instant>
  readonly bindings: Array<SubjectBinding>
}

/** Who may call, of all tenants, in the order in which it was inserted. */
export interface AccessTables {
  epoch: number
  readonly tenants: Map<string, Tenant>
  readonly accounts: Map<string, Account>
  /** What is known of users beside their accounts; of those who are missing nothing is. */
  readonly people: Map<string, Omit<User, "account" | "number">>
  /** By the tenants' ids. */
  readonly abns: Map<string, string>
  readonly clients: Map<string, OAuthClient>
  readonly personalTokens: Map<string, PersonalToken>
  readonly legacyTokens: Map<string, LegacyToken>
  /** In the order of insertion; a session that is deleted takes its position with it. */
  readonly sessions: Map<string, Session & { readonly position: number }>
  /** By the accounts' ids. */
  readonly secondFactors: Map<string, SecondFactor>
  readonly singleSignOn: SingleSignOnTables
  readonly signingKeys: Map<string, SigningKey>
  /** The entries that no tenant has: those of the keys, which sign for all. */
  readonly audit: Array<AuditEntry>
}

/** The one state that the stores of this package share. */
export class MemoryTables extends Context.Service<
  MemoryTables,
  {
    /** The tables of a tenant, empty where nothing was stored yet. */
    readonly of: (tenantId: string) => TenantTables
    readonly tenants: ReadonlyMap<string, TenantTables>
    readonly access: AccessTables
  } & SharedTables
>()("@wcs/store-memory/MemoryTables") {}

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
  holds: new Map(),
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

/** The resource that a table has under an id. A table holds nothing but what was stored by the same definition. */
export const rowOf = <Fields extends JsonObject>(
  tables: TenantTables,
  resource: Resource<Fields>,
  id: string
): Stored<Fields> | undefined => tableOf(tables, resource).rows.get(id) as Stored<Fields> | undefined

/** Whether a verification has no outcome yet. */
export const isOpen = ({ outcome }: VerificationDraft): boolean => outcome === null

/** The open verifications of a credential, in the order in which they were asked for. */
export const openOf = (tables: TenantTables, credentialId: string): ReadonlyArray<VerificationDraft> =>
  tables.verifications.filter((verification) => verification.credentialId === credentialId && isOpen(verification))

/** Keeps what goes with a change, of the events those that somebody subscribes to. */
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
    shared.waiting.push({ event: { ...event, tenantId }, from: 0 })
  }
  for (const verification of records.verifications ?? []) {
    const { credentialId, requestedAt } = verification
    tables.verifications.push(verification)
    if (isOpen(verification) && !runs.has(credentialId)) {
      runs.set(credentialId, { attempts: 0, dueAt: requestedAt, lease: null })
    }
  }
  for (const { credentialId, dueAt } of records.reruns ?? []) {
    const run = runs.get(credentialId)
    const waits = run?.lease === null && (run.dueAt === null || run.dueAt > dueAt)
    if (waits) runs.set(credentialId, { attempts: 0, dueAt, lease: null })
  }
  tables.scans.push(...(records.scans ?? []))
}

/** Ends the sessions of an account or an identity provider that were not ended before. Returns whether there were any. */
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

/** What every write that a token's validity may rest on ends with. */
export const writeAccess = (tables: MemoryTables["Service"], tenantId: string, audit: AuditEntry): void => {
  tables.of(tenantId).audit.push(audit)
  tables.access.epoch++
}

export const make = Effect.sync(() => {
  const tenants = new Map<string, TenantTables>()
  let position = 0
  const shared: SharedTables = { waiting: [], nextPosition: () => ++position }
  return MemoryTables.of({
    of: (tenantId) => {
      const tables = tenants.get(tenantId) ?? emptyTenant(tenantId, shared)
      tenants.set(tenantId, tables)
      return tables
    },
    tenants,
    ...shared,
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
