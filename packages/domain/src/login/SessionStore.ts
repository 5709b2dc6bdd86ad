import { Context, type Effect, type Option } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { SeriesPage, SeriesSelection } from "../resource/Series.ts"
import type { Instant } from "../shared/Instant.ts"
import type { OwnedSession, Session } from "./Session.ts"

/**
 * The sessions of people in browsers. Every write but `touch` moves `AccessStore.epoch`, and takes the audit entry that
 * is written with it, in one transaction. Infrastructure failures die.
 */
export class SessionStore extends Context.Service<
  SessionStore,
  {
    /**
     * Stores the session. Ends `replaces`, the id of the session that it takes the place of, in the same transaction.
     * Deletes the account's sessions whose absolute limit had passed when this one was created.
     */
    readonly insert: (session: Session, audit: AuditEntry, replaces: string | null) => Effect.Effect<void>
    /** The session with this token hash and its account, ended or not. */
    readonly find: (tokenHash: string) => Effect.Effect<Option.Option<OwnedSession>>
    /** The session with this id, ended or not. */
    readonly findById: (tenantId: string, id: string) => Effect.Effect<Option.Option<Session>>
    /** A page of a tenant's sessions. Ended ones count as deleted. One read, and one more if a total is asked for. */
    readonly page: (tenantId: string, selection: SeriesSelection<"accountId">) => Effect.Effect<SeriesPage<Session>>
    /** Ends the session. A session that was ended before keeps its moment. Returns whether the tenant has it. */
    readonly revoke: (tenantId: string, id: string, at: Instant, audit: AuditEntry) => Effect.Effect<boolean>
    /** Ends all sessions of an account that were not ended before, except `keep`. Writes nothing if there are none. */
    readonly revokeAll: (
      tenantId: string,
      accountId: string,
      keep: string | null,
      at: Instant,
      audit: AuditEntry
    ) => Effect.Effect<void>
    /** Ends all sessions of an identity provider that were not ended before. Writes nothing if there are none. */
    readonly revokeOfProvider: (
      tenantId: string,
      providerId: string,
      at: Instant,
      audit: AuditEntry
    ) => Effect.Effect<void>
    /** Stores when the session was last used. Never moves back, and does not move the epoch. */
    readonly touch: (id: string, at: Instant) => Effect.Effect<void>
  }
>()("@wcs/domain/SessionStore") {}
