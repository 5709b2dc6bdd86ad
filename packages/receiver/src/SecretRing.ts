/**
 * The secrets that a receiver accepts: the current one, and replaced ones for at least 24 hours each (§6; EVT-11). Pure
 * functions; times are milliseconds since 1970.
 */
import type { SigningSecret } from "./SigningSecret.ts"

export interface SecretRing {
  readonly current: SigningSecret
  /** Newest first. */
  readonly former: ReadonlyArray<FormerSecret>
}

export interface FormerSecret {
  readonly secret: SigningSecret
  /** The last time at which it is accepted. */
  readonly acceptedUntil: number
}

/** The shortest time that a replaced secret stays accepted. */
export const changeoverSecondsLeast = 86_400

/**
 * The ring of a webhook without a rotation.
 *
 * @public
 */
export const make = (current: SigningSecret): SecretRing => ({ current, former: [] })

/**
 * The ring after a rotation: `fresh` is current, and the previous secret stays accepted for the changeover, at least 24
 * hours. Drops expired secrets.
 *
 * @public
 */
export const rotated = (
  ring: SecretRing,
  fresh: SigningSecret,
  replacedAt: number,
  changeoverSeconds: number = changeoverSecondsLeast
): SecretRing => {
  const seconds = Math.max(changeoverSecondsLeast, changeoverSeconds)
  const replaced = { secret: ring.current, acceptedUntil: replacedAt + seconds * 1000 }
  return { current: fresh, former: [replaced, ...ring.former.filter((one) => isAccepted(one, replacedAt))] }
}

/** The secrets that are accepted at a time, newest first. */
export const accepted = (ring: SecretRing, now: number): ReadonlyArray<SigningSecret> => [
  ring.current,
  ...ring.former.filter((one) => isAccepted(one, now)).map(({ secret }) => secret)
]

const isAccepted = ({ acceptedUntil }: FormerSecret, now: number): boolean => now <= acceptedUntil
