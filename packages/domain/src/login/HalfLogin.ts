import { Schema } from "effect"

/**
 * A login with the right password that still needs a second factor. A half login is not a session: it only opens the
 * page for the code.
 */
export const HalfLogin = Schema.Struct({
  tenantId: Schema.String,
  accountId: Schema.String,
  /** Digest of the current password hash. A change of password ends the half login. */
  passwordDigest: Schema.String,
  /** The missing step: a code of the enrolled app, or the enrolment of an app. */
  needs: Schema.Literals(["code", "enrolment"])
})
export type HalfLogin = typeof HalfLogin.Type

export const purpose = "half login"
export const lifetimeMillis = 5 * 60 * 1000
