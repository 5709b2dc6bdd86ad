import { readSecret } from "@wcs/node-server/PrivateFile"
import { StartRefused } from "@wcs/node-server/StartRefused"
import { Effect, Option, Redacted } from "effect"

/** Reads a token or a password from a file with one line. Other content would break a header. */
export const secretIn = Effect.fnUntraced(function* (path: string) {
  const found = yield* readSecret(path, "The register secret")
  const text = Option.map(found, (whole) => whole.replace(/\r?\n$/, ""))
  if (Option.isNone(text) || !/^[ -~]{1,4096}$/.test(text.value)) {
    return yield* new StartRefused({
      message: "WCS_REGISTER_SECRET_FILE must be the path of a file with one line of 1 to 4096 ASCII characters."
    })
  }
  return Redacted.make(text.value, { label: "the register secret" })
})
