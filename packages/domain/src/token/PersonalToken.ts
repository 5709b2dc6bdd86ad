import { Result } from "effect"
import type { Caller } from "../access/Caller.ts"
import type { Operation, PrivilegeRules } from "../access/Privilege.ts"
import type { Validity } from "../access/TokenLifetime.ts"
import { alphabet } from "../shared/Id.ts"
import { type Instant, toUnixSeconds } from "../shared/Instant.ts"
import type { CreatedBy } from "./CreatedBy.ts"

/** A token that a user created for programs (§5.2, item 2a). Its privileges are the user's current ones. */
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
  /** Unix seconds; null if the token does not expire. */
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

/** Returns the CRC-32 of ASCII text, as in ISO 3309 and PNG. */
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

/** Returns the token of a secret of 36 random characters. The checksum lets scanners and servers detect typos. */
export const format = (secret: string): string => prefix + secret + checksum(secret)

/** Returns whether text has the format and checksum of a personal token. Other text is refused without a look-up. */
export const isWellFormed = (text: string): boolean => {
  if (!/^wcs_pat_[0-9A-Za-z]{42}$/.test(text)) return false
  const secret = text.slice(prefix.length, prefix.length + secretLength)
  return text.slice(prefix.length + secretLength) === checksum(secret)
}

/** Ten years. A token that should live longer should not expire. */
export const maxLifetimeSeconds = 10 * 366 * 24 * 3600

/** Returns whether a token may have this lifetime. */
export const isLifetime = (seconds: number): boolean =>
  Number.isInteger(seconds) && seconds >= 1 && seconds <= maxLifetimeSeconds

/** Returns the token's validity, without the owner's deactivation. */
export const validityOf = (token: PersonalToken): Validity => ({
  issuedAt: toUnixSeconds(token.createdAt),
  expiresAt: token.expiresAt,
  revokedAt: token.revokedAt
})

/**
 * Returns the owner whose tokens an operation can access: the caller, or any user if the caller has the privilege
 * (DECISIONS.md#access).
 */
export const reachOf = (
  { authorize }: Pick<PrivilegeRules["Service"], "authorize">,
  { account, privileges }: Pick<Caller["Service"], "account" | "privileges">,
  operation: Operation
): "own" | "everybody's" =>
  Result.isSuccess(authorize(account, privileges, [{ entityType: "accessToken", operation }])) ? "everybody's" : "own"
