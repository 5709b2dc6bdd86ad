import { Context, type Effect, type Option } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Instant } from "../shared/Instant.ts"

/** Something of a login that counts once: a login request, an assertion, an authorization code. */
export interface Ticket {
  /** Unique within the tenant: its kind, its identity provider and a digest. */
  readonly key: string
  /** From this moment on it is refused because of its age, and the store may forget it. */
  readonly expiresAt: Instant
}

/** A person at an identity provider, and the account that they log in to. */
export interface SubjectBinding {
  readonly tenantId: string
  readonly providerId: string
  /** The name that the identity provider has for the person, compared exactly. */
  readonly subject: string
  readonly accountId: string
}

/** What logins through identity providers leave behind. Every method sees one tenant only. Infrastructure failures die. */
export class SingleSignOnStore extends Context.Service<
  SingleSignOnStore,
  {
    /**
     * Uses all tickets together, or none if one was used before. Returns whether they were used now: of calls that
     * come together with the same ticket, one gets true. Forgets the tenant's tickets that expired before `at`.
     */
    readonly use: (tenantId: string, tickets: ReadonlyArray<Ticket>, at: Instant) => Effect.Effect<boolean>
    /** The account that a subject of an identity provider is bound to. */
    readonly accountOf: (tenantId: string, providerId: string, subject: string) => Effect.Effect<Option.Option<string>>
    /**
     * Binds a subject to an account, with the audit entry, in one transaction. Writes nothing and returns false if the
     * provider has a binding of the subject or of the account already.
     */
    readonly bind: (binding: SubjectBinding, audit: AuditEntry) => Effect.Effect<boolean>
    /** Writes an audit entry by itself: of a login that was refused. */
    readonly record: (tenantId: string, audit: AuditEntry) => Effect.Effect<void>
  }
>()("@wcs/domain/SingleSignOnStore") {}
