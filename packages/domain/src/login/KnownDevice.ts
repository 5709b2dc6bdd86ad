import { Schema } from "effect"

/** A browser in which the user logged in before. Wrong passwords from elsewhere do not lock this browser out. */
export const KnownDevice = Schema.Struct({
  id: Schema.String,
  tenantId: Schema.String,
  email: Schema.String,
  /** Digest of the current password hash. After a change of password the browser is unknown again. */
  passwordDigest: Schema.String
})
export type KnownDevice = typeof KnownDevice.Type

export const purpose = "known device"
export const lifetimeMillis = 365 * 24 * 60 * 60 * 1000
