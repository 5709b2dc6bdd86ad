import { Schema } from "effect"

/** A browser in which a user logged in before. Wrong passwords sent from elsewhere do not shut this browser out. */
export const KnownDevice = Schema.Struct({
  id: Schema.String,
  tenantId: Schema.String,
  email: Schema.String,
  /** Digest of the password hash at that moment: a change of the password makes the browser unknown. */
  passwordDigest: Schema.String
})
export type KnownDevice = typeof KnownDevice.Type

export const purpose = "known device"
export const lifetimeMillis = 365 * 24 * 60 * 60 * 1000
