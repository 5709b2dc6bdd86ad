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
import { type Caps, checkRoom, TenantCaps } from "./TenantCaps.ts"

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

interface Services {
  readonly store: AccessStore["Service"]
  readonly ids: Ids["Service"]
  readonly digest: Digest["Service"]
  readonly lifetime: TokenLifetime["Service"]
  readonly rules: PrivilegeRules["Service"]
  readonly caps: Caps
  readonly auditId: ReturnType<Ids["Service"]["source"]>
  readonly audited: ReturnType<typeof makeAudit>
}

const audit = Effect.fnUntraced(function* (
  { audited }: Services,
  actor: Actor,
  operation: Operation,
  action: string,
  entityType: AuditedType,
  entityId: string
) {
  return yield* audited(actor, { operation, action, entityType, entityId }, yield* Clock.currentTimeMillis)
})

const createTenant = (services: Services): Administration["Service"]["createTenant"] =>
  Effect.fn("Administration.createTenant")(function* (name, hosts, actor, timeZone = defaultTimeZone) {
    const createdAt = yield* Clock.currentTimeMillis
    const tenant: Tenant = {
      id: yield* services.ids.mint("tenant"),
      name: yield* checkName("name", name),
      timeZone: yield* Effect.fromResult(requireTimeZone(timeZone)),
      hosts: yield* Effect.fromResult(hostsOfNewTenant(hosts))
    }
    const serviceAccount: Account = {
      id: yield* services.ids.mint("account"),
      tenantId: tenant.id,
      kind: "service",
      email: null,
      role: "Super Admin", // §5.2, item 6
      rateLimit: null,
      deactivatedAt: null,
      createdAt
    }
    yield* services.store.insertTenant(
      tenant,
      serviceAccount,
      yield* audit(services, actor, "CREATE", "create", "tenant", tenant.id)
    )
    return tenant
  })

/** Changes the hosts of a tenant. The audit entry names the host, because it decides whom its requests reach. */
const changeHosts = Effect.fnUntraced(function* <E>(
  services: Services,
  tenantId: string,
  actor: Actor,
  operation: "CREATE" | "DELETE",
  host: string,
  decide: HostChange<E>
) {
  const action = operation === "CREATE" ? "addHost" : "removeHost"
  const entry = yield* audit(services, actor, operation, action, "host", hostName(host))
  const changed = yield* services.store.changeHosts(tenantId, decide, entry)
  return Option.isSome(changed) ? changed.value : yield* new NoSuch({ what: "tenant", id: tenantId })
})

const addHost = (services: Services): Administration["Service"]["addHost"] =>
  Effect.fn("Administration.addHost")((tenantId, host, actor) =>
    changeHosts(services, tenantId, actor, "CREATE", host, addingHost(host))
  )

const removeHost = (services: Services): Administration["Service"]["removeHost"] =>
  Effect.fn("Administration.removeHost")((tenantId, host, actor) =>
    changeHosts(services, tenantId, actor, "DELETE", host, removingHost(host)).pipe(
      Effect.catchTag("HostTaken", Effect.die) // no host is added
    )
  )

const setTimeZone = (services: Services): Administration["Service"]["setTimeZone"] =>
  Effect.fn("Administration.setTimeZone")(function* (tenantId, text, actor) {
    const timeZone = yield* Effect.fromResult(requireTimeZone(text))
    const entry = yield* audit(services, actor, "UPDATE", "setTimeZone", "tenant", tenantId)
    const changed = yield* services.store.setTimeZone(tenantId, timeZone, entry)
    return Option.isSome(changed) ? changed.value : yield* new NoSuch({ what: "tenant", id: tenantId })
  })

const createUser = (services: Services): Administration["Service"]["createUser"] =>
  Effect.fn("Administration.createUser")(function* (tenantId, text, role, actor, rateLimit = null) {
    const email = normalizeEmail(text)
    if (!isEmail(email)) return yield* new InvalidArgument({ field: "email", reason: "must be an email address" })
    if (rateLimit !== null && !isRateLimit(rateLimit)) {
      const reason = "must be 1 to 1000000 calls in a window of 1 to 3600 seconds, or null"
      return yield* new InvalidArgument({ field: "rateLimit", reason })
    }
    const account: Account = {
      id: yield* services.ids.mint("account"),
      tenantId,
      kind: "user",
      email,
      role,
      rateLimit,
      deactivatedAt: null,
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* services.store.insertAccount(
      account,
      yield* audit(services, actor, "CREATE", "create", "account", account.id),
      (others) => checkRoom("user", others, services.caps.users)
    )
    return account
  })

/** Returns the personal token of the actor; none for another bearer and for the operator. */
const makerOf = ({ store }: Services, tenantId: string, { bearer }: Actor) =>
  bearer?.kind === "personal"
    ? store.findPersonalTokenById(tenantId, bearer.id)
    : Effect.succeed(Option.none<PersonalToken.PersonalToken>())

const createTokenFor = (services: Services): Administration["Service"]["createTokenFor"] =>
  Effect.fn("Administration.createTokenFor")(function* (owner, name, lifetimeSeconds, actor) {
    if (typeof lifetimeSeconds === "number" && !PersonalToken.isLifetime(lifetimeSeconds)) {
      const reason = `must be a whole number of seconds from 1 to ${PersonalToken.maxLifetimeSeconds}, or none`
      return yield* new InvalidArgument({ field: "lifetimeSeconds", reason })
    }
    const createdAt = yield* Clock.currentTimeMillis
    const maker = Option.match(yield* makerOf(services, owner.tenantId, actor), {
      onNone: () => ({ expiresAt: null }),
      onSome: PersonalToken.validityOf
    })
    const { expiresAt } = yield* Effect.fromResult(services.lifetime.issueWithin(createdAt, lifetimeSeconds, maker))
    const text = PersonalToken.format(yield* services.ids.secret(PersonalToken.secretLength))
    const by = createdBy(actor)
    const token: PersonalToken.PersonalToken = {
      id: yield* services.ids.mint("personalToken"),
      tenantId: owner.tenantId,
      accountId: owner.id,
      name: yield* checkName("name", name),
      tokenHash: services.digest.sha256(text),
      lastFour: text.slice(-4),
      createdAt,
      createdBy: by,
      expiresAt,
      revokedAt: null,
      lastUsedAt: null
    }
    const entry = yield* audit(services, actor, "CREATE", "create", "accessToken", token.id)
    const judge = (found: Option.Option<Maker>, others: number): Result.Result<void, MakerEnded | CollectionFull> =>
      Result.andThen(mayMake(services.lifetime, by, found, createdAt), () =>
        checkRoom("accessToken", others, services.caps.tokensPerUser)
      )
    yield* services.store.insertPersonalToken(token, entry, judge)
    return { token, secret: Redacted.make(text) }
  })

const createToken = (
  { store }: Services,
  createTokenFor: Administration["Service"]["createTokenFor"]
): Administration["Service"]["createToken"] =>
  Effect.fn("Administration.createToken")(function* (tenantId, email, name, lifetimeSeconds, actor) {
    const owner = yield* store.findAccountByEmail(tenantId, normalizeEmail(email))
    if (Option.isNone(owner)) return yield* new NoSuch({ what: "user", id: email })
    return yield* createTokenFor(owner.value, name, lifetimeSeconds, actor).pipe(
      Effect.catchTag(["OutlivesMaker", "MakerEnded"], Effect.die) // the operator has no bearer
    )
  })

const revokeToken = (services: Services): Administration["Service"]["revokeToken"] =>
  Effect.fn("Administration.revokeToken")(function* (tenantId, id, actor) {
    const entry = yield* audit(services, actor, "DELETE", "revoke", "accessToken", id)
    const found = yield* services.store.revokePersonalToken(tenantId, id, entry.at, entry)
    if (!found) return yield* new NoSuch({ what: "token", id })
  })

const createClientFor = (services: Services): Administration["Service"]["createClientFor"] =>
  Effect.fn("Administration.createClientFor")(function* (tenantId, name, actor) {
    const secret = clientSecretPrefix + (yield* services.ids.secret(clientSecretLength))
    const createdAt = yield* Clock.currentTimeMillis
    const by = createdBy(actor)
    const maker = yield* makerOf(services, tenantId, actor)
    const client: OAuthClient = {
      clientId: clientIdPrefix + (yield* services.ids.secret(clientIdLength)),
      tenantId,
      name: yield* checkName("name", name),
      secretHash: services.digest.sha256(secret),
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
        mayMake(services.lifetime, by, found, createdAt),
        (): Result.Result<void, Forbidden | CollectionFull> =>
          Option.isNone(found) || mayHaveClients(services.rules, found.value.account)
            ? checkRoom("apiClient", others, services.caps.clients)
            : Result.fail(new Forbidden({ account: actor.account, operation: "CREATE", entityType: "apiClient" }))
      )
    yield* services.store.insertClient(
      client,
      yield* audit(services, actor, "CREATE", "create", "apiClient", client.clientId),
      judge
    )
    return { client, secret: Redacted.make(secret) }
  })

const createClient = (
  createClientFor: Administration["Service"]["createClientFor"]
): Administration["Service"]["createClient"] =>
  Effect.fn("Administration.createClient")((tenantId, name, actor) =>
    Effect.catchTag(createClientFor(tenantId, name, actor), ["MakerEnded", "Forbidden"], Effect.die)
  )

const revokeClient = (services: Services): Administration["Service"]["revokeClient"] =>
  Effect.fn("Administration.revokeClient")(function* (tenantId, clientId, actor) {
    const entry = yield* audit(services, actor, "DELETE", "revoke", "apiClient", clientId)
    const found = yield* services.store.revokeClient(tenantId, clientId, entry.at, entry)
    if (!found) return yield* new NoSuch({ what: "client", id: clientId })
  })

const revokeTree = ({ auditId, store }: Services): Administration["Service"]["revokeTree"] =>
  Effect.fn("Administration.revokeTree")(function* (tenantId, root, actor, mayRevoke) {
    const at = yield* Clock.currentTimeMillis
    let ended: ReadonlyArray<IssuedReference> = []
    const found = yield* store.revokeTree(tenantId, root, (live) => {
      ended = live
      return Result.map(mayRevoke(live), () => revocations(live, actor, auditId, at))
    })
    if (!found) return yield* new NoSuch({ what: root.entityType === "apiClient" ? "client" : "token", id: root.id })
    return ended
  })

export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const services: Services = {
    store: yield* AccessStore,
    ids,
    digest: yield* Digest,
    lifetime: yield* TokenLifetime,
    rules: yield* PrivilegeRules,
    caps: yield* TenantCaps,
    auditId: ids.source("audit"),
    audited: makeAudit(ids)
  }
  return Administration.of({
    createTenant: createTenant(services),
    addHost: addHost(services),
    removeHost: removeHost(services),
    setTimeZone: setTimeZone(services),
    createUser: createUser(services),
    createToken: createToken(services, createTokenFor(services)),
    createTokenFor: createTokenFor(services),
    revokeToken: revokeToken(services),
    createClient: createClient(createClientFor(services)),
    createClientFor: createClientFor(services),
    revokeClient: revokeClient(services),
    revokeTree: revokeTree(services)
  })
})

export const layer: Layer.Layer<Administration, never, AccessStore | Ids | Digest | TokenLifetime | PrivilegeRules> =
  Layer.effect(Administration, make)
