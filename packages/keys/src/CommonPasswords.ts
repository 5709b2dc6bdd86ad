import { lengths } from "@wcs/domain/user/Passwords"
import { Effect } from "effect"

/** Reads the common passwords of allowed length, in lower case. Takes some 15 ms, so it runs at first use. */
const read = Effect.promise(async () => {
  const { default: passwords } = await import("@zxcvbn-ts/language-common/src/passwords.json", {
    with: { type: "json" }
  })
  return new Set(passwords.filter(({ length }) => length >= lengths.minimum))
})

/** The common passwords, read at the first use. */
export const make: Effect.Effect<Effect.Effect<ReadonlySet<string>>> = Effect.cached(read)
