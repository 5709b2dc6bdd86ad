import { Context, type Effect, type Option, type Result } from "effect"
import type { EmailTaken } from "../access/AccessStore.ts"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { LegacyToken } from "../legacy/LegacyToken.ts"
import type { SeriesPage, SeriesSelection } from "../resource/Series.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Organization, User } from "./User.ts"

/** What becomes of a user, and the entry that is written with it. */
export interface UserChange {
  readonly next: User
  readonly audit: AuditEntry
  /** Ends every legacy token and every session of the user that was not ended before, at this moment. */
  readonly endTokensAt?: Instant
  /** Revoke the OAuth clients that these entries name, and write the entries. */
  readonly revocations?: ReadonlyArray<AuditEntry>
}

/** The user once a change is made: of the account nothing changes but its role and whether it is deactivated. */
export const userAfter = (before: User, next: User): User => ({
  ...next,
  number: before.number,
  account: { ...before.account, role: next.account.role, deactivatedAt: next.account.deactivatedAt }
})

/** A legacy token with the user whose it is. */
export interface UsersToken {
  readonly token: LegacyToken
  readonly user: User
}

/**
 * The people behind accounts, their organization, and the tokens that they hold on the legacy surface. Whatever is
 * written here, a new token apart, moves `AccessStore.epoch`, as a write there does. Every method sees one tenant only.
 * Infrastructure failures die.
 */
export class UserStore extends Context.Service<
  UserStore,
  {
    /** The organization that a tenant is; a tenant that is not there is a defect. */
    readonly organization: (tenantId: string) => Effect.Effect<Organization>
    readonly setAbn: (tenantId: string, abn: string, audit: AuditEntry) => Effect.Effect<void>

    /** Stores a new user, with its account. Returns the user with its number. */
    readonly insert: (user: Omit<User, "number">, audit: AuditEntry) => Effect.Effect<User, EmailTaken>
    /** The user of this account. */
    readonly find: (tenantId: string, accountId: string) => Effect.Effect<Option.Option<User>>
    /** The user whose invite link has a secret of this hash, expired or not. */
    readonly findByInvite: (tenantId: string, tokenHash: string) => Effect.Effect<Option.Option<User>>
    /** A page of a tenant's users. Deactivated ones count as deleted. One read, and one more if a total is asked for. */
    readonly page: (tenantId: string, selection: SeriesSelection<never>) => Effect.Effect<SeriesPage<User>>
    /** The user with this email, in the form of `normalizeEmail`. */
    readonly findByEmail: (tenantId: string, email: string) => Effect.Effect<Option.Option<User>>
    /** The users of a tenant, the oldest first, after the one with this number, at most so many. */
    readonly list: (tenantId: string, afterNumber: number, limit: number) => Effect.Effect<ReadonlyArray<User>>
    /**
     * Reads the user of the account and the ids of the OAuth clients that came from the account and are not revoked. A
     * client came from it if the account made it, or if another such client did. Calls `decide`, and writes what it
     * says, by `userAfter`, with its entries, all in one transaction, or changes nothing. `decide` is synchronous and
     * may be called again. `undefined` leaves all as it is. Returns the user afterwards, or none if there is no such
     * user. `otherSuperAdmins` counts the active Super Admins beside the user; it does not change meanwhile.
     */
    readonly change: <E>(
      tenantId: string,
      accountId: string,
      decide: (
        user: User,
        clients: ReadonlyArray<string>,
        otherSuperAdmins: number
      ) => Result.Result<UserChange | undefined, E>
    ) => Effect.Effect<Option.Option<User>, E>

    /**
     * Stores the token if its user, as they are then, may have it, and says whether they may: no change of the user
     * comes between. None who is not there may. `mayHave` is synchronous and may be called again. Those of the user
     * that had expired when it was issued are forgotten. Does not move the epoch: it changes nothing that was read
     * before, and whoever logs in would make everybody's tokens be read anew.
     */
    readonly insertLegacyToken: (
      token: LegacyToken,
      audit: AuditEntry,
      mayHave: (user: User) => boolean
    ) => Effect.Effect<boolean>
    /** The token with this id and its user, revoked or not. One read. */
    readonly findLegacyToken: (tenantId: string, id: string) => Effect.Effect<Option.Option<UsersToken>>
    /** The tokens of an account, the oldest first, after the one with this id, at most so many. */
    readonly listLegacyTokens: (
      tenantId: string,
      accountId: string,
      afterId: string,
      limit: number
    ) => Effect.Effect<ReadonlyArray<LegacyToken>>
    /** Revokes the token; one that was revoked before keeps its moment. Whether the tenant has such a token. */
    readonly revokeLegacyToken: (tenantId: string, id: string, at: Instant, audit: AuditEntry) => Effect.Effect<boolean>
  }
>()("@wcs/domain/UserStore") {}
