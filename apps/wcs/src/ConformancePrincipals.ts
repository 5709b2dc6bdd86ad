import { accountUrn } from "@wcs/domain/access/Account"
import type { Role } from "@wcs/domain/access/Privilege"
import {
  type EntityType,
  entities,
  entityTypes,
  everyPrivilege,
  type Operation,
  type PrivilegeName
} from "@wcs/domain/access/Privilege"
import type { RateLimit } from "@wcs/domain/access/RateLimitTier"
import type { Tenant } from "@wcs/domain/access/Tenant"
import type { Actor } from "@wcs/domain/audit/AuditEntry"
import type { Administration } from "@wcs/domain/token/Administration"
import type { Users } from "@wcs/domain/user/Users"
import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"

/** Creates users, tokens and clients, through the services or through admin commands. */
export interface Hand<E> {
  /** Returns the URN of the account. */
  readonly user: (tenantId: string, email: string, role: Role, own: RateLimit | null) => Effect.Effect<string, E>
  /** `lifetimeSeconds` null: no expiry. */
  readonly token: (
    tenantId: string,
    email: string,
    name: string,
    lifetimeSeconds: number | null
  ) => Effect.Effect<HandedToken, E>
  readonly endToken: (tenantId: string, id: string) => Effect.Effect<void, E>
  readonly client: (tenantId: string, name: string) => Effect.Effect<HandedClient, E>
  readonly endClient: (tenantId: string, clientId: string) => Effect.Effect<void, E>
  /** Sets a password, so that the user can log in on the legacy surface. */
  readonly password: (tenantId: string, email: string, password: Redacted.Redacted) => Effect.Effect<void, E>
  readonly verify: (tenantId: string, email: string) => Effect.Effect<void, E>
  readonly legacyToken: (tenantId: string, email: string, lifetimeSeconds: number) => Effect.Effect<HandedToken, E>
  readonly endLegacyToken: (tenantId: string, id: string) => Effect.Effect<void, E>
}

/** A new personal or legacy token. */
export interface HandedToken {
  readonly id: string
  readonly secret: Redacted.Redacted
  /** Unix milliseconds, or null. */
  readonly expiresAt: number | null
}

/** A new OAuth client. */
export interface HandedClient {
  readonly clientId: string
  readonly secret: Redacted.Redacted
}

/** Uses the services directly. All names are ours, so a refusal is a defect. */
export const byServices = (
  { administration, users }: { readonly administration: Administration["Service"]; readonly users: Users["Service"] },
  actor: Actor
): Hand<never> => ({
  user: (tenantId, email, role, own) =>
    administration.createUser(tenantId, email, role, actor, own).pipe(
      Effect.map(({ id }) => accountUrn(id)),
      Effect.orDie
    ),
  token: (tenantId, email, name, lifetimeSeconds) =>
    administration.createToken(tenantId, email, name, lifetimeSeconds, actor).pipe(
      Effect.map(({ secret, token: { expiresAt, id } }) => ({
        id,
        secret,
        expiresAt: expiresAt === null ? null : expiresAt * 1000
      })),
      Effect.orDie
    ),
  endToken: (tenantId, id) => Effect.orDie(administration.revokeToken(tenantId, id, actor)),
  client: (tenantId, name) =>
    administration.createClient(tenantId, name, actor).pipe(
      Effect.map(({ client, secret }) => ({ clientId: client.clientId, secret })),
      Effect.orDie
    ),
  endClient: (tenantId, clientId) => Effect.orDie(administration.revokeClient(tenantId, clientId, actor)),
  password: (tenantId, email, password) => Effect.orDie(users.setPassword(tenantId, email, password, actor)),
  verify: (tenantId, email) => Effect.orDie(users.setVerified(tenantId, email, true, actor)),
  legacyToken: (tenantId, email, lifetimeSeconds) =>
    users.createToken(tenantId, email, lifetimeSeconds, actor).pipe(
      Effect.map(({ expiresAt, id, token }) => ({ id, secret: token, expiresAt: expiresAt * 1000 })),
      Effect.orDie
    ),
  endLegacyToken: (tenantId, id) => Effect.orDie(users.revokeToken(tenantId, id, actor))
})

/** The tenants and the run. */
export interface Wanted {
  readonly tenant: Pick<Tenant, "id">
  readonly otherTenant: Pick<Tenant, "id">
  /** The unique run id: at most 26 lower-case letters and digits. */
  readonly run: string
}

/** Whether the name is that of a token or client of a conformance run. */
export const isOfConformance = (name: string): boolean => /^conformance [0-9a-z]{1,26}: /.test(name)

/** Whether the email address is that of a user of a conformance run. */
export const isUserOfConformance = (email: string | null): boolean =>
  /^conformance-[0-9a-z]{1,26}-\w+@conformance\.invalid$/.test(email ?? "")

/** A small rate limit that resets within seconds. */
const smallLimit: RateLimit = { calls: 10, windowSeconds: 1 }

/** The number of parallel creations. Concurrent transactions are committed in groups. */
const concurrency = 16

/** Converts `credentialCheck` to `CREDENTIAL_CHECK` for environment variables. */
const shouted = (text: string): string =>
  text
    .replaceAll(/([a-z])([A-Z])/g, "$1_$2")
    .replaceAll(/[^A-Za-z0-9]+/g, "_")
    .toUpperCase()

/** The privileges of a limited principal, with a name. */
interface Grant {
  readonly what: string
  readonly privileges: ReadonlyArray<PrivilegeName>
  /** Whether the principal gets a second token. */
  readonly isReissued?: true
}

const privilegesOn = (type: EntityType): ReadonlyArray<PrivilegeName> =>
  entities[type].operations.map((operation): PrivilegeName => `${type}:${operation}`)

const reads = everyPrivilege.filter((name) => name.endsWith(":READ"))

const allBut = (type: EntityType): ReadonlyArray<PrivilegeName> =>
  everyPrivilege.filter((name) => !name.startsWith(`${type}:`))

/**
 * The limited principals: no privilege, each single privilege, all of one entity type, all but one entity type, all
 * READ. The suite tries calls as the fewest principals that together have all privileges elsewhere.
 */
const grants: ReadonlyArray<Grant> = [
  { what: "nothing", privileges: [], isReissued: true },
  ...entityTypes.flatMap(privilegesOn).map(
    (privilege): Grant => ({
      what: privilege,
      privileges: [privilege],
      ...(privilege === "worker:READ" || privilege === "credential:READ" ? { isReissued: true } : {})
    })
  ),
  ...entityTypes
    .filter((type) => privilegesOn(type).length > 1)
    .map((type): Grant => ({ what: `${type}:all`, privileges: privilegesOn(type) })),
  ...entityTypes.map((type): Grant => ({ what: `everything but ${type}`, privileges: allBut(type) })),
  { what: "everything:READ", privileges: reads }
]

const byEntityType = (privileges: ReadonlyArray<PrivilegeName>): Readonly<Record<string, ReadonlyArray<Operation>>> => {
  const operations: Record<string, ReadonlyArray<Operation>> = {}
  for (const type of Object.keys(entities)) {
    const granted = privileges.filter((privilege) => privilege.startsWith(`${type}:`))
    if (granted.length > 0) operations[type] = granted.map((privilege) => privilege.slice(type.length + 1) as Operation)
  }
  return operations
}

/** Returns a random password of 256 bits. */
const newPassword = SecureRandom.SecureRandom.use(({ randomBytes }) =>
  Effect.map(randomBytes(32), (bytes) => Redacted.make(Hex.encode(bytes)))
)

/** Creates the principals of a tenant, with the run id in their names. Collects secrets and returns references. */
const makersOf = <E>(hand: Hand<E>, tenantId: string, run: string, secrets: Map<string, Redacted.Redacted>) => {
  const keep = (variable: string, secret: Redacted.Redacted): string => {
    secrets.set(variable, secret)
    return `\${${variable}}`
  }
  const nameOf = (what: string) => `conformance ${run}: ${what}`
  return {
    user: (what: string, role: Role, own: RateLimit | null = null) => {
      const email = `conformance-${run}-${shouted(what).toLowerCase()}@conformance.invalid`
      return Effect.map(hand.user(tenantId, email, role, own), (accountUrn) => ({ email, accountUrn }))
    },
    token: (email: string, what: string, variable: string, lifetimeSeconds: number | null = null) =>
      Effect.map(hand.token(tenantId, email, nameOf(what), lifetimeSeconds), ({ expiresAt, id, secret }) => ({
        id,
        expiresAt,
        reference: keep(variable, secret)
      })),
    /** A legacy user in the profile. */
    login: Effect.fnUntraced(function* (email: string, variable: string, isVerified: boolean) {
      const password = yield* newPassword
      yield* hand.password(tenantId, email, password)
      if (isVerified) yield* hand.verify(tenantId, email)
      return { username: email, password: keep(variable, password) }
    }),
    legacyToken: (email: string, variable: string, lifetimeSeconds: number) =>
      Effect.map(hand.legacyToken(tenantId, email, lifetimeSeconds), ({ expiresAt, id, secret }) => ({
        id,
        expiresAt,
        reference: keep(variable, secret)
      })),
    client: (what: string, variable: string) =>
      Effect.map(hand.client(tenantId, nameOf(what)), ({ clientId, secret }) => ({
        clientId,
        clientSecret: keep(variable, secret)
      }))
  }
}

type Makers<E> = ReturnType<typeof makersOf<E>>

const makeLimited = Effect.fnUntraced(function* <E>({ token, user }: Makers<E>, grant: Grant) {
  const { isReissued, privileges, what } = grant
  const variable = `CONF_LIMITED_${shouted(what)}`
  const { accountUrn, email } = yield* user(what, privileges)
  const first = yield* token(email, what, variable)
  const again = isReissued ? { reissued: (yield* token(email, `${what} again`, `${variable}_AGAIN`)).reference } : {}
  return { token: first.reference, ...again, privileges: byEntityType(privileges), accountUrn }
})

/** Two tokens of one Super Admin. */
const makePair = Effect.fnUntraced(function* <E>(
  { token, user }: Makers<E>,
  what: string,
  first: readonly [what: string, variable: string],
  second: readonly [what: string, variable: string]
) {
  const { email } = yield* user(what, "Super Admin")
  return [yield* token(email, ...first), yield* token(email, ...second)] as const
})

/** A long lifetime, so that only a revocation can end the token. */
const endedByHandSeconds = 3600

/** Creates the legacy users, and the expired and revoked legacy tokens. */
const makeLegacy = Effect.fnUntraced(function* <E>(
  { endLegacyToken, verify }: Pick<Hand<E>, "endLegacyToken" | "verify">,
  tenantId: string,
  makers: Makers<E>,
  others: Makers<E>
) {
  // This user gets no other tokens, because issuing a token deletes finished ones.
  const ended = Effect.gen(function* () {
    const { email } = yield* makers.user("legacy tokens", "Super Admin")
    yield* verify(tenantId, email)
    const revoked = yield* makers.legacyToken(email, "CONF_LEGACY_REVOKED_TOKEN", endedByHandSeconds)
    yield* endLegacyToken(tenantId, revoked.id)
    const expired = yield* makers.legacyToken(email, "CONF_LEGACY_EXPIRED_TOKEN", 1)
    return { expired, revokedToken: revoked.reference }
  })
  const login = Effect.fnUntraced(function* (of: Makers<E>, what: string, role: Role, isVerified: boolean) {
    const { email } = yield* of.user(what, role)
    return yield* of.login(email, `CONF_${shouted(what)}_PASSWORD`, isVerified)
  })
  return yield* Effect.all(
    {
      ended,
      user: login(makers, "legacy", "Super Admin", true),
      unverified: login(makers, "legacy unverified", "Super Admin", false),
      withoutPermission: login(makers, "legacy without permission", [], true),
      otherOrganization: login(others, "legacy of the second tenant", "Super Admin", true)
    },
    { concurrency }
  )
})

/** A client that is revoked. */
const makeRevokedClient = Effect.fnUntraced(function* <E>(
  { endClient }: Pick<Hand<E>, "endClient">,
  tenantId: string,
  { client }: Makers<E>
) {
  const made = yield* client("revoked client", "CONF_REVOKED_CLIENT_SECRET")
  yield* endClient(tenantId, made.clientId)
  return made
})

/** Two tokens of one user. The first is revoked. */
const makeRevokedToken = Effect.fnUntraced(function* <E>(
  { endToken }: Pick<Hand<E>, "endToken">,
  tenantId: string,
  makers: Makers<E>
) {
  const revoked = ["revoked", "CONF_REVOKED_TOKEN"] as const
  const [ended, living] = yield* makePair(makers, "revoked", revoked, ["living", "CONF_LIVING_TOKEN"])
  yield* endToken(tenantId, ended.id)
  return { revoked: ended.reference, living: living.reference }
})

/** The two valid tokens of a rotation. */
const makeRotated = Effect.fnUntraced(function* <E>(makers: Makers<E>) {
  const old = ["rotated, old", "CONF_ROTATED_OLD_TOKEN"] as const
  const [before, after] = yield* makePair(makers, "rotated", old, ["rotated, new", "CONF_ROTATED_NEW_TOKEN"])
  return { old: before.reference, new: after.reference }
})

/** A token of a user with a small rate limit. */
const makeRateLimited = Effect.fnUntraced(function* <E>({ token, user }: Makers<E>) {
  const { email } = yield* user("rate limited", "Super Admin", smallLimit)
  return { token: (yield* token(email, "rate limited", "CONF_RATE_LIMITED_TOKEN")).reference }
})

/** All principals of a complete profile, with their secrets. */
export const makePrincipals = Effect.fn("ConformancePrincipals.make")(function* <E>(
  hand: Hand<E>,
  { otherTenant, run, tenant }: Wanted
) {
  const secrets = new Map<string, Redacted.Redacted>()
  const makers = makersOf(hand, tenant.id, run, secrets)
  const others = makersOf(hand, otherTenant.id, run, secrets)

  // Created first, so that it has expired when it is used.
  const personal = yield* makers.user("personal", "Super Admin")
  const expired = yield* makers.token(personal.email, "expired", "CONF_EXPIRED_TOKEN", 1)

  const made = yield* Effect.all(
    {
      admin: makers.client("admin", "CONF_ADMIN_SECRET"),
      secondClient: makers.client("second client", "CONF_SECOND_CLIENT_SECRET"),
      otherAdmin: others.client("admin of the second tenant", "CONF_SECOND_TENANT_SECRET"),
      personalToken: makers.token(personal.email, "personal", "CONF_PERSONAL_TOKEN"),
      revokedClient: makeRevokedClient(hand, tenant.id, makers),
      revokedToken: makeRevokedToken(hand, tenant.id, makers),
      rotated: makeRotated(makers),
      rateLimited: makeRateLimited(makers),
      legacy: makeLegacy(hand, tenant.id, makers, others),
      limited: Effect.forEach(grants, (grant) => makeLimited(makers, grant), { concurrency })
    },
    { concurrency }
  )
  return {
    principals: {
      admin: { oauth: made.admin },
      secondClient: made.secondClient,
      revokedClient: made.revokedClient,
      expiredToken: expired.reference,
      personalToken: made.personalToken.reference,
      rotated: made.rotated,
      revokedToken: made.revokedToken,
      limited: made.limited,
      rateLimited: made.rateLimited
    },
    secondTenantAdmin: { oauth: made.otherAdmin },
    /** On the legacy surface. */
    legacy: {
      user: made.legacy.user,
      unverified: made.legacy.unverified,
      withoutPermission: made.legacy.withoutPermission,
      otherOrganization: made.legacy.otherOrganization,
      expiredToken: made.legacy.ended.expired.reference,
      revokedToken: made.legacy.ended.revokedToken
    },
    /** Secrets by environment variable. */
    secrets: Object.fromEntries(secrets) as Readonly<Record<string, Redacted.Redacted>>,
    /** Unix milliseconds. From this time on, the expired tokens have expired and the profile is correct. */
    readyAt: Math.max(expired.expiresAt ?? 0, made.legacy.ended.expired.expiresAt ?? 0)
  }
}, Effect.provide(SecureRandom.layerWebCrypto))
