/**
 * The stored items with sealed secrets. Signing keys must be last: as long as one needs the previous master key, no
 * server starts without that key.
 */
export const sealedKinds = ["webhook", "identityProvider", "secondFactor", "signingKey"] as const
export type SealedKind = (typeof sealedKinds)[number]
