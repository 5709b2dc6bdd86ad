import { Schema } from "effect"

/**
 * A login whose password was right and whose second factor is still missing. It is no session: it opens nothing but
 * the code's page.
 */
export const HalfLogin = Schema.Struct({
  tenantId: Schema.String,
  accountId: Schema.String,
  /** Digest of the password hash at that moment: a change of the password ends the half login. */
  passwordDigest: Schema.String,
  /** The missing step: a code of the confirmed app, or the enrolment of one. */
  needs: Schema.Literals(["code", "enrolment"])
})
export type HalfLogin = typeof HalfLogin.Type

export const purpose = "half login"
export const lifetimeMillis = 5 * 60 * 1000
