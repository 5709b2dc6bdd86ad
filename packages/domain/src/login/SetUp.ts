import { Clock, Context, Data, Effect, Option, Redacted, Semaphore } from "effect"
import { AccessStore } from "../access/AccessStore.ts"
import { type Account, isEmail, normalizeEmail } from "../access/Account.ts"
import { Administration } from "../access/Administration.ts"
import type { OAuthClient } from "../access/OAuthClient.ts"
import { tokenLength } from "../access/OpaqueToken.ts"
import { operator } from "../access/Operator.ts"
import type { PersonalToken } from "../access/PersonalToken.ts"
import type { Role } from "../access/Privilege.ts"
import type { Tenant } from "../access/Tenant.ts"
import { makeAudit } from "../audit/AuditEntry.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { User } from "../user/User.ts"
import { UserStore } from "../user/UserStore.ts"
import { choose, Passwords, type PasswordsBusy } from "./Passwords.ts"

/** There is no set-up here: the token is another, it was used, it is too old, or somebody can call already. */
export class NoSetUp extends Data.TaggedError("NoSetUp") {}

/** How long the set-up address is good for (DECISIONS.md#operation). */
export const lifetimeMillis = 30 * 60 * 1000
/** Role of the first account. */
export const firstRole: Role = "Super Admin"

/** Whether what was offered then is still good. */
export const isInTime = (offeredAt: Instant, now: Instant): boolean => now < offeredAt + lifetimeMillis

/**
 * Whether a tenant never had a client, a token or a user with a password, revoked or not. Only then may a stranger who
 * has the address become the first Super Admin (threat 33).
 */
export const isUnclaimed = (
  clients: ReadonlyArray<OAuthClient>,
  tokens: ReadonlyArray<PersonalToken>,
  users: ReadonlyArray<Pick<User, "passwordHash">>
): boolean => clients.length + tokens.length === 0 && users.every(({ passwordHash }) => passwordHash === null)

/** A tenant with so many users counts as claimed without a look at the rest. */
const usersMax = 1000

/** The way in for the first Super Admin where the environment named none (threat 33). */
export class SetUp extends Context.Service<
  SetUp,
  {
    /** The token of the set-up address; none where somebody can call already. */
    readonly token: Option.Option<Redacted.Redacted>
    /** Whether the token would be taken now. */
    readonly check: (token: string) => Effect.Effect<void, NoSetUp>
    /** Makes the Super Admin and its personal token, and ends the set-up for good. Of two at once one does it. */
    readonly claim: (token: string, email: string) => Effect.Effect<Redacted.Redacted, NoSetUp | InvalidArgument>
    /** Makes the Super Admin with a password for web login instead of a token, and ends the set-up for good. */
    readonly claimLogin: (
      token: string,
      email: string,
      password: Redacted.Redacted
    ) => Effect.Effect<void, NoSetUp | InvalidArgument | PasswordsBusy>
    /** The tenant that is set up. */
    readonly tenant: Tenant
  }
>()("@wcs/domain/SetUp") {}

/** What this process offers from now on, to whoever sets up the tenant. */
export const make = Effect.fnUntraced(function* (tenant: Tenant) {
  const administration = yield* Administration
  const digest = yield* Digest
  const ids = yield* Ids
  const store = yield* AccessStore
  const users = yield* UserStore
  const passwords = yield* Passwords
  const lock = yield* Semaphore.make(1)

  /** Of every tenant: whoever can call one is known to the operator. */
  const unclaimed = Effect.gen(function* () {
    for (const { id } of yield* store.listTenants) {
      const people = yield* users.list(id, 0, usersMax)
      const isOpen = isUnclaimed(yield* store.listClients(id), yield* store.listPersonalTokens(id), people)
      if (!isOpen || people.length === usersMax) return false
    }
    return true
  })

  const token = Redacted.make(yield* ids.secret(tokenLength))
  const hash = digest.sha256(Redacted.value(token))
  const offeredAt = yield* Clock.currentTimeMillis

  const check: SetUp["Service"]["check"] = Effect.fn("SetUp.check")(function* (given) {
    const isRight = digest.equals(digest.sha256(given), hash)
    // Asked each time: a token that an administrator made meanwhile ends the set-up too.
    const isOpen = isRight && isInTime(offeredAt, yield* Clock.currentTimeMillis) && (yield* unclaimed)
    if (!isOpen) return yield* new NoSetUp()
  })

  const emailTaken = () =>
    Effect.fail(new InvalidArgument({ field: "email", reason: "must not belong to an existing user" }))

  const claimLogin: SetUp["Service"]["claimLogin"] = Effect.fn("SetUp.claimLogin")(
    function* (given, text, password) {
      yield* check(given)
      const email = normalizeEmail(text)
      if (!isEmail(email)) return yield* new InvalidArgument({ field: "email", reason: "must be an email address" })
      const passwordHash = yield* choose(passwords, password)
      const createdAt = yield* Clock.currentTimeMillis
      const account: Account = {
        id: yield* ids.mint("account"),
        tenantId: tenant.id,
        kind: "user",
        email,
        role: firstRole,
        rateLimit: null,
        deactivatedAt: null,
        createdAt
      }
      const actor = yield* Effect.provideService(operator, Ids, ids)
      const auditedAction = {
        operation: "CREATE",
        action: "set up",
        entityType: "account",
        entityId: account.id
      } as const
      const user = { account, firstName: "", surname: "", passwordHash, verifiedAt: null, invite: null }
      yield* users.insert(user, yield* makeAudit(ids)(actor, auditedAction, createdAt))
    },
    Effect.catchTag("EmailTaken", emailTaken),
    lock.withPermit
  )

  const claim: SetUp["Service"]["claim"] = Effect.fn("SetUp.claim")(
    function* (given, email) {
      yield* check(given)
      const actor = yield* Effect.provideService(operator, Ids, ids)
      yield* administration.createUser(tenant.id, email, firstRole, actor)
      const { secret } = yield* administration.createToken(tenant.id, email, "set-up", null, actor)
      return secret
    },
    Effect.catchTags({
      EmailTaken: emailTaken,
      NoSuch: Effect.die
    }),
    lock.withPermit
  )

  return SetUp.of({ token: (yield* unclaimed) ? Option.some(token) : Option.none(), check, claim, claimLogin, tenant })
})
