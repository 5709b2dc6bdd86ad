/** The stored items with sealed secrets, in the order in which they are sealed anew. */
export const sealedKinds = [
  "webhook",
  "identityProvider",
  "verificationSource",
  "secondFactor",
  "document",
  "signingKey"
] as const
export type SealedKind = (typeof sealedKinds)[number]

/**
 * Whether a kind stays under the previous master key, because no key opens some secrets of the kinds before it. Signing
 * keys do: as long as one needs the previous key, no server starts without that key.
 */
export const staysSealed = (kind: SealedKind, unreadable: number): boolean => kind === "signingKey" && unreadable > 0
