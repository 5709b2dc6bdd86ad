import { Context, type Effect, type Option } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Instant } from "../shared/Instant.ts"

/** A part of a login that may be used only once: a login request, an assertion, an authorization code. */
export interface Ticket {
  /** Unique within the tenant: kind, identity provider and digest. */
  readonly key: string
  /** From then on the part is refused as too old, and the store may delete the ticket. */
  readonly expiresAt: Instant
}

/** The account of a user of an identity provider. */
export interface SubjectBinding {
  readonly tenantId: string
  readonly providerId: string
  /** The identity provider's name of the user, compared exactly. */
  readonly subject: string
  readonly accountId: string
}

/**
 * Stores data of logins through identity providers. Every method sees one tenant only. Infrastructure failures are
 * defects.
 */
export class SingleSignOnStore extends Context.Service<
  SingleSignOnStore,
  {
    /**
     * Uses all tickets, or none if one was already used, and returns whether they were used. Atomic: of concurrent
     * calls with the same ticket, one returns true. Deletes the tenant's tickets that expired before `at`.
     */
    readonly use: (tenantId: string, tickets: ReadonlyArray<Ticket>, at: Instant) => Effect.Effect<boolean>
    /** Returns the account that a subject of an identity provider is bound to. */
    readonly accountOf: (tenantId: string, providerId: string, subject: string) => Effect.Effect<Option.Option<string>>
    /**
     * Binds a subject to an account, with the audit entry, in one transaction. The user of the account has joined then
     * (`UserInvite.joined`), at the time of the entry. Returns false and writes nothing if the
     * provider already has a binding of the subject or of the account.
     */
    readonly bind: (binding: SubjectBinding, audit: AuditEntry) => Effect.Effect<boolean>
    /** Writes only an audit entry, for a refused login. */
    readonly record: (tenantId: string, audit: AuditEntry) => Effect.Effect<void>
  }
>()("@wcs/domain/SingleSignOnStore") {}
