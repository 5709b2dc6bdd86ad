import { Context, Data, Effect, Redacted } from "effect"
import { InvalidArgument } from "../shared/InvalidArgument.ts"

/** So many passwords are being worked on that another one would only wait: nothing was looked at. */
export class PasswordsBusy extends Data.TaggedError("PasswordsBusy")<{ readonly retryAfterSeconds: number }> {}

/**
 * How many characters a password has. NIST SP 800-63B-4, section 3.1.1.2, wants 8 beside another factor and 15 without
 * one, and 64 at the least allowed.
 */
export const lengths = { minimum: 10, maximum: 128 } as const

/** A password in the one form in which it is compared, however the keyboard composed it (SP 800-63B-4, 3.1.1.2). */
export const normalize = (password: string): string => password.normalize("NFKC")

/**
 * Whether a user may choose the password; its characters are counted as people count them. U+FFFD stands where text was
 * in another encoding than UTF-8: whatever bytes were there, they would all be the same password.
 */
export const isAcceptable = (password: string): boolean => {
  const characters = [...normalize(password)]
  const isPlain = characters.every((character) => !/^[\p{Cc}\uFFFD]$/u.test(character))
  return isPlain && characters.length >= lengths.minimum && characters.length <= lengths.maximum
}

/** How users' passwords are kept and told (DECISIONS.md#access). */
export class Passwords extends Context.Service<
  Passwords,
  {
    /** Whether the password is one of the most common ones, in upper or lower case. */
    readonly isCommon: (password: Redacted.Redacted) => Effect.Effect<boolean>
    /** The password as it may be stored: text that says how it was made, with a salt of its own. */
    readonly hash: (password: Redacted.Redacted) => Effect.Effect<string, PasswordsBusy>
    /**
     * Whether it is the password that `hash` was made from. Where there is no hash, as of a user who is unknown or has
     * no password, the same work is done and the answer is no.
     */
    readonly verify: (password: Redacted.Redacted, hash: string | null) => Effect.Effect<boolean, PasswordsBusy>
  }
>()("@wcs/domain/Passwords") {}

const refused = (reason: string) => new InvalidArgument({ field: "password", reason })

/**
 * Returns the hash of a password that a user chooses. Fails if the user may not choose it: its form is wrong, or it is
 * one of the common passwords that attackers try first (SP 800-63B-4, section 3.1.1.2).
 */
export const choose = Effect.fn("Passwords.choose")(function* (
  passwords: Passwords["Service"],
  password: Redacted.Redacted
) {
  if (!isAcceptable(Redacted.value(password))) {
    const { maximum, minimum } = lengths
    return yield* refused(`must have ${minimum} to ${maximum} characters of UTF-8, and no control characters`)
  }
  if (yield* passwords.isCommon(password)) return yield* refused("is too common: choose another one")
  return yield* passwords.hash(password)
})
