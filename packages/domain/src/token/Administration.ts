import { Clock, Context, Effect, Layer, Option, Redacted, Result } from "effect"
import { type Account, isEmail, normalizeEmail } from "../access/Account.ts"
import { NoSuch } from "../access/NoSuch.ts"
import { Forbidden, type Operation, PrivilegeRules, type Role } from "../access/Privilege.ts"
import { isRateLimit, type RateLimit } from "../access/RateLimitTier.ts"
import {
  addingHost,
  type HostChange,
  hostName,
  hostsOfNewTenant,
  removingHost,
  requireRetention,
  requireTimeZone,
  type Tenant
} from "../access/Tenant.ts"
import { type OutlivesMaker, TokenLifetime } from "../access/TokenLifetime.ts"
import { type Actor, type AuditedType, makeAudit } from "../audit/AuditEntry.ts"
import type { CollectionFull } from "../resource/Resource.ts"
import { defaultTimeZone } from "../shared/CalendarDay.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import { decodeArgument, InvalidArgument } from "../shared/InvalidArgument.ts"
import { line } from "../shared/Text.ts"
import { AccessStore, type EmailTaken, type HostTaken } from "./AccessStore.ts"
import { createdBy } from "./CreatedBy.ts"
import { type IssuedReference, type Maker, type MakerEnded, mayMake, revocations } from "./Lineage.ts"
import {
  clientIdLength,
  clientIdPrefix,
  clientSecretLength,
  clientSecretPrefix,
  mayHaveClients,
  type OAuthClient
} from "./OAuthClient.ts"
import * as PersonalToken from "./PersonalToken.ts"
import { checkRoom, TenantCaps } from "./TenantCaps.ts"

/** A new personal token with its secret, which is returned only here (§5.2, item 2a). */
export interface NewToken {
  readonly token: PersonalToken.PersonalToken
  readonly secret: Redacted.Redacted
}

/** A new OAuth client with its secret, which is returned only here (§5.2, item 4). */
export interface NewClient {
  readonly client: OAuthClient
  readonly secret: Redacted.Redacted
}

/** Creates and revokes tenants, users, tokens and clients, for the operator and for users. Every change is audited. */
export class Administration extends Context.Service<
  Administration,
  {
    /** Creates a tenant with its hosts and its service account. */
    readonly createTenant: (
      name: string,
      hosts: ReadonlyArray<string>,
      actor: Actor,
      timeZone?: string
    ) => Effect.Effect<Tenant, InvalidArgument | HostTaken>
    /** Adds a host to a tenant. Does nothing if the tenant has the host. */
    readonly addHost: (
      tenantId: string,
      host: string,
      actor: Actor
    ) => Effect.Effect<Tenant, InvalidArgument | HostTaken | NoSuch>
    /** Removes a host from a tenant. Fails for the last one. */
    readonly removeHost: (
      tenantId: string,
      host: string,
      actor: Actor
    ) => Effect.Effect<Tenant, InvalidArgument | NoSuch>
    /** Sets the time zone of a tenant. Does nothing if the tenant has the zone. */
    readonly setTimeZone: (
      tenantId: string,
      timeZone: string,
      actor: Actor
    ) => Effect.Effect<Tenant, InvalidArgument | NoSuch>
    /** Sets for how many years a tenant keeps workers who have left. `never`: nobody is erased. */
    readonly setRetention: (
      tenantId: string,
      years: string,
      actor: Actor
    ) => Effect.Effect<Tenant, InvalidArgument | NoSuch>
    /** Creates a user. Without `rateLimit` only the deployment's limit applies. */
    readonly createUser: (
      tenantId: string,
      email: string,
      role: Role,
      actor: Actor,
      rateLimit?: RateLimit | null
    ) => Effect.Effect<Account, InvalidArgument | EmailTaken | CollectionFull>
    /** Creates a token of the user with this email. The token does not expire if `lifetimeSeconds` is null. */
    readonly createToken: (
      tenantId: string,
      email: string,
      name: string,
      lifetimeSeconds: number | null,
      actor: Actor
    ) => Effect.Effect<NewToken, InvalidArgument | NoSuch | CollectionFull>
    /**
     * Creates a token with the caller's bearer. The token expires no later than the bearer. If `lifetimeSeconds` is
     * undefined, the token gets the longest lifetime allowed.
     */
    readonly createTokenFor: (
      owner: Account,
      name: string,
      lifetimeSeconds: number | null | undefined,
      actor: Actor
    ) => Effect.Effect<NewToken, InvalidArgument | OutlivesMaker | MakerEnded | CollectionFull>
    /** Revokes the token but not its descendants. Does nothing if the token is already revoked. */
    readonly revokeToken: (tenantId: string, id: string, actor: Actor) => Effect.Effect<void, NoSuch>
    readonly createClient: (
      tenantId: string,
      name: string,
      actor: Actor
    ) => Effect.Effect<NewClient, InvalidArgument | CollectionFull>
    /** Creates a client with the caller's bearer. The client expires when the bearer does. */
    readonly createClientFor: (
      tenantId: string,
      name: string,
      actor: Actor
    ) => Effect.Effect<NewClient, InvalidArgument | MakerEnded | Forbidden | CollectionFull>
    /** Revokes the client and its tokens. Does nothing if the client is already revoked. */
    readonly revokeClient: (tenantId: string, clientId: string, actor: Actor) => Effect.Effect<void, NoSuch>
    /**
     * Revokes a token or client with its descendants in one transaction, if `mayRevoke` allows all that are still live.
     * Returns those that were revoked.
     */
    readonly revokeTree: <E>(
      tenantId: string,
      root: IssuedReference,
      actor: Actor,
      mayRevoke: (live: ReadonlyArray<IssuedReference>) => Result.Result<void, E>
    ) => Effect.Effect<ReadonlyArray<IssuedReference>, NoSuch | E>
  }
>()("@wcs/domain/Administration") {}

/** Checks a display name: one line of 1 to 200 characters without control characters. */
const checkName = (field: string, name: string) =>
  Effect.fromResult(decodeArgument(line(200), { within: field })(name.trim()))

export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const store = yield* AccessStore
  const digest = yield* Digest
  const lifetime = yield* TokenLifetime
  const rules = yield* PrivilegeRules
  const caps = yield* TenantCaps
  const auditId = ids.source("audit")
  const audited = makeAudit(ids)

  const audit = Effect.fnUntraced(function* (
    actor: Actor,
    operation: Operation,
    action: string,
    entityType: AuditedType,
    entityId: string
  ) {
    return yield* audited(actor, { operation, action, entityType, entityId }, yield* Clock.currentTimeMillis)
  })

  /** Changes the hosts of a tenant. The audit entry names the host, because it decides whom its requests reach. */
  const changeHosts = Effect.fnUntraced(function* <E>(
    tenantId: string,
    actor: Actor,
    operation: "CREATE" | "DELETE",
    host: string,
    decide: HostChange<E>
  ) {
    const action = operation === "CREATE" ? "addHost" : "removeHost"
    const entry = yield* audit(actor, operation, action, "host", hostName(host))
    const changed = yield* store.changeHosts(tenantId, decide, entry)
    return Option.isSome(changed) ? changed.value : yield* new NoSuch({ what: "tenant", id: tenantId })
  })

  /** Returns the personal token of the actor; none for another bearer and for the operator. */
  const makerOf = (tenantId: string, { bearer }: Actor) =>
    bearer?.kind === "personal"
      ? store.findPersonalTokenById(tenantId, bearer.id)
      : Effect.succeed(Option.none<PersonalToken.PersonalToken>())

  const createTokenFor: Administration["Service"]["createTokenFor"] = Effect.fn("Administration.createTokenFor")(
    function* (owner, name, lifetimeSeconds, actor) {
      if (typeof lifetimeSeconds === "number" && !PersonalToken.isLifetime(lifetimeSeconds)) {
        const reason = `must be a whole number of seconds from 1 to ${PersonalToken.maxLifetimeSeconds}, or none`
        return yield* new InvalidArgument({ field: "lifetimeSeconds", reason })
      }
      const createdAt = yield* Clock.currentTimeMillis
      const maker = Option.match(yield* makerOf(owner.tenantId, actor), {
        onNone: () => ({ expiresAt: null }),
        onSome: PersonalToken.validityOf
      })
      const { expiresAt } = yield* Effect.fromResult(lifetime.issueWithin(createdAt, lifetimeSeconds, maker))
      const text = PersonalToken.format(yield* ids.secret(PersonalToken.secretLength))
      const by = createdBy(actor)
      const token: PersonalToken.PersonalToken = {
        id: yield* ids.mint("personalToken"),
        tenantId: owner.tenantId,
        accountId: owner.id,
        name: yield* checkName("name", name),
        tokenHash: digest.sha256(text),
        lastFour: text.slice(-4),
        createdAt,
        createdBy: by,
        expiresAt,
        revokedAt: null,
        lastUsedAt: null
      }
      const entry = yield* audit(actor, "CREATE", "create", "accessToken", token.id)
      const judge = (found: Option.Option<Maker>, others: number): Result.Result<void, MakerEnded | CollectionFull> =>
        Result.andThen(mayMake(lifetime, by, found, createdAt), () =>
          checkRoom("accessToken", others, caps.tokensPerUser)
        )
      yield* store.insertPersonalToken(token, entry, judge)
      return { token, secret: Redacted.make(text) }
    }
  )

  const createClientFor: Administration["Service"]["createClientFor"] = Effect.fn("Administration.createClientFor")(
    function* (tenantId, name, actor) {
      const secret = clientSecretPrefix + (yield* ids.secret(clientSecretLength))
      const createdAt = yield* Clock.currentTimeMillis
      const by = createdBy(actor)
      const maker = yield* makerOf(tenantId, actor)
      const client: OAuthClient = {
        clientId: clientIdPrefix + (yield* ids.secret(clientIdLength)),
        tenantId,
        name: yield* checkName("name", name),
        secretHash: digest.sha256(secret),
        secretLastFour: secret.slice(-4),
        createdAt,
        createdBy: by,
        expiresAt: Option.match(maker, { onNone: () => null, onSome: ({ expiresAt }) => expiresAt }),
        revokedAt: null
      }
      const judge = (
        found: Option.Option<Maker>,
        others: number
      ): Result.Result<void, MakerEnded | Forbidden | CollectionFull> =>
        Result.andThen(
          mayMake(lifetime, by, found, createdAt),
          (): Result.Result<void, Forbidden | CollectionFull> =>
            Option.isNone(found) || mayHaveClients(rules, found.value.account)
              ? checkRoom("apiClient", others, caps.clients)
              : Result.fail(new Forbidden({ account: actor.account, operation: "CREATE", entityType: "apiClient" }))
        )
      yield* store.insertClient(client, yield* audit(actor, "CREATE", "create", "apiClient", client.clientId), judge)
      return { client, secret: Redacted.make(secret) }
    }
  )

  return Administration.of({
    createTenant: Effect.fn("Administration.createTenant")(function* (name, hosts, actor, timeZone = defaultTimeZone) {
      const createdAt = yield* Clock.currentTimeMillis
      const tenant: Tenant = {
        id: yield* ids.mint("tenant"),
        name: yield* checkName("name", name),
        timeZone: yield* Effect.fromResult(requireTimeZone(timeZone)),
        hosts: yield* Effect.fromResult(hostsOfNewTenant(hosts))
      }
      const serviceAccount: Account = {
        id: yield* ids.mint("account"),
        tenantId: tenant.id,
        kind: "service",
        email: null,
        role: "Super Admin", // §5.2, item 6
        rateLimit: null,
        workerId: null,
        deactivatedAt: null,
        createdAt
      }
      yield* store.insertTenant(tenant, serviceAccount, yield* audit(actor, "CREATE", "create", "tenant", tenant.id))
      return tenant
    }),
    addHost: Effect.fn("Administration.addHost")((tenantId, host, actor) =>
      changeHosts(tenantId, actor, "CREATE", host, addingHost(host))
    ),
    removeHost: Effect.fn("Administration.removeHost")((tenantId, host, actor) =>
      changeHosts(tenantId, actor, "DELETE", host, removingHost(host)).pipe(
        Effect.catchTag("HostTaken", Effect.die) // no host is added
      )
    ),
    setTimeZone: Effect.fn("Administration.setTimeZone")(function* (tenantId, text, actor) {
      const timeZone = yield* Effect.fromResult(requireTimeZone(text))
      const entry = yield* audit(actor, "UPDATE", "setTimeZone", "tenant", tenantId)
      const changed = yield* store.setTimeZone(tenantId, timeZone, entry)
      return Option.isSome(changed) ? changed.value : yield* new NoSuch({ what: "tenant", id: tenantId })
    }),
    setRetention: Effect.fn("Administration.setRetention")(function* (tenantId, text, actor) {
      const years = yield* Effect.fromResult(requireRetention(text))
      const entry = yield* audit(actor, "UPDATE", "setRetention", "tenant", tenantId)
      const changed = yield* store.setRetention(tenantId, years, entry)
      return Option.isSome(changed) ? changed.value : yield* new NoSuch({ what: "tenant", id: tenantId })
    }),
    createUser: Effect.fn("Administration.createUser")(function* (tenantId, text, role, actor, rateLimit = null) {
      const email = normalizeEmail(text)
      if (!isEmail(email)) return yield* new InvalidArgument({ field: "email", reason: "must be an email address" })
      if (rateLimit !== null && !isRateLimit(rateLimit)) {
        const reason = "must be 1 to 1000000 calls in a window of 1 to 3600 seconds, or null"
        return yield* new InvalidArgument({ field: "rateLimit", reason })
      }
      const account: Account = {
        id: yield* ids.mint("account"),
        tenantId,
        kind: "user",
        email,
        role,
        rateLimit,
        workerId: null,
        deactivatedAt: null,
        createdAt: yield* Clock.currentTimeMillis
      }
      yield* store.insertAccount(account, yield* audit(actor, "CREATE", "create", "account", account.id), (others) =>
        checkRoom("user", others, caps.users)
      )
      return account
    }),
    createToken: Effect.fn("Administration.createToken")(function* (tenantId, email, name, lifetimeSeconds, actor) {
      const owner = yield* store.findAccountByEmail(tenantId, normalizeEmail(email))
      if (Option.isNone(owner)) return yield* new NoSuch({ what: "user", id: email })
      return yield* createTokenFor(owner.value, name, lifetimeSeconds, actor).pipe(
        Effect.catchTag(["OutlivesMaker", "MakerEnded"], Effect.die) // the operator has no bearer
      )
    }),
    createTokenFor,
    revokeToken: Effect.fn("Administration.revokeToken")(function* (tenantId, id, actor) {
      const entry = yield* audit(actor, "DELETE", "revoke", "accessToken", id)
      const found = yield* store.revokePersonalToken(tenantId, id, entry.at, entry)
      if (!found) return yield* new NoSuch({ what: "token", id })
    }),
    createClient: Effect.fn("Administration.createClient")((tenantId, name, actor) =>
      Effect.catchTag(createClientFor(tenantId, name, actor), ["MakerEnded", "Forbidden"], Effect.die)
    ),
    createClientFor,
    revokeClient: Effect.fn("Administration.revokeClient")(function* (tenantId, clientId, actor) {
      const entry = yield* audit(actor, "DELETE", "revoke", "apiClient", clientId)
      const found = yield* store.revokeClient(tenantId, clientId, entry.at, entry)
      if (!found) return yield* new NoSuch({ what: "client", id: clientId })
    }),
    revokeTree: Effect.fn("Administration.revokeTree")(function* (tenantId, root, actor, mayRevoke) {
      const at = yield* Clock.currentTimeMillis
      let ended: ReadonlyArray<IssuedReference> = []
      const found = yield* store.revokeTree(tenantId, root, (live) => {
        ended = live
        return Result.map(mayRevoke(live), () => revocations(live, actor, auditId, at))
      })
      if (!found) return yield* new NoSuch({ what: root.entityType === "apiClient" ? "client" : "token", id: root.id })
      return ended
    })
  })
})

export const layer = Layer.effect(Administration, make)
