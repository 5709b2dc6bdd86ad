import { Context, type Effect, type Option } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { TimelinePage, TimelineSelection } from "../resource/Timeline.ts"
import type { Instant } from "../shared/Instant.ts"
import type { LoginBasis } from "./LoginBasis.ts"
import type { OwnedSession, Session } from "./Session.ts"

/**
 * Stores browser sessions. Every write except `touch` raises `AccessStore.epoch` and includes its audit entry in the
 * same transaction. Infrastructure failures are defects.
 */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /**
     * Stores the session and ends `replaces`, the session that it replaces, in one transaction with one audit entry.
     * `replaces` ends at the `createdAt` of the new session. Returns false and writes nothing if `holds` is false, or
     * if `replaces` names a revoked session or none of the tenant. The basis that `holds` gets cannot change before the
     * commit. It is undefined if the tenant has no such account. `holds` is synchronous and may be called more than
     * once. Deletes the account's sessions that were past their absolute limit when this one was created.
     */
    readonly insert: (
      session: Session,
      audit: AuditEntry,
      replaces: string | null,
      holds: (basis: LoginBasis | undefined) => boolean
    ) => Effect.Effect<boolean>
    /** Returns the tenant's session with this token hash and its account, even if ended. */
    readonly find: (tenantId: string, tokenHash: string) => Effect.Effect<Option.Option<OwnedSession>>
    /** Returns the session with this id, even if ended. */
    readonly findById: (tenantId: string, id: string) => Effect.Effect<Option.Option<Session>>
    /** Returns a page of a tenant's sessions. Revoked ones count as deleted. Takes one read, plus one for a total. */
    readonly page: (tenantId: string, selection: TimelineSelection<"accountId">) => Effect.Effect<TimelinePage<Session>>
    /**
     * Ends the session and returns whether the tenant has it. A session that has already ended keeps its `revokedAt`.
     */
    readonly revoke: (tenantId: string, id: string, at: Instant, audit: AuditEntry) => Effect.Effect<boolean>
    /** Ends all live sessions of an account except `keep`. Writes nothing if there are none. */
    readonly revokeAll: (
      tenantId: string,
      accountId: string,
      keep: string | null,
      at: Instant,
      audit: AuditEntry
    ) => Effect.Effect<void>
    /** Ends all live sessions of an identity provider. Writes nothing if there are none. */
    readonly revokeOfProvider: (
      tenantId: string,
      providerId: string,
      at: Instant,
      audit: AuditEntry
    ) => Effect.Effect<void>
    /** Stores the last use of the session. Ignores an earlier time. Does not change the epoch. */
    readonly touch: (tenantId: string, id: string, at: Instant) => Effect.Effect<void>
  }
>()("@wcs/domain/SessionStore") {}
