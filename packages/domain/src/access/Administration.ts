import { Clock, Context, Data, Effect, Layer, Option, Redacted, Result } from "effect"
import { type Actor, type AuditedType, makeAudit } from "../audit/AuditEntry.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import { decodeArgument, InvalidArgument } from "../shared/InvalidArgument.ts"
import { line } from "../shared/Text.ts"
import { AccessStore, type EmailTaken, type HostTaken } from "./AccessStore.ts"
import { type Account, isEmail, normalizeEmail } from "./Account.ts"
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
import { Forbidden, type Operation, PrivilegeRules, type Role } from "./Privilege.ts"
import { isRateLimit, type RateLimit } from "./RateLimitTier.ts"
import { hostName, isHostName, type Tenant } from "./Tenant.ts"
import { type OutlivesMaker, TokenLifetime } from "./TokenLifetime.ts"

/** The tenant has no such user, token, client or event. */
export class NoSuch extends Data.TaggedError("NoSuch")<{
  readonly what: "tenant" | "user" | "token" | "client" | "retryable dead letter"
  readonly id: string
}> {}

/** A personal token at the one moment when it is known (§5.2, item 2a). */
export interface NewToken {
  readonly token: PersonalToken.PersonalToken
  readonly secret: Redacted.Redacted
}

/** An OAuth client at the one moment when its secret is known (§5.2, item 4). */
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
    /**
     * A token that its owner makes by a bearer. It expires no later than the bearer: `lifetimeSeconds` undefined gives it
     * the longest life that it can have.
     */
    readonly createTokenFor: (
      owner: Account,
      name: string,
      lifetimeSeconds: number | null | undefined,
      actor: Actor
    ) => Effect.Effect<NewToken, InvalidArgument | OutlivesMaker | MakerEnded>
    /** Ends the token at once, and nothing that came from it. Ending it again changes nothing. */
    readonly revokeToken: (tenantId: string, id: string, actor: Actor) => Effect.Effect<void, NoSuch>
    readonly createClient: (tenantId: string, name: string, actor: Actor) => Effect.Effect<NewClient, InvalidArgument>
    /** A client that a user makes by a bearer. It expires when the bearer does. */
    readonly createClientFor: (
      tenantId: string,
      name: string,
      actor: Actor
    ) => Effect.Effect<NewClient, InvalidArgument | MakerEnded | Forbidden>
    /** Ends the client and its tokens at once. Ending it again changes nothing. */
    readonly revokeClient: (tenantId: string, clientId: string, actor: Actor) => Effect.Effect<void, NoSuch>
    /**
     * Ends the token or client and everything that came from it, all at once, if `mayRevoke` allows it of all that has
     * not ended yet. Answers what it ended.
     */
    readonly revokeTree: <E>(
      tenantId: string,
      root: IssuedReference,
      actor: Actor,
      mayRevoke: (live: ReadonlyArray<IssuedReference>) => Result.Result<void, E>
    ) => Effect.Effect<ReadonlyArray<IssuedReference>, NoSuch | E>
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
  const rules = yield* PrivilegeRules

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

  const checkHosts = Effect.fnUntraced(function* (hosts: ReadonlyArray<string>) {
    const names = [...new Set(hosts.map(hostName))]
    if (names.length === 0 || names.length > 20) {
      return yield* new InvalidArgument({ field: "hosts", reason: "must be 1 to 20 host names" })
    }
    const malformed = names.find((name) => !isHostName(name))
    if (malformed === undefined) return names
    return yield* new InvalidArgument({
      field: "hosts",
      reason: `contains an invalid host name: ${malformed.slice(0, 100)}`
    })
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
        role: "Super Admin", // §5.2, item 6
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

  /** The personal token that is used; none for another bearer, and for the operator. */
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
      yield* store.insertPersonalToken(token, entry, (found) => mayMake(lifetime, by, found, createdAt))
      return { token, secret: Redacted.make(text) }
    }
  )

  const createToken: Administration["Service"]["createToken"] = Effect.fn("Administration.createToken")(
    function* (tenantId, email, name, lifetimeSeconds, actor) {
      const owner = yield* store.findAccountByEmail(tenantId, normalizeEmail(email))
      if (Option.isNone(owner)) return yield* new NoSuch({ what: "user", id: email })
      return yield* createTokenFor(owner.value, name, lifetimeSeconds, actor).pipe(
        Effect.catchTag(["OutlivesMaker", "MakerEnded"], Effect.die) // an operator has no bearer
      )
    }
  )

  const revokeToken: Administration["Service"]["revokeToken"] = Effect.fn("Administration.revokeToken")(
    function* (tenantId, id, actor) {
      const entry = yield* audit(actor, "DELETE", "revoke", "accessToken", id)
      const found = yield* store.revokePersonalToken(tenantId, id, entry.at, entry)
      if (!found) return yield* new NoSuch({ what: "token", id })
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
      const judge = (found: Option.Option<Maker>): Result.Result<void, MakerEnded | Forbidden> =>
        Result.andThen(mayMake(lifetime, by, found, createdAt), () =>
          Option.isNone(found) || mayHaveClients(rules, found.value.account)
            ? Result.succeed(undefined)
            : Result.fail(new Forbidden({ account: actor.account, operation: "CREATE", entityType: "apiClient" }))
        )
      yield* store.insertClient(client, yield* audit(actor, "CREATE", "create", "apiClient", client.clientId), judge)
      return { client, secret: Redacted.make(secret) }
    }
  )

  const createClient: Administration["Service"]["createClient"] = Effect.fn("Administration.createClient")(
    (tenantId, name, actor) =>
      Effect.catchTag(createClientFor(tenantId, name, actor), ["MakerEnded", "Forbidden"], Effect.die)
  )

  const revokeClient: Administration["Service"]["revokeClient"] = Effect.fn("Administration.revokeClient")(
    function* (tenantId, clientId, actor) {
      const entry = yield* audit(actor, "DELETE", "revoke", "apiClient", clientId)
      const found = yield* store.revokeClient(tenantId, clientId, entry.at, entry)
      if (!found) return yield* new NoSuch({ what: "client", id: clientId })
    }
  )

  const revokeTree: Administration["Service"]["revokeTree"] = Effect.fn("Administration.revokeTree")(
    function* (tenantId, root, actor, mayRevoke) {
      const at = yield* Clock.currentTimeMillis
      let ended: ReadonlyArray<IssuedReference> = []
      const found = yield* store.revokeTree(tenantId, root, (live) => {
        ended = live
        return Result.map(mayRevoke(live), () => revocations(live, actor, auditId, at))
      })
      if (!found) return yield* new NoSuch({ what: root.entityType === "apiClient" ? "client" : "token", id: root.id })
      return ended
    }
  )

  return Administration.of({
    createTenant,
    createUser,
    createToken,
    createTokenFor,
    revokeToken,
    createClient,
    createClientFor,
    revokeClient,
    revokeTree
  })
})

export const layer: Layer.Layer<Administration, never, AccessStore | Ids | Digest | TokenLifetime | PrivilegeRules> =
  Layer.effect(Administration, make)
