import { Context, Data, Effect, Redacted } from "effect"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import type { Party } from "./FairQueue.ts"

/** Too many passwords are being hashed, and the party of this one has the greatest share. Nothing was checked. */
export class PasswordsBusy extends Data.TaggedError("PasswordsBusy")<{ readonly retryAfterSeconds: number }> {}

/**
 * Allowed password lengths in characters. NIST SP 800-63B-4, section 3.1.1.2, requires 8 with another factor, 15
 * without, and allows at least 64.
 */
export const lengths = { minimum: 10, maximum: 128 } as const

/**
 * Returns the password in the form that is hashed, independent of how the keyboard composed it (SP 800-63B-4, 3.1.1.2).
 */
export const normalize = (password: string): string => password.normalize("NFKC")

/**
 * Returns whether a user may choose the password. Length counts code points. Refuses U+FFFD, which replaces bytes that
 * are not UTF-8: different passwords would become equal.
 */
export const isAcceptable = (password: string): boolean => {
  const characters = [...normalize(password)]
  const isPlain = characters.every((character) => !/^[\p{Cc}\uFFFD]$/u.test(character))
  return isPlain && characters.length >= lengths.minimum && characters.length <= lengths.maximum
}

/** Hashes and verifies passwords, with fair shares for all parties (DECISIONS.md#access). */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** Returns whether the password is a common one, ignoring letter case. */
    readonly isCommon: (password: Redacted.Redacted) => Effect.Effect<boolean>
    /** Returns the password's hash for storage, with its algorithm, parameters and a new salt. */
    readonly hash: (password: Redacted.Redacted, party: Party) => Effect.Effect<string, PasswordsBusy>
    /**
     * Returns whether the password matches `hash`. Without a hash (unknown user, no password) does the same work and
     * returns false.
     */
    readonly verify: (
      password: Redacted.Redacted,
      hash: string | null,
      party: Party
    ) => Effect.Effect<boolean, PasswordsBusy>
  }
>()("@wcs/domain/Passwords") {}

const refused = (reason: string) => new InvalidArgument({ field: "password", reason })

/**
 * Returns the hash of a password that a user of the tenant chooses. Fails if the password has a wrong format or is common (SP
 * 800-63B-4, section 3.1.1.2).
 */
export const choose = Effect.fn("Passwords.choose")(function* (
  passwords: Passwords["Service"],
  password: Redacted.Redacted,
  tenantId: string
) {
  if (!isAcceptable(Redacted.value(password))) {
    const { maximum, minimum } = lengths
    return yield* refused(`must have ${minimum} to ${maximum} characters, in UTF-8 and without control characters`)
  }
  if (yield* passwords.isCommon(password)) return yield* refused("is too common: choose another password")
  return yield* passwords.hash(password, { tenantId, address: null })
})
