import type { Role } from "@wcs/domain/access/Privilege"
import * as RateLimiterMemory from "@wcs/domain/access/RateLimiterMemory"
import { defaultRateLimits } from "@wcs/domain/access/RateLimitTier"
import { EventStore } from "@wcs/domain/audit/EventStore"
import * as Authentication from "@wcs/domain/authentication/Authentication"
import * as LegacyAuthentication from "@wcs/domain/legacy/LegacyAuthentication"
import * as PasswordCheck from "@wcs/domain/login/PasswordCheck"
import * as Rules from "@wcs/domain/service/Rules"
import * as Id from "@wcs/domain/shared/Id"
import { RequestId } from "@wcs/domain/shared/RequestId"
import * as Administration from "@wcs/domain/token/Administration"
import * as OAuthClients from "@wcs/domain/token/OAuthClients"
import * as PersonalTokens from "@wcs/domain/token/PersonalTokens"
import * as TokenExchange from "@wcs/domain/token/TokenExchange"
import { Passwords } from "@wcs/domain/user/Passwords"
import * as Users from "@wcs/domain/user/Users"
import * as Digest from "@wcs/keys/Digest"
import * as MasterKey from "@wcs/keys/MasterKey"
import * as Seal from "@wcs/keys/Seal"
import * as Tokens from "@wcs/keys/Tokens"
import * as StoreSqlite from "@wcs/store-sql/StoreSqlite"
import { Context, Effect, Layer, Redacted, Result, type Scope } from "effect"
import { SecureRandom } from "effect/crypto"
import { callersTenant, operator } from "./Deployment.ts"

/** The hashes that passwords were compared with, in order. */
export class Compared extends Context.Service<Compared, Array<string | null>>()("@wcs/keys/test/Compared") {}

/** Compares passwords after one yield to other fibers, without the cost of argon2. */
const spiedPasswords = Layer.effect(
  Passwords,
  Effect.map(Compared, (compared) => {
    let salt = 0
    const hashed = (password: Redacted.Redacted, salt: string) =>
      `${salt}$${Digest.make.sha256(salt + Redacted.value(password))}`
    return Passwords.of({
      isCommon: () => Effect.succeed(false),
      hash: (password) => Effect.sync(() => hashed(password, String(++salt))),
      verify: (password, hash) =>
        Effect.as(
          Effect.andThen(
            Effect.sync(() => compared.push(hash)),
            Effect.yieldNow
          ),
          hash !== null && hash === hashed(password, hash.split("$")[0] ?? "")
        )
    })
  })
)

const masterKey = Result.getOrThrow(MasterKey.fromBytes(new Uint8Array(32).fill(1)))

/** Authentication of both surfaces, over SQLite in memory. */
const deployment = Layer.mergeAll(
  LegacyAuthentication.layer,
  Users.layer,
  Authentication.layer,
  Layer.provideMerge(Layer.mergeAll(PersonalTokens.layer, OAuthClients.layer), Administration.layer),
  TokenExchange.layer
).pipe(
  Layer.provideMerge(PasswordCheck.layer),
  Layer.provideMerge(Tokens.layer),
  Layer.provideMerge(
    Layer.mergeAll(
      StoreSqlite.layerMemory,
      Digest.layer,
      Rules.layer,
      RateLimiterMemory.layer(defaultRateLimits),
      spiedPasswords
    )
  ),
  Layer.provide(Seal.layer),
  Layer.provide(MasterKey.layer(masterKey)),
  Layer.provideMerge(Id.layer),
  Layer.provide(SecureRandom.layerWebCrypto),
  Layer.provideMerge(Layer.sync(Compared, () => [])),
  Layer.provideMerge(Layer.succeed(RequestId, operator.requestId))
)

/** Runs a test with a deployment of its own. */
export const withLegacy = <A, E>(
  body: Effect.Effect<A, E, Layer.Success<typeof deployment> | Scope.Scope>
): Effect.Effect<A, E | Layer.Error<typeof deployment>, Scope.Scope> =>
  Effect.provide(body, deployment, { local: true })

export const password = "correct horse"

/** A verified user of a tenant, with the password. */
export const putUser = Effect.fnUntraced(function* (tenantId: string, email: string, role: Role = "Viewer") {
  const users = yield* Users.Users
  yield* Administration.Administration.use((admin) => admin.createUser(tenantId, email, role, operator))
  yield* users.setPassword(tenantId, email, Redacted.make(password), operator)
  return yield* users.setVerified(tenantId, email, true, operator)
})

/** The credentials of a login. */
export const login = (tenantId: string, username: string, given = password, address = "192.0.2.1") =>
  LegacyAuthentication.LegacyAuthentication.use(({ basic }) =>
    basic(callersTenant(tenantId), { username, password: Redacted.make(given), address })
  )

/** The result of a login; for a refusal its tag only. */
export const told = (...given: Parameters<typeof login>) =>
  Effect.match(login(...given), { onFailure: ({ _tag }) => _tag, onSuccess: () => "in" as const })

/** Issues a token to a logged-in caller. */
export const issueTo = (caller: LegacyAuthentication.LegacyCallerOf) =>
  LegacyAuthentication.LegacyAuthentication.use(({ issue }) => issue(String(caller.user.number))).pipe(
    Effect.provideService(LegacyAuthentication.LegacyCaller, caller)
  )

/** Whether a token is valid on the legacy surface. */
export const isLegacy = (tenantId: string, token: Redacted.Redacted) =>
  LegacyAuthentication.LegacyAuthentication.use(({ bearer }) => bearer(callersTenant(tenantId), token)).pipe(
    Effect.match({ onFailure: () => false, onSuccess: () => true })
  )

/** Whether a token is valid on the newer surface. */
export const isNewer = (tenantId: string, token: Redacted.Redacted) =>
  Authentication.Authentication.use(({ authenticate }) => authenticate(callersTenant(tenantId), token)).pipe(
    Effect.match({ onFailure: () => false, onSuccess: () => true })
  )

const everything = {
  conditions: [],
  direction: "asc",
  pageSize: 1000,
  after: undefined,
  includeDeleted: false,
  includeTotal: false
} as const

/** The tenant's audit entries, oldest first. */
export const auditOf = (tenantId: string) =>
  Effect.map(
    EventStore.use((store) => store.audit(tenantId, everything)),
    ({ items }) => items
  )
