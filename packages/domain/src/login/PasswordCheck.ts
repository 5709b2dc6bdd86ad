import { Context, Effect, Layer, Option, Redacted } from "effect"
import { isEmail, normalizeEmail } from "../access/Account.ts"
import { RateLimited, RateLimiter } from "../access/RateLimitTier.ts"
import * as SecretFailures from "../access/SecretFailures.ts"
import { TokenLifetime } from "../access/TokenLifetime.ts"
import { Unauthenticated } from "../access/Unauthenticated.ts"
import { Passwords, type PasswordsBusy } from "../user/Passwords.ts"
import type { User } from "../user/User.ts"
import { UserStore } from "../user/UserStore.ts"

/** A user name and password as sent. */
export interface PasswordAttempt {
  readonly username: string
  readonly password: Redacted.Redacted
  readonly address: string
  /**
   * The id of a browser in which this user logged in before; null for others. Failures of strangers do not count
   * against this browser, so nobody can lock the user out.
   */
  readonly knownDevice: string | null
}

/** Checks passwords for both surfaces and for web login. */
export class PasswordCheck extends Context.Service<
  PasswordCheck,
  {
    /**
     * Returns the user with this email and password. Every refusal takes the same work and gives the same error:
     * unknown user, no password, wrong password, deactivated user. Failures count by `SecretFailures`, and per user
     * name from any address. An interrupted attempt counts as a failure. Above a limit every attempt is refused, even
     * with the right password. Successes count in the user name's `standard` limit, because each costs as much as a
     * failure.
     */
    readonly check: (
      tenantId: string,
      attempt: PasswordAttempt
    ) => Effect.Effect<User, Unauthenticated | RateLimited | PasswordsBusy>
  }
>()("@wcs/domain/PasswordCheck") {}

/** Longer than any password that can be set. */
const maxPasswordLength = 1024

export const make = Effect.gen(function* () {
  const store = yield* UserStore
  const passwords = yield* Passwords
  const limiter = yield* RateLimiter
  const lifetime = yield* TokenLifetime

  const check: PasswordCheck["Service"]["check"] = Effect.fn("PasswordCheck.check")(function* (
    tenantId,
    { address, knownDevice, password, username }
  ) {
    const email = normalizeEmail(username)
    const name = `${tenantId} ${email.slice(0, 254)}`
    const anywhere = knownDevice === null ? name : `${name} ${knownDevice}`
    const failures = [...SecretFailures.windowsOf({ address, name }), ["loginFailures", anywhere]] as const
    const countFailure = SecretFailures.count(limiter, failures)
    /** Checked before and after the hash, so that concurrent guesses above the limit are refused without a result. */
    const refuseBeyond = Effect.flatMap(SecretFailures.standing(limiter, [...failures, ["standard", name]]), (quota) =>
      quota.exceeded ? Effect.fail(new RateLimited({ quota })) : Effect.void
    )
    yield* refuseBeyond
    const found = isEmail(email) ? yield* store.findByEmail(tenantId, email) : Option.none<User>()
    const hash = Option.match(found, { onNone: () => null, onSome: ({ passwordHash }) => passwordHash })
    const isTooLong = Redacted.value(password).length > maxPasswordLength
    const isRight = yield* passwords
      .verify(isTooLong ? Redacted.make("") : password, hash, { tenantId, address })
      .pipe(Effect.onInterrupt(() => countFailure))
    yield* refuseBeyond
    const user = Option.filter(
      found,
      ({ account }) => isRight && !lifetime.isRevoked({ revokedAt: account.deactivatedAt })
    )
    if (Option.isSome(user)) {
      yield* limiter.take("standard", name)
      return user.value
    }
    const quota = yield* countFailure
    return yield* quota.exceeded ? new RateLimited({ quota }) : new Unauthenticated()
  })

  return PasswordCheck.of({ check })
})

export const layer = Layer.effect(PasswordCheck, make)
