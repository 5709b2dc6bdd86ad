import { Result } from "effect"
import { alphabet } from "../shared/Id.ts"
import { type Instant, toUnixSeconds } from "../shared/Instant.ts"
import type { Caller } from "./Caller.ts"
import type { CreatedBy } from "./CreatedBy.ts"
import type { Operation, PrivilegeRules } from "./Privilege.ts"
import type { Validity } from "./TokenLifetime.ts"

/** A token that a user made for programs (§5.2, item 2a). Its privileges are the user's own, at every call. */
export interface PersonalToken {
  readonly id: string
  readonly tenantId: string
  readonly accountId: string
  readonly name: string
  /** SHA-256 of the whole token, hex. */
  readonly tokenHash: string
  readonly lastFour: string
  readonly createdAt: Instant
  readonly createdBy: CreatedBy | null
  /** Unix seconds, or null: it lives until it is revoked. */
  readonly expiresAt: number | null
  readonly revokedAt: Instant | null
  readonly lastUsedAt: Instant | null
}

export const prefix = "wcs_pat_"
export const secretLength = 36
const checksumLength = 6

const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let crc = byte
  for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ 0xedb88320 : crc >>> 1
  return crc >>> 0
})

/** CRC-32 as in ISO 3309 and PNG, of ASCII text. */
export const crc32 = (text: string): number => {
  let crc = 0xffffffff
  for (let index = 0; index < text.length; index++) {
    crc = (crcTable[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0) ^ (crc >>> 8)
  }
  return (crc ^ 0xffffffff) >>> 0
}

const checksum = (secret: string): string => {
  let rest = crc32(secret)
  let text = ""
  for (let index = 0; index < checksumLength; index++) {
    text = alphabet[rest % 62] + text
    rest = Math.floor(rest / 62)
  }
  return text
}

/** The token of a secret of 36 random characters: the checksum lets scanners and servers tell a typo from a token. */
export const format = (secret: string): string => prefix + secret + checksum(secret)

/** Whether text is a personal token by its form and checksum; anything else is refused without a look-up. */
export const isWellFormed = (text: string): boolean => {
  if (!/^wcs_pat_[0-9A-Za-z]{42}$/.test(text)) return false
  const secret = text.slice(prefix.length, prefix.length + secretLength)
  return text.slice(prefix.length + secretLength) === checksum(secret)
}

/** Ten years: what is meant to live longer is meant not to expire. */
export const maxLifetimeSeconds = 10 * 366 * 24 * 3600

/** Whether a token can be given so long to live. */
export const isLifetime = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= 1 && seconds <= maxLifetimeSeconds

/** What its validity rests on, the owner's deactivation apart. */
export const validityOf = (token: PersonalToken): Validity => ({
  issuedAt: toUnixSeconds(token.createdAt),
  expiresAt: token.expiresAt,
  revokedAt: token.revokedAt
})

/**
 * Whose tokens a caller reaches by an operation: its own always, other people's with the privilege alone (decisions,
 * §6).
 */
export const reachOf = (
  { authorize }: Pick<PrivilegeRules["Service"], "authorize">,
  { account, privileges }: Pick<Caller["Service"], "account" | "privileges">,
  operation: Operation
): "own" | "everybody's" =>
  Result.isSuccess(authorize(account, privileges, [{ entityType: "accessToken", operation }])) ? "everybody's" : "own"
