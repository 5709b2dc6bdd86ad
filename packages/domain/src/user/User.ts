import type { Account } from "../access/Account.ts"
import type { Instant } from "../shared/Instant.ts"
import { searchWords } from "../shared/SearchWords.ts"

/** The link with which a new user sets the first password. A user has at most one, usable once. */
export interface UserInvite {
  /** SHA-256 of the link's secret, hex. */
  readonly tokenHash: string
  readonly expiresAt: Instant
}

/** A user: the account, and the fields of the legacy surface (§2.1). */
export interface User {
  /** The user's `id` on the legacy surface. */
  readonly number: number
  readonly account: Account
  /** Empty if unknown. */
  readonly firstName: string
  readonly surname: string
  /** The result of `Passwords.hash`; null if the user cannot log in with a password. */
  readonly passwordHash: string | null
  /** When an administrator verified the account; null if not verified (§5.1, item 6). */
  readonly verifiedAt: Instant | null
  /** The link that sets the first password, or null. */
  readonly invite: UserInvite | null
  /** The account that made the latest invite link; null if there was none. Kept after joining. */
  readonly invitedBy: string | null
  /** When the person first set a password, or logged in through an identity provider; null before. */
  readonly joinedAt: Instant | null
}

/** Returns the words by which a search finds a user, each once. */
export const wordsOfUser = ({ account, firstName, surname }: Pick<User, "account" | "firstName" | "surname">) =>
  searchWords([surname, firstName, account.email ?? ""], [])

/** A tenant, as the only organization of its users on the legacy surface (§2.1). */
export interface Organization {
  readonly number: number
  readonly name: string
  /** The Australian Business Number, 11 digits; empty if unknown. */
  readonly abn: string
}

const abnWeights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]

/** Returns the digits of an ABN, which people write in groups. */
export const normalizeAbn = (text: string): string => text.replaceAll(/\s/g, "")

/**
 * Returns whether 11 digits are an ABN. The weighted sum of the digits, the first less 1, is a multiple of 89 (ABN
 * format, ATO).
 */
export const isAbn = (digits: string): boolean => {
  if (!/^[1-9]\d{10}$/.test(digits)) return false
  const sum = abnWeights.reduce(
    (total, weight, index) => total + weight * (Number(digits[index]) - Number(index === 0)),
    0
  )
  return sum % 89 === 0
}

/** A user as `GET users/me` returns it (§2.1). */
export interface ShownUser {
  readonly id: number
  readonly email: string
  readonly first_name: string
  readonly surname: string
  /** Present with Bearer only. */
  readonly is_verified?: boolean
  readonly organization: { readonly id: number; readonly name: string } | ShownOrganization
}

/** An organization as `GET organizations/me` returns it. */
export interface ShownOrganization {
  readonly id: number
  readonly name: string
  readonly abn: string
  /** Always true: an organization that is no longer served has no host. */
  readonly is_active: true
}

export const showOrganization = ({ abn, name, number }: Organization): ShownOrganization => ({
  id: number,
  name,
  abn,
  is_active: true
})

const identityOf = ({ account, firstName, number, surname }: User) => ({
  id: number,
  email: account.email ?? "",
  first_name: firstName,
  surname
})

/** Returns the user for a call with Basic: enough for the token exchange, with the organization's id and name only. */
export const showByBasic = (user: User, { name, number }: Organization): ShownUser => ({
  ...identityOf(user),
  organization: { id: number, name }
})

/** Returns the user for a call with Bearer. */
export const showByBearer = (user: User, organization: Organization): ShownUser => ({
  ...identityOf(user),
  is_verified: user.verifiedAt !== null,
  organization: showOrganization(organization)
})
