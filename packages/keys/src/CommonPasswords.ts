import { lengths } from "@wcs/domain/login/Passwords"
import { Effect } from "effect"

/** Reads the common passwords that are long enough to be chosen, in lower case. Takes some 15 ms, so it waits for use. */
const read = Effect.promise(async () => {
  const { default: passwords } = await import("@zxcvbn-ts/language-common/src/passwords.json", {
    with: { type: "json" }
  })
  return new Set(passwords.filter(({ length }) => length >= lengths.minimum))
})

/** The common passwords, read at the first use. */
export const make: Effect.Effect<Effect.Effect<ReadonlySet<string>>> = Effect.cached(read)
