import { Context, type Effect, type Option, type Result } from "effect"
import type { Account } from "../access/Account.ts"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { TimelinePage, TimelineSelection } from "../resource/Timeline.ts"
import type { Session } from "../session/Session.ts"
import type { Instant } from "../shared/Instant.ts"
import { equals } from "../shared/Json.ts"
import type { EmailTaken } from "../token/AccessStore.ts"
import type { LegacyToken } from "../token/LegacyToken.ts"
import type { LoginState } from "./LoginState.ts"
import type { Organization, User } from "./User.ts"

/** A change of a user, with its audit entry. */
export interface UserChange {
  readonly next: User
  readonly audit: AuditEntry
  /** Ends all live legacy tokens and sessions of the user at this time. */
  readonly endTokensAt?: Instant
  /** Also revokes all personal tokens of the user at this time. */
  readonly revokeTokensAt?: Instant
  /** A session to start, with its audit entry, after the others have ended. */
  readonly session?: { readonly session: Session; readonly audit: AuditEntry }
  /** Audit entries that name the OAuth clients to revoke. */
  readonly revocations?: ReadonlyArray<AuditEntry>
}

/**
 * Returns the stored user after a change. Only the account's role, worker and deactivation can change. A change of the
 * role ends the invite link, which was made for the former role.
 */
export const userAfter = (before: User, next: User): User => ({
  ...next,
  number: before.number,
  invite: equals(before.account.role, next.account.role) ? next.invite : null,
  account: {
    ...before.account,
    role: next.account.role,
    workerId: next.account.workerId,
    deactivatedAt: next.account.deactivatedAt
  }
})

/** A legacy token with its user. */
export interface UsersToken {
  readonly token: LegacyToken
  readonly user: User
}

/**
 * Stores users, their organization and their legacy tokens. Every write except a new token raises `AccessStore.epoch`.
 * Every method sees one tenant only. Infrastructure failures are defects.
 */
export class UserStore extends Context.Service<
  UserStore,
  {
    /** Returns the tenant's organization. An unknown tenant is a defect. */
    readonly organization: (tenantId: string) => Effect.Effect<Organization>
    readonly setAbn: (tenantId: string, abn: string, audit: AuditEntry) => Effect.Effect<void>

    /** Stores a new user with its account. Returns the user with its number. `judge` as in `AccessStore.insertAccount`. */
    readonly insert: <E>(
      user: Omit<User, "number">,
      audit: AuditEntry,
      judge: (others: number) => Result.Result<void, E>
    ) => Effect.Effect<User, EmailTaken | E>
    /** Returns the user of this account. */
    readonly find: (tenantId: string, accountId: string) => Effect.Effect<Option.Option<User>>
    /** Returns the user of the invite link with this hash, even if expired. */
    readonly findByInvite: (tenantId: string, tokenHash: string) => Effect.Effect<Option.Option<User>>
    /** Returns a page of a tenant's users, by `wordsOfUser`. Deactivated users count as deleted. Bounded reads. */
    readonly page: (tenantId: string, selection: TimelineSelection<never>) => Effect.Effect<TimelinePage<User>>
    /** Returns the user with this email. `email` must be normalized by `normalizeEmail`. */
    readonly findByEmail: (tenantId: string, email: string) => Effect.Effect<Option.Option<User>>
    /** Returns the logins of these users, by id. A user without any can be absent. Two reads. */
    readonly logins: (
      tenantId: string,
      accountIds: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyMap<string, LoginState>>
    /** Returns at most `limit` users of a tenant after this number, oldest first. */
    readonly list: (tenantId: string, afterNumber: number, limit: number) => Effect.Effect<ReadonlyArray<User>>
    /**
     * Reads the user and the ids of the OAuth clients descended from the account that are not revoked. A client
     * descends from the account if the account, or another such client, created it. Calls `decide` and writes the
     * result, by `userAfter`, with its entries in one transaction. `undefined` changes nothing. Returns the changed
     * user, or none if there is no such user. `otherSuperAdmins` is the number of other active Super Admins; it cannot
     * change before the commit. For a deactivated user, `otherUsers` is the number of the tenant's active users, which
     * cannot grow before the commit; otherwise 0. `inviter` is the account of `invitedBy`. `decide` is synchronous and may be called more than once.
     */
    readonly change: <E>(
      tenantId: string,
      accountId: string,
      decide: (
        user: User,
        clients: ReadonlyArray<string>,
        otherSuperAdmins: number,
        otherUsers: number,
        inviter: Option.Option<Account>
      ) => Result.Result<UserChange | undefined, E>
    ) => Effect.Effect<Option.Option<User>, E>

    /**
     * Stores the token if `mayHave` is true for its user, and returns whether it was stored; false for an unknown user.
     * The user cannot change before the commit. `mayHave` is synchronous and may be called more than once. Deletes the
     * user's tokens that had expired at the time of issue. Does not raise the epoch: no earlier read becomes stale, and
     * each login would otherwise empty the token caches.
     */
    readonly insertLegacyToken: (
      token: LegacyToken,
      audit: AuditEntry,
      mayHave: (user: User) => boolean
    ) => Effect.Effect<boolean>
    /** Returns the token with this id and its user, even if revoked. One read. */
    readonly findLegacyToken: (tenantId: string, id: string) => Effect.Effect<Option.Option<UsersToken>>
    /** Returns at most `limit` tokens of an account after this id, oldest first. */
    readonly listLegacyTokens: (
      tenantId: string,
      accountId: string,
      afterId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<LegacyToken>>
    /**
     * Revokes the token and returns whether the tenant has it. A token that is already revoked keeps its `revokedAt`.
     */
    readonly revokeLegacyToken: (tenantId: string, id: string, at: Instant, audit: AuditEntry) => Effect.Effect<boolean>
  }
>()("@wcs/domain/UserStore") {}
