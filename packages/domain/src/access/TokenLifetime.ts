import { Context, Data, Layer, Result } from "effect"
import { type Instant, toUnixSeconds } from "../shared/Instant.ts"

/** The kinds of bearer token (§5) and how long each lives where nothing else is configured. */
export const defaultLifetimeSeconds = {
  /** §5.2, item 5. */
  oauth: 3600,
  /** §5.1, item 4: 30 days. */
  legacy: 30 * 24 * 3600
} as const

/** No token of the legacy surface lives longer: 90 days. */
export const maxLegacyLifetimeSeconds = 90 * 24 * 3600

/** Whether a token of the legacy surface may live so long. */
export const isLegacyLifetime = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= 1 && seconds <= maxLegacyLifetimeSeconds

/** A client may renew when fewer than 5 minutes remain (§5.1, item 4). */
export const renewalWindowSeconds = 300

/** What a token's validity rests on. Personal tokens need not expire. */
export interface Validity {
  /** Unix seconds. */
  readonly issuedAt: number
  /** Unix seconds: the first second at which the token is no longer accepted; null where it does not expire. */
  readonly expiresAt: number | null
  /** Unix milliseconds, or null while nobody revoked it. */
  readonly revokedAt: Instant | null
}

/** A token issued now for so many seconds. */
export const issue = (now: Instant, lifetimeSeconds: number | null): Validity => {
  const issuedAt = toUnixSeconds(now)
  return { issuedAt, expiresAt: lifetimeSeconds === null ? null : issuedAt + lifetimeSeconds, revokedAt: null }
}

/** What a token makes was to live longer than the token. */
export class OutlivesMaker extends Data.TaggedError("OutlivesMaker")<{
  /** How long the maker lives from now: the most that can be asked for. */
  readonly maxLifetimeSeconds: number
}> {}

/**
 * Issues what a token makes. It expires no later than the token: with no lifetime asked for, at the same moment. A
 * longer lifetime, or null for none at all, is refused.
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

/** "On or after" `exp` a token must not be accepted (RFC 7519, section 4.1.4). */
export const isExpired = ({ expiresAt }: Pick<Validity, "expiresAt">, now: Instant): boolean =>
  expiresAt !== null && now >= expiresAt * 1000

/**
 * A token may end before it expires (§5.1, item 4; §5.2, item 8). What was revoked stays so, whatever a
 * clock says that was set back, or that of another server: nothing is ever revoked ahead of time.
 */
export const isRevoked = ({ revokedAt }: Pick<Validity, "revokedAt">): boolean => revokedAt !== null

/** Whether the token is accepted at this moment. */
export const isLive = (validity: Validity, now: Instant): boolean => !isExpired(validity, now) && !isRevoked(validity)

/** Ends the token now. One that was revoked before stays revoked since then. */
export const revoke = (validity: Validity, now: Instant): Validity =>
  isRevoked(validity) ? validity : { ...validity, revokedAt: now }

/** Whether fewer than 5 minutes remain, so that a client may renew ahead of the 401. */
export const isDueForRenewal = ({ expiresAt }: Pick<Validity, "expiresAt">, now: Instant): boolean =>
  expiresAt !== null && expiresAt * 1000 - now < renewalWindowSeconds * 1000

/** During a rotation the old and the new token are both valid (§5.2, item 8): neither's end touches the other. */
export const overlap = (old: Validity, next: Validity, now: Instant): boolean => isLive(old, now) && isLive(next, now)

/** The rules above as a service, so that one of them can be replaced. */
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

export const layer: Layer.Layer<TokenLifetime> = Layer.succeed(
  TokenLifetime,
  TokenLifetime.of({ issue, issueWithin, isExpired, isRevoked, isLive, revoke, isDueForRenewal, overlap })
)
