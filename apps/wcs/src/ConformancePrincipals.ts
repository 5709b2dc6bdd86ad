import type { AdminClient } from "@wcs/admin/AdminClient"
import type { PlainRole } from "@wcs/domain/access/Privilege"
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
import { fromRfc3339 } from "@wcs/domain/shared/Instant"
import { Effect, Redacted } from "effect"
import { SecureRandom } from "effect/crypto"
import { Hex } from "effect/encoding"

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
const makersOf = (client: AdminClient, tenant: string, run: string, secrets: Map<string, Redacted.Redacted>) => {
  const keep = (variable: string, secret: Redacted.Redacted): string => {
    secrets.set(variable, secret)
    return `\${${variable}}`
  }
  const nameOf = (what: string) => `conformance ${run}: ${what}`
  const verify = (email: string) => client.setVerified({ payload: { tenant, email, verified: true } })
  return {
    user: (what: string, role: PlainRole, rateLimit?: RateLimit) => {
      const email = `conformance-${run}-${shouted(what).toLowerCase()}@conformance.invalid`
      const payload = { tenant, email, role, ...(rateLimit === undefined ? {} : { rateLimit }) }
      return Effect.map(client.createUser({ payload }), ({ account }) => ({ email, accountUrn: account }))
    },
    verify,
    token: (email: string, what: string, variable: string, lifetimeSeconds: number | null = null) =>
      Effect.map(
        client.createToken({ payload: { tenant, email, name: nameOf(what), lifetimeSeconds } }),
        ({ expiresAt, id, token }) => ({ id, expiresAt, reference: keep(variable, token) })
      ),
    revokeToken: (id: string) => client.revokeToken({ payload: { tenant, id } }),
    /** A legacy user in the profile. */
    login: Effect.fnUntraced(function* (email: string, variable: string, isVerified: boolean) {
      const password = yield* newPassword
      yield* client.setPassword({ payload: { tenant, email, password } })
      if (isVerified) yield* verify(email)
      return { username: email, password: keep(variable, password) }
    }),
    legacyToken: (email: string, variable: string, lifetimeSeconds: number) =>
      Effect.map(
        client.createLegacyToken({ payload: { tenant, email, lifetimeSeconds } }),
        ({ expiresAt, id, token }) => ({ id, expiresAt, reference: keep(variable, token) })
      ),
    revokeLegacyToken: (id: string) => client.revokeLegacyToken({ payload: { tenant, id } }),
    client: (what: string, variable: string) =>
      Effect.map(client.createClient({ payload: { tenant, name: nameOf(what) } }), ({ clientId, clientSecret }) => ({
        clientId,
        clientSecret: keep(variable, clientSecret)
      })),
    revokeClient: (clientId: string) => client.revokeClient({ payload: { tenant, clientId } })
  }
}

type Makers = ReturnType<typeof makersOf>

const makeLimited = Effect.fnUntraced(function* ({ token, user }: Makers, grant: Grant) {
  const { isReissued, privileges, what } = grant
  const variable = `CONF_LIMITED_${shouted(what)}`
  const { accountUrn, email } = yield* user(what, privileges)
  const first = yield* token(email, what, variable)
  const again = isReissued ? { reissued: (yield* token(email, `${what} again`, `${variable}_AGAIN`)).reference } : {}
  return { token: first.reference, ...again, privileges: byEntityType(privileges), accountUrn }
})

/** Two tokens of one Super Admin. */
const makePair = Effect.fnUntraced(function* (
  { token, user }: Makers,
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
const makeLegacy = Effect.fnUntraced(function* (makers: Makers, others: Makers) {
  // This user gets no other tokens, because issuing a token deletes finished ones.
  const ended = Effect.gen(function* () {
    const { email } = yield* makers.user("legacy tokens", "Super Admin")
    yield* makers.verify(email)
    const revoked = yield* makers.legacyToken(email, "CONF_LEGACY_REVOKED_TOKEN", endedByHandSeconds)
    yield* makers.revokeLegacyToken(revoked.id)
    const expired = yield* makers.legacyToken(email, "CONF_LEGACY_EXPIRED_TOKEN", 1)
    return { expired, revokedToken: revoked.reference }
  })
  const login = Effect.fnUntraced(function* (of: Makers, what: string, role: PlainRole, isVerified: boolean) {
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
const makeRevokedClient = Effect.fnUntraced(function* ({ client, revokeClient }: Makers) {
  const made = yield* client("revoked client", "CONF_REVOKED_CLIENT_SECRET")
  yield* revokeClient(made.clientId)
  return made
})

/** Two tokens of one user. The first is revoked. */
const makeRevokedToken = Effect.fnUntraced(function* (makers: Makers) {
  const revoked = ["revoked", "CONF_REVOKED_TOKEN"] as const
  const [ended, living] = yield* makePair(makers, "revoked", revoked, ["living", "CONF_LIVING_TOKEN"])
  yield* makers.revokeToken(ended.id)
  return { revoked: ended.reference, living: living.reference }
})

/** The two valid tokens of a rotation. */
const makeRotated = Effect.fnUntraced(function* (makers: Makers) {
  const old = ["rotated, old", "CONF_ROTATED_OLD_TOKEN"] as const
  const [before, after] = yield* makePair(makers, "rotated", old, ["rotated, new", "CONF_ROTATED_NEW_TOKEN"])
  return { old: before.reference, new: after.reference }
})

/** A token of a user with a small rate limit. */
const makeRateLimited = Effect.fnUntraced(function* ({ token, user }: Makers) {
  const { email } = yield* user("rate limited", "Super Admin", smallLimit)
  return { token: (yield* token(email, "rate limited", "CONF_RATE_LIMITED_TOKEN")).reference }
})

/** Unix milliseconds, or 0 without an expiry. */
const millisOf = (expiresAt: string | null): number => (expiresAt === null ? 0 : (fromRfc3339(expiresAt) ?? 0))

/** Creates all principals of a complete profile with admin commands. Returns them with their secrets. */
export const makePrincipals = Effect.fn("ConformancePrincipals.make")(function* (
  client: AdminClient,
  { otherTenant, run, tenant }: Wanted
) {
  const secrets = new Map<string, Redacted.Redacted>()
  const makers = makersOf(client, tenant.id, run, secrets)
  const others = makersOf(client, otherTenant.id, run, secrets)

  // Created first, so that it has expired when it is used.
  const personal = yield* makers.user("personal", "Super Admin")
  const expired = yield* makers.token(personal.email, "expired", "CONF_EXPIRED_TOKEN", 1)

  const made = yield* Effect.all(
    {
      admin: makers.client("admin", "CONF_ADMIN_SECRET"),
      secondClient: makers.client("second client", "CONF_SECOND_CLIENT_SECRET"),
      otherAdmin: others.client("admin of the second tenant", "CONF_SECOND_TENANT_SECRET"),
      personalToken: makers.token(personal.email, "personal", "CONF_PERSONAL_TOKEN"),
      revokedClient: makeRevokedClient(makers),
      revokedToken: makeRevokedToken(makers),
      rotated: makeRotated(makers),
      rateLimited: makeRateLimited(makers),
      legacy: makeLegacy(makers, others),
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
    readyAt: Math.max(millisOf(expired.expiresAt), millisOf(made.legacy.ended.expired.expiresAt))
  }
}, Effect.provide(SecureRandom.layerWebCrypto))
