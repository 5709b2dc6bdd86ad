import { Clock, Context, Data, Effect, Option, Redacted, Result, Semaphore } from "effect"
import { type Account, isEmail, normalizeEmail } from "../access/Account.ts"
import { tokenLength } from "../access/OpaqueToken.ts"
import type { Role } from "../access/Privilege.ts"
import type { Tenant } from "../access/Tenant.ts"
import { makeAudit } from "../audit/AuditEntry.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { AccessStore } from "../token/AccessStore.ts"
import { Administration } from "../token/Administration.ts"
import type { OAuthClient } from "../token/OAuthClient.ts"
import { operator } from "../token/Operator.ts"
import type { PersonalToken } from "../token/PersonalToken.ts"
import { choose, Passwords, type PasswordsBusy } from "../user/Passwords.ts"
import type { User } from "../user/User.ts"
import { UserStore } from "../user/UserStore.ts"

/** No set-up is possible: the token is wrong, used or expired, or the deployment is already set up. */
export class NoSetUp extends Data.TaggedError("NoSetUp") {}

/** Lifetime of the set-up address (DECISIONS.md#operation). */
export const lifetimeMillis = 30 * 60 * 1000
/** Role of the first account. */
const firstRole: Role = "Super Admin"

/** Returns whether the set-up address is still valid. */
const isInTime = (offeredAt: Instant, now: Instant): boolean => now < offeredAt + lifetimeMillis

/**
 * Returns whether a tenant never had a client, a token or a user with a password, revoked ones included. Only then may
 * the holder of the set-up address become the first Super Admin (threat 33).
 */
const isUnclaimed = (
  clients: ReadonlyArray<OAuthClient>,
  tokens: ReadonlyArray<PersonalToken>,
  users: ReadonlyArray<Pick<User, "passwordHash">>
): boolean => clients.length + tokens.length === 0 && users.every(({ passwordHash }) => passwordHash === null)

/** A tenant with this many users counts as claimed, without checking the rest. */
const usersMax = 1000

/** Whether another database of the deployment has the accounts of a tenant. By default, none has. */
export const IsTenantElsewhere = Context.Reference<(tenantId: string) => boolean>("@wcs/domain/IsTenantElsewhere", {
  defaultValue: () => () => false
})

/** Creates the first Super Admin if the environment names none (threat 33). */
export class SetUp extends Context.Service<
  SetUp,
  {
    /** The token of the set-up address; none if the service is already set up. */
    readonly token: Option.Option<Redacted.Redacted>
    /** Succeeds if the token would be accepted now. */
    readonly check: (token: string) => Effect.Effect<void, NoSetUp>
    /** Creates the Super Admin with a personal token and ends the set-up. Of concurrent calls, one succeeds. */
    readonly claim: (token: string, email: string) => Effect.Effect<Redacted.Redacted, NoSetUp | InvalidArgument>
    /** Creates the Super Admin with a password for web login instead of a token and ends the set-up. */
    readonly claimLogin: (
      token: string,
      email: string,
      password: Redacted.Redacted
    ) => Effect.Effect<void, NoSetUp | InvalidArgument | PasswordsBusy>
    /** The tenant to set up. */
    readonly tenant: Tenant
  }
>()("@wcs/domain/SetUp") {}

/** Returns the set-up of this process for a tenant. */
export const make = Effect.fnUntraced(function* (tenant: Tenant) {
  const administration = yield* Administration
  const digest = yield* Digest
  const ids = yield* Ids
  const store = yield* AccessStore
  const users = yield* UserStore
  const passwords = yield* Passwords
  const lock = yield* Semaphore.make(1)
  const isElsewhere = yield* IsTenantElsewhere

  /** Checks all tenants: if one has a user who can call, the operator already set up the deployment. */
  const unclaimed = Effect.gen(function* () {
    for (const { id } of yield* store.listTenants) {
      if (isElsewhere(id)) return false
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
    // Checked each time: a token that an administrator created meanwhile also ends the set-up.
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
      const passwordHash = yield* choose(passwords, password, tenant.id)
      const createdAt = yield* Clock.currentTimeMillis
      const account: Account = {
        id: yield* ids.mint("account"),
        tenantId: tenant.id,
        kind: "user",
        email,
        role: firstRole,
        rateLimit: null,
        workerId: null,
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
      const names = { firstName: "", surname: "" }
      const user = {
        account,
        ...names,
        passwordHash,
        verifiedAt: null,
        invite: null,
        invitedBy: null,
        joinedAt: createdAt
      }
      const entry = yield* makeAudit(ids)(actor, auditedAction, createdAt)
      yield* users.insert(user, entry, () => Result.void) // no cap: the first user must be able to log in
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
      NoSuch: Effect.die,
      CollectionFull: Effect.die // nobody has a token yet, and only an operator could have created so many users
    }),
    lock.withPermit
  )

  return SetUp.of({ token: (yield* unclaimed) ? Option.some(token) : Option.none(), check, claim, claimLogin, tenant })
})
