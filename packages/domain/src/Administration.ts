import { Clock, Context, Data, Effect, Layer, Option, Redacted } from "effect"
import { AccessStore, type EmailTaken, type HostTaken } from "./AccessStore.ts"
import { type Account, isEmail, normalizeEmail } from "./Account.ts"
import { Digest } from "./Digest.ts"
import { Ids } from "./Id.ts"
import { decodeArgument, InvalidArgument } from "./InvalidArgument.ts"
import {
  clientIdLength,
  clientIdPrefix,
  clientSecretLength,
  clientSecretPrefix,
  type OAuthClient
} from "./OAuthClient.ts"
import * as PersonalToken from "./PersonalToken.ts"
import type { Operation, Role } from "./Privilege.ts"
import { isRateLimit, type RateLimit } from "./RateLimitTier.ts"
import { hostName, isHostName, type Tenant } from "./Tenant.ts"
import { line } from "./Text.ts"
import { TokenLifetime } from "./TokenLifetime.ts"
import { type Actor, type AuditedType, makeAudit } from "./Trail.ts"

/** The tenant has no such user, token, client or event. */
export class NoSuch extends Data.TaggedError("NoSuch")<{
  readonly what: "tenant" | "user" | "token" | "client" | "event to be sent again"
  readonly id: string
}> {}

/** A personal token at the one moment when it is known (section 5.2, item 2a). */
export interface NewToken {
  readonly token: PersonalToken.PersonalToken
  readonly secret: Redacted.Redacted
}

/** An OAuth client at the one moment when its secret is known (section 5.2, item 4). */
export interface NewClient {
  readonly client: OAuthClient
  readonly secret: Redacted.Redacted
}

/** What is done with who may call, whoever does it. Everything is audited. */
export class Administration extends Context.Service<
  Administration,
  {
    /** A tenant with its hosts and the service account as which its OAuth clients act. */
    readonly createTenant: (
      name: string,
      hosts: ReadonlyArray<string>,
      actor: Actor
    ) => Effect.Effect<Tenant, InvalidArgument | HostTaken>
    /** `rateLimit` null or left out: the user may call as often as the deployment lets everybody. */
    readonly createUser: (
      tenantId: string,
      email: string,
      role: Role,
      actor: Actor,
      rateLimit?: RateLimit | null
    ) => Effect.Effect<Account, InvalidArgument | EmailTaken>
    /** A token of a user, who is found by the email. `lifetimeSeconds` null: it lives until it is revoked. */
    readonly createToken: (
      tenantId: string,
      email: string,
      name: string,
      lifetimeSeconds: number | null,
      actor: Actor
    ) => Effect.Effect<NewToken, InvalidArgument | NoSuch>
    /** The same for a user who is at hand. */
    readonly createTokenFor: (
      owner: Account,
      name: string,
      lifetimeSeconds: number | null,
      actor: Actor
    ) => Effect.Effect<NewToken, InvalidArgument>
    /** Ends the token at once. Ending it again changes nothing. */
    readonly revokeToken: (tenantId: string, id: string, actor: Actor) => Effect.Effect<void, NoSuch>
    readonly createClient: (tenantId: string, name: string, actor: Actor) => Effect.Effect<NewClient, InvalidArgument>
    /** Ends the client and its tokens at once. Ending it again changes nothing. */
    readonly revokeClient: (tenantId: string, clientId: string, actor: Actor) => Effect.Effect<void, NoSuch>
  }
>()("@wcs/domain/Administration") {}

/** Names are for people: 1 to 200 characters of one line, without control characters. */
const checkName = (field: string, name: string) =>
  Effect.fromResult(decodeArgument(line(200), { within: field })(name.trim()))

export const make = Effect.gen(function* () {
  const store = yield* AccessStore
  const ids = yield* Ids
  const digest = yield* Digest
  const lifetime = yield* TokenLifetime

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

  const checkHosts = Effect.fnUntraced(function* (hosts: ReadonlyArray<string>) {
    const names = [...new Set(hosts.map(hostName))]
    if (names.length === 0 || names.length > 20) {
      return yield* new InvalidArgument({ field: "hosts", reason: "must be 1 to 20 host names" })
    }
    const malformed = names.find((name) => !isHostName(name))
    if (malformed === undefined) return names
    return yield* new InvalidArgument({ field: "hosts", reason: `${malformed.slice(0, 100)} is no host name` })
  })

  const createTenant: Administration["Service"]["createTenant"] = Effect.fn("Administration.createTenant")(
    function* (name, hosts, actor) {
      const createdAt = yield* Clock.currentTimeMillis
      const tenant: Tenant = {
        id: yield* ids.mint("tenant"),
        name: yield* checkName("name", name),
        hosts: yield* checkHosts(hosts)
      }
      const serviceAccount: Account = {
        id: yield* ids.mint("account"),
        tenantId: tenant.id,
        kind: "service",
        email: null,
        role: "Super Admin", // section 5.2, item 6
        rateLimit: null,
        deactivatedAt: null,
        createdAt
      }
      yield* store.insertTenant(tenant, serviceAccount, yield* audit(actor, "CREATE", "create", "tenant", tenant.id))
      return tenant
    }
  )

  const createUser: Administration["Service"]["createUser"] = Effect.fn("Administration.createUser")(function* (
    tenantId,
    text,
    role,
    actor,
    rateLimit = null
  ) {
    const email = normalizeEmail(text)
    if (!isEmail(email)) return yield* new InvalidArgument({ field: "email", reason: "must be an email address" })
    if (rateLimit !== null && !isRateLimit(rateLimit)) {
      const reason = "must be 1 to 1000000 calls in a window of 1 to 3600 seconds, or none"
      return yield* new InvalidArgument({ field: "rateLimit", reason })
    }
    const account: Account = {
      id: yield* ids.mint("account"),
      tenantId,
      kind: "user",
      email,
      role,
      rateLimit,
      deactivatedAt: null,
      createdAt: yield* Clock.currentTimeMillis
    }
    yield* store.insertAccount(account, yield* audit(actor, "CREATE", "create", "account", account.id))
    return account
  })

  const createTokenFor: Administration["Service"]["createTokenFor"] = Effect.fn("Administration.createTokenFor")(
    function* (owner, name, lifetimeSeconds, actor) {
      if (lifetimeSeconds !== null && !PersonalToken.isLifetime(lifetimeSeconds)) {
        const reason = `must be a whole number of seconds from 1 to ${PersonalToken.maxLifetimeSeconds}, or none`
        return yield* new InvalidArgument({ field: "lifetimeSeconds", reason })
      }
      const createdAt = yield* Clock.currentTimeMillis
      const text = PersonalToken.format(yield* ids.secret(PersonalToken.secretLength))
      const token: PersonalToken.PersonalToken = {
        id: yield* ids.mint("personalToken"),
        tenantId: owner.tenantId,
        accountId: owner.id,
        name: yield* checkName("name", name),
        tokenHash: digest.sha256(text),
        lastFour: text.slice(-4),
        createdAt,
        expiresAt: lifetime.issue(createdAt, lifetimeSeconds).expiresAt,
        revokedAt: null,
        lastUsedAt: null
      }
      yield* store.insertPersonalToken(token, yield* audit(actor, "CREATE", "create", "accessToken", token.id))
      return { token, secret: Redacted.make(text) }
    }
  )

  const createToken: Administration["Service"]["createToken"] = Effect.fn("Administration.createToken")(
    function* (tenantId, email, name, lifetimeSeconds, actor) {
      const owner = yield* store.findAccountByEmail(tenantId, normalizeEmail(email))
      if (Option.isNone(owner)) return yield* new NoSuch({ what: "user", id: email })
      return yield* createTokenFor(owner.value, name, lifetimeSeconds, actor)
    }
  )

  const revokeToken: Administration["Service"]["revokeToken"] = Effect.fn("Administration.revokeToken")(
    function* (tenantId, id, actor) {
      const entry = yield* audit(actor, "DELETE", "revoke", "accessToken", id)
      const found = yield* store.revokePersonalToken(tenantId, id, entry.at, entry)
      if (!found) return yield* new NoSuch({ what: "token", id })
    }
  )

  const createClient: Administration["Service"]["createClient"] = Effect.fn("Administration.createClient")(
    function* (tenantId, name, actor) {
      const secret = clientSecretPrefix + (yield* ids.secret(clientSecretLength))
      const client: OAuthClient = {
        clientId: clientIdPrefix + (yield* ids.secret(clientIdLength)),
        tenantId,
        name: yield* checkName("name", name),
        secretHash: digest.sha256(secret),
        secretLastFour: secret.slice(-4),
        createdAt: yield* Clock.currentTimeMillis,
        revokedAt: null
      }
      yield* store.insertClient(client, yield* audit(actor, "CREATE", "create", "apiClient", client.clientId))
      return { client, secret: Redacted.make(secret) }
    }
  )

  const revokeClient: Administration["Service"]["revokeClient"] = Effect.fn("Administration.revokeClient")(
    function* (tenantId, clientId, actor) {
      const entry = yield* audit(actor, "DELETE", "revoke", "apiClient", clientId)
      const found = yield* store.revokeClient(tenantId, clientId, entry.at, entry)
      if (!found) return yield* new NoSuch({ what: "client", id: clientId })
    }
  )

  return Administration.of({
    createTenant,
    createUser,
    createToken,
    createTokenFor,
    revokeToken,
    createClient,
    revokeClient
  })
})

export const layer: Layer.Layer<Administration, never, AccessStore | Ids | Digest | TokenLifetime> = Layer.effect(
  Administration,
  make
)
