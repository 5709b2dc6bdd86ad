import { Context, Data, type Effect, type Option, type Result } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { SeriesPage, SeriesSelection } from "../resource/Series.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Account } from "./Account.ts"
import type { IssuedReference, Maker } from "./Lineage.ts"
import type { OAuthClient } from "./OAuthClient.ts"
import type { PersonalToken } from "./PersonalToken.ts"
import type { SigningKey } from "./SigningKey.ts"
import type { Tenant } from "./Tenant.ts"

/** A host is in use by another tenant. */
export class HostTaken extends Data.TaggedError("HostTaken")<{ readonly host: string }> {}

/** A user with this email is there already in the tenant. */
export class EmailTaken extends Data.TaggedError("EmailTaken")<{ readonly email: string }> {}

/** A personal token with what else its validity rests on. */
export interface OwnedToken {
  readonly token: PersonalToken
  readonly account: Account
}

/** An OAuth client with the account that it acts as. */
export interface ActingClient {
  readonly client: OAuthClient
  readonly account: Account
}

/**
 * Who may call: tenants, accounts, OAuth clients, personal tokens and the keys that sign. Every write takes the audit
 * entry that is written with it, in one transaction. Infrastructure failures die.
 */
export class AccessStore extends Context.Service<
  AccessStore,
  {
    /**
     * Moves whenever anything that a token's validity rests on may have changed: at once for a change made through
     * this process, at most a second later for another's. What was read at one epoch holds while it stands.
     */
    readonly epoch: Effect.Effect<number>

    /** Stores the tenant, its hosts and its service account, all or nothing. */
    readonly insertTenant: (
      tenant: Tenant,
      serviceAccount: Account,
      audit: AuditEntry
    ) => Effect.Effect<void, HostTaken>
    /** The tenant that a host, in the form of `hostName`, belongs to. */
    readonly findTenantByHost: (host: string) => Effect.Effect<Option.Option<Tenant>>
    /** All tenants, the oldest first. */
    readonly listTenants: Effect.Effect<ReadonlyArray<Tenant>>

    /** Stores a user. */
    readonly insertAccount: (account: Account, audit: AuditEntry) => Effect.Effect<void, EmailTaken>
    readonly findAccount: (tenantId: string, id: string) => Effect.Effect<Option.Option<Account>>
    /** The user with this email, in the form of `normalizeEmail`. */
    readonly findAccountByEmail: (tenantId: string, email: string) => Effect.Effect<Option.Option<Account>>
    /** The tenant's service account: there is exactly one. */
    readonly serviceAccount: (tenantId: string) => Effect.Effect<Option.Option<Account>>

    /**
     * Stores the client if `judge` allows it. `judge` gets the maker that `createdBy` names, none for the operator; the
     * maker does not change until the client is stored. It is synchronous and may be called again. Fails with what
     * `judge` fails with, and then nothing was written.
     */
    readonly insertClient: <E>(
      client: OAuthClient,
      audit: AuditEntry,
      judge: (maker: Option.Option<Maker>) => Result.Result<void, E>
    ) => Effect.Effect<void, E>
    /** The client and the service account of its tenant, revoked or not. */
    readonly findClient: (clientId: string) => Effect.Effect<Option.Option<ActingClient>>
    /** A page of a tenant's clients; revoked ones count as deleted. One read, and one more where a total is asked for. */
    readonly clients: (tenantId: string, selection: SeriesSelection<never>) => Effect.Effect<SeriesPage<OAuthClient>>
    /** All clients of a tenant, in the order in which they were written. */
    readonly listClients: (tenantId: string) => Effect.Effect<ReadonlyArray<OAuthClient>>
    /** Revokes the client; one that was revoked before keeps its moment. Whether the tenant has such a client. */
    readonly revokeClient: (
      tenantId: string,
      clientId: string,
      at: Instant,
      audit: AuditEntry
    ) => Effect.Effect<boolean>

    /** Stores the token if `judge` allows it, as `insertClient` does. */
    readonly insertPersonalToken: <E>(
      token: PersonalToken,
      audit: AuditEntry,
      judge: (maker: Option.Option<Maker>) => Result.Result<void, E>
    ) => Effect.Effect<void, E>
    /** The token with this hash and its owner, revoked or not. */
    readonly findPersonalToken: (tokenHash: string) => Effect.Effect<Option.Option<OwnedToken>>
    /** The token with this id, revoked or not. */
    readonly findPersonalTokenById: (tenantId: string, id: string) => Effect.Effect<Option.Option<PersonalToken>>
    /** A page of a tenant's tokens; revoked ones count as deleted. One read, and one more where a total is asked for. */
    readonly personalTokens: (
      tenantId: string,
      selection: SeriesSelection<"accountId">
    ) => Effect.Effect<SeriesPage<PersonalToken>>
    /** All personal tokens of a tenant, in the order in which they were written. */
    readonly listPersonalTokens: (tenantId: string) => Effect.Effect<ReadonlyArray<PersonalToken>>
    /** Revokes the token; one that was revoked before keeps its moment. Whether the tenant has such a token. */
    readonly revokePersonalToken: (
      tenantId: string,
      id: string,
      at: Instant,
      audit: AuditEntry
    ) => Effect.Effect<boolean>
    /**
     * Reads the token or client and everything that came from it, at any depth, through revoked ones too. Calls `decide`
     * with those that are not revoked, and revokes what its entries name, with the entries, all in one transaction.
     * Nothing can come from them meanwhile. `decide` is synchronous and may be called again; if it fails, nothing was
     * written. Whether the tenant has such a token or client.
     */
    readonly revokeTree: <E>(
      tenantId: string,
      root: IssuedReference,
      decide: (live: ReadonlyArray<IssuedReference>) => Result.Result<ReadonlyArray<AuditEntry>, E>
    ) => Effect.Effect<boolean, E>
    /** Remembers when the token was last used; never moves back, and does not move the epoch. */
    readonly touchPersonalToken: (id: string, at: Instant) => Effect.Effect<void>

    /** All signing keys, of every use, the newest first. */
    readonly listSigningKeys: Effect.Effect<ReadonlyArray<SigningKey>>
    /** Stores the key unless one of its use made after `unlessSince` is there: of several that start at once one makes it. */
    readonly insertSigningKey: (key: SigningKey, unlessSince: Instant, audit: AuditEntry) => Effect.Effect<void>
  }
>()("@wcs/domain/AccessStore") {}
