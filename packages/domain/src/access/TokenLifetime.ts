import { Context, Data, Layer, Result } from "effect"
import { type Instant, toUnixSeconds } from "../shared/Instant.ts"

/** The kinds of bearer token (§5) and their default lifetimes. */
export const defaultLifetimeSeconds = {
  /** §5.2, item 5. */
  oauth: 3600,
  /** §5.1, item 4: 30 days. */
  legacy: 30 * 24 * 3600
} as const

/** The longest lifetime of a legacy token: 90 days. */
export const maxLegacyLifetimeSeconds = 90 * 24 * 3600

/** Returns whether a legacy token may have this lifetime. */
export const isLegacyLifetime = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= 1 && seconds <= maxLegacyLifetimeSeconds

/** A client may renew a token that expires in less than 5 minutes (§5.1, item 4). */
export const renewalWindowSeconds = 300

/** The data that decides whether a token is valid. */
export interface Validity {
  /** Unix seconds. */
  readonly issuedAt: number
  /** Unix seconds: the first second at which the token is refused. Null if the token does not expire. */
  readonly expiresAt: number | null
  /** Unix milliseconds; null if not revoked. */
  readonly revokedAt: Instant | null
}

/** Returns the validity of a token issued now. */
export const issue = (now: Instant, lifetimeSeconds: number | null): Validity => {
  const issuedAt = toUnixSeconds(now)
  return { issuedAt, expiresAt: lifetimeSeconds === null ? null : issuedAt + lifetimeSeconds, revokedAt: null }
}

/** The requested lifetime is longer than that of the token used to create the new one. */
export class OutlivesMaker extends Data.TaggedError("OutlivesMaker")<{
  /** Remaining lifetime of the creating token: the longest that can be requested. */
  readonly maxLifetimeSeconds: number
}> {}

/**
 * Issues an item created with a token. It expires no later than the token, and with the token if no lifetime is
 * requested. Fails if the lifetime is longer, or null while the token expires.
 */
export const issueWithin = (
  now: Instant,
  lifetimeSeconds: number | null | undefined,
  maker: Pick<Validity, "expiresAt">
): Result.Result<Validity, OutlivesMaker> => {
  const asked = issue(now, lifetimeSeconds ?? null)
  if (maker.expiresAt === null) return Result.succeed(asked)
  if (lifetimeSeconds === undefined) return Result.succeed({ ...asked, expiresAt: maker.expiresAt })
  return asked.expiresAt !== null && asked.expiresAt <= maker.expiresAt
    ? Result.succeed(asked)
    : Result.fail(new OutlivesMaker({ maxLifetimeSeconds: maker.expiresAt - asked.issuedAt }))
}

/** Returns whether the token has expired: refused "on or after" `exp` (RFC 7519, section 4.1.4). */
export const isExpired = ({ expiresAt }: Pick<Validity, "expiresAt">, now: Instant): boolean =>
  expiresAt !== null && now >= expiresAt * 1000

/**
 * Returns whether the token was revoked (§5.1, item 4; §5.2, item 8). Ignores the time of revocation, because clocks of
 * servers differ and no revocation is in the future.
 */
export const isRevoked = ({ revokedAt }: Pick<Validity, "revokedAt">): boolean => revokedAt !== null

/** Returns whether the token is accepted now. */
export const isLive = (validity: Validity, now: Instant): boolean => !isExpired(validity, now) && !isRevoked(validity)

/** Revokes the token now. A token that is already revoked keeps its `revokedAt`. */
export const revoke = (validity: Validity, now: Instant): Validity =>
  isRevoked(validity) ? validity : { ...validity, revokedAt: now }

/** Returns whether the token expires in less than 5 minutes, so that a client may renew before a 401. */
export const isDueForRenewal = ({ expiresAt }: Pick<Validity, "expiresAt">, now: Instant): boolean =>
  expiresAt !== null && expiresAt * 1000 - now < renewalWindowSeconds * 1000

/** Returns whether both tokens of a rotation are live (§5.2, item 8). */
export const overlap = (old: Validity, next: Validity, now: Instant): boolean => isLive(old, now) && isLive(next, now)

/** The rules of this module as a service, so that tests and deployments can replace one rule. */
export class TokenLifetime extends Context.Service<
  TokenLifetime,
  {
    readonly issue: typeof issue
    readonly issueWithin: typeof issueWithin
    readonly isExpired: typeof isExpired
    readonly isRevoked: typeof isRevoked
    readonly isLive: typeof isLive
    readonly revoke: typeof revoke
    readonly isDueForRenewal: typeof isDueForRenewal
    readonly overlap: typeof overlap
  }
>()("@wcs/domain/TokenLifetime") {}

export const layer = Layer.succeed(
  TokenLifetime,
  TokenLifetime.of({ issue, issueWithin, isExpired, isRevoked, isLive, revoke, isDueForRenewal, overlap })
)
