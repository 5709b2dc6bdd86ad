/** The codes of an authenticator app. They come from the suite, so that service and tests check each other. */
import * as Totp from "@wcs/conformance/wire/Totp"

/** The code of an app with this base32 seed, at a time in Unix milliseconds. */
export const codeAt = (seed: string, millis: number): string => {
  const key = Totp.keyOf(seed)
  if (key === undefined) throw new Error("the seed is not base32")
  return Totp.codeAt(key, millis)
}
