/**
 * The secrets that a receiver accepts: the one in force, and those that a rotation has replaced, for at least 24 hours
 * each (§6; EVT-11). Pure: moments are handed in, as milliseconds since 1970.
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
 * The ring of a webhook whose secret was never rotated.
 *
 * @public
 */
export const make = (current: SigningSecret): SecretRing => ({ current, former: [] })

/**
 * The ring after a rotation: the fresh secret is in force, and the one before it stays accepted for the changeover. A
 * shorter changeover than 24 hours counts as 24 hours. Secrets whose time is over are dropped.
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
