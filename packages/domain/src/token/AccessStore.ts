import { Context, Data, type Effect, type Option, type Result } from "effect"
import type { Account } from "../access/Account.ts"
import type { HostChange, Tenant } from "../access/Tenant.ts"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { TimelinePage, TimelineSelection } from "../resource/Timeline.ts"
import type { Instant } from "../shared/Instant.ts"
import type { IssuedReference, Maker } from "./Lineage.ts"
import type { OAuthClient } from "./OAuthClient.ts"
import type { PersonalToken } from "./PersonalToken.ts"
import type { SigningKey } from "./SigningKey.ts"

/** A host is in use by another tenant. */
export class HostTaken extends Data.TaggedError("HostTaken")<{ readonly host: string }> {}

/** The tenant already has a user with this email. */
export class EmailTaken extends Data.TaggedError("EmailTaken")<{ readonly email: string }> {}

/** A personal token with its owner. */
export interface OwnedToken {
  readonly token: PersonalToken
  readonly account: Account
}

/** An OAuth client with the service account of its tenant. */
export interface ActingClient {
  readonly client: OAuthClient
  readonly account: Account
}

/**
 * Stores tenants, accounts, OAuth clients, personal tokens and signing keys. Every write includes its audit entry in
 * the same transaction. Infrastructure failures are defects.
 */
export class AccessStore extends Context.Service<
  AccessStore,
  {
    /**
     * A version of all data that decides whether a token is valid. A change through this process raises the epoch
     * before the change returns. A change by another process raises the epoch within one second. Cached reads stay
     * valid while the epoch is the same.
     */
    readonly epoch: () => number

    /** Stores the tenant, its hosts and its service account in one transaction. */
    readonly insertTenant: (
      tenant: Tenant,
      serviceAccount: Account,
      audit: AuditEntry
    ) => Effect.Effect<void, HostTaken>
    /**
     * Gives a tenant the hosts that `decide` returns for its present ones, with the audit entry in one transaction.
     * Returns the tenant, or none if there is no such tenant. Kept hosts keep their order, and new ones follow. Writes
     * nothing if the hosts stay the same, or if `decide` fails. `decide` is synchronous and may be called more than
     * once.
     */
    readonly changeHosts: <E>(
      tenantId: string,
      decide: HostChange<E>,
      audit: AuditEntry
    ) => Effect.Effect<Option.Option<Tenant>, HostTaken | E>
    /**
     * Sets the time zone of a tenant, with the audit entry in one transaction. Returns the tenant, or none if there is
     * no such tenant. Writes nothing if the tenant has the zone.
     */
    readonly setTimeZone: (
      tenantId: string,
      timeZone: string,
      audit: AuditEntry
    ) => Effect.Effect<Option.Option<Tenant>>
    /** Sets for how many years a tenant keeps workers who have left, or for ever. Otherwise like `setTimeZone`. */
    readonly setRetention: (
      tenantId: string,
      years: number | undefined,
      audit: AuditEntry
    ) => Effect.Effect<Option.Option<Tenant>>
    /**
     * Sets the day from which a tenant needs second factors, or none. Fails as `judge` does about the tenant that the write
     * would replace, which cannot change before the commit. Otherwise like `setTimeZone`.
     */
    readonly setSecondFactorFrom: <E>(
      tenantId: string,
      from: string | undefined,
      audit: AuditEntry,
      judge: (tenant: Tenant) => Result.Result<void, E>
    ) => Effect.Effect<Option.Option<Tenant>, E>
    /** Returns the tenant of a host. `host` must be normalized by `hostName`. */
    readonly findTenantByHost: (host: string) => Effect.Effect<Option.Option<Tenant>>
    /** All tenants, oldest first. */
    readonly listTenants: Effect.Effect<ReadonlyArray<Tenant>>

    /**
     * Stores the user if `judge` succeeds; otherwise fails with the error of `judge` and writes nothing. `judge` gets
     * the number of the tenant's active users, which cannot grow before the commit. `judge` is synchronous and may be
     * called more than once.
     */
    readonly insertAccount: <E>(
      account: Account,
      audit: AuditEntry,
      judge: (others: number) => Result.Result<void, E>
    ) => Effect.Effect<void, EmailTaken | E>
    readonly findAccount: (tenantId: string, id: string) => Effect.Effect<Option.Option<Account>>
    /** Returns the user with this email. `email` must be normalized by `normalizeEmail`. */
    readonly findAccountByEmail: (tenantId: string, email: string) => Effect.Effect<Option.Option<Account>>
    /** Returns the tenant's only service account. */
    readonly serviceAccount: (tenantId: string) => Effect.Effect<Option.Option<Account>>

    /**
     * Stores the client if `judge` succeeds; otherwise fails with the error of `judge` and writes nothing. `judge` gets
     * the creator that `createdBy` names, or none for the operator. It also gets the number of the tenant's clients
     * that are neither revoked nor expired when this one is created. The creator cannot change and the number cannot
     * grow before the commit. `judge` is synchronous and may be called more than once.
     */
    readonly insertClient: <E>(
      client: OAuthClient,
      audit: AuditEntry,
      judge: (maker: Option.Option<Maker>, others: number) => Result.Result<void, E>
    ) => Effect.Effect<void, E>
    /** Returns the tenant's client and service account, even if the client is revoked. */
    readonly findClient: (tenantId: string, clientId: string) => Effect.Effect<Option.Option<ActingClient>>
    /** Returns a page of a tenant's clients. Revoked clients count as deleted. Takes one read, plus one for a total. */
    readonly clients: (
      tenantId: string,
      selection: TimelineSelection<never>
    ) => Effect.Effect<TimelinePage<OAuthClient>>
    /** Returns all clients of a tenant in the order of creation. */
    readonly listClients: (tenantId: string) => Effect.Effect<ReadonlyArray<OAuthClient>>
    /**
     * Revokes the client and returns whether the tenant has it. A client that is already revoked keeps its `revokedAt`.
     */
    readonly revokeClient: (
      tenantId: string,
      clientId: string,
      at: Instant,
      audit: AuditEntry
    ) => Effect.Effect<boolean>

    /** Stores the token if `judge` succeeds. Same contract as `insertClient`, with the number of the owner's tokens. */
    readonly insertPersonalToken: <E>(
      token: PersonalToken,
      audit: AuditEntry,
      judge: (maker: Option.Option<Maker>, others: number) => Result.Result<void, E>
    ) => Effect.Effect<void, E>
    /** Returns the tenant's token with this hash and its owner, even if the token is revoked. */
    readonly findPersonalToken: (tenantId: string, tokenHash: string) => Effect.Effect<Option.Option<OwnedToken>>
    /** Returns the token with this id, even if the token is revoked. */
    readonly findPersonalTokenById: (tenantId: string, id: string) => Effect.Effect<Option.Option<PersonalToken>>
    /** Returns a page of a tenant's tokens. Revoked tokens count as deleted. Takes one read, plus one for a total. */
    readonly personalTokens: (
      tenantId: string,
      selection: TimelineSelection<"accountId">
    ) => Effect.Effect<TimelinePage<PersonalToken>>
    /** Returns all personal tokens of a tenant in the order of creation. */
    readonly listPersonalTokens: (tenantId: string) => Effect.Effect<ReadonlyArray<PersonalToken>>
    /**
     * Revokes the token and returns whether the tenant has it. A token that is already revoked keeps its `revokedAt`.
     */
    readonly revokePersonalToken: (
      tenantId: string,
      id: string,
      at: Instant,
      audit: AuditEntry
    ) => Effect.Effect<boolean>
    /**
     * Revokes a token or client with its descendants, in one transaction, and returns whether the tenant has the root.
     * Descendants are found at any depth, also below revoked ones. `decide` gets those that are not revoked and returns
     * an audit entry for each one to revoke. No new descendant can be stored meanwhile. `decide` is synchronous and may
     * be called more than once; if it fails, nothing is written.
     */
    readonly revokeTree: <E>(
      tenantId: string,
      root: IssuedReference,
      decide: (live: ReadonlyArray<IssuedReference>) => Result.Result<ReadonlyArray<AuditEntry>, E>
    ) => Effect.Effect<boolean, E>
    /** Stores the last use of the token. Ignores an earlier time. Does not change the epoch. */
    readonly touchPersonalToken: (tenantId: string, id: string, at: Instant) => Effect.Effect<void>

    /** All signing keys of every use, newest first. */
    readonly listSigningKeys: Effect.Effect<ReadonlyArray<SigningKey>>
    /**
     * Stores the key unless a key of the same use was created after `unlessSince`. So only one of several servers that
     * start together creates a key.
     */
    readonly insertSigningKey: (key: SigningKey, unlessSince: Instant, audit: AuditEntry) => Effect.Effect<void>
    /**
     * Replaces the sealed private key of a signing key and returns whether it did. Changes nothing if the stored text is
     * not that of `key`.
     */
    readonly resealSigningKey: (key: SigningKey, sealed: string, audit: AuditEntry) => Effect.Effect<boolean>
  }
>()("@wcs/domain/AccessStore") {}
