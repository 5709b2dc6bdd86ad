import type { Account } from "../access/Account.ts"
import type { Instant } from "../shared/Instant.ts"

/** The link by which a new user sets the first password. A user has at most one, and it is used once. */
export interface UserInvite {
  /** SHA-256 of the link's secret, hex. */
  readonly tokenHash: string
  readonly expiresAt: Instant
}

/** A person who logs in: the account that they act as, and what the legacy surface shows of them (§2.1). */
export interface User {
  /** The `id` of the legacy surface. */
  readonly number: number
  readonly account: Account
  /** Empty where nobody has told it. */
  readonly firstName: string
  readonly surname: string
  /** What `Passwords.hash` made; null: there is no password to log in with. */
  readonly passwordHash: string | null
  /** When somebody vouched for the account; null: it is not verified (§5.1, item 6). */
  readonly verifiedAt: Instant | null
  /** The link that sets the first password, or null. */
  readonly invite: UserInvite | null
}

/** The one organization that a user belongs to, as the legacy surface shows it (§2.1): a tenant. */
export interface Organization {
  readonly number: number
  readonly name: string
  /** The Australian Business Number, 11 digits; empty where nobody has told it. */
  readonly abn: string
}

const abnWeights = [10, 1, 3, 5, 7, 9, 11, 13, 15, 17, 19]

/** The digits of an ABN, which people write in groups. */
export const normalizeAbn = (text: string): string => text.replaceAll(/\s/g, "")

/** Whether 11 digits are an ABN: the first less 1, all by their weights, come to a multiple of 89 (ABN format, ATO). */
export const isAbn = (digits: string): boolean => {
  if (!/^[1-9]\d{10}$/.test(digits)) return false
  const sum = abnWeights.reduce(
    (total, weight, index) => total + weight * (Number(digits[index]) - Number(index === 0)),
    0
  )
  return sum % 89 === 0
}

/** A user as `GET users/me` answers it (§2.1). */
export interface ShownUser {
  readonly id: number
  readonly email: string
  readonly first_name: string
  readonly surname: string
  /** With Bearer only. */
  readonly is_verified?: boolean
  readonly organization: { readonly id: number; readonly name: string } | ShownOrganization
}

/** An organization as `GET organizations/me` answers it. */
export interface ShownOrganization {
  readonly id: number
  readonly name: string
  readonly abn: string
  /** One that the service no longer serves has no host to ask it at. */
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

/** What Basic shows: who one is, for the token exchange, and of the organization its id and name. */
export const showByBasic = (user: User, { name, number }: Organization): ShownUser => ({
  ...identityOf(user),
  organization: { id: number, name }
})

/** What Bearer shows. */
export const showByBearer = (user: User, organization: Organization): ShownUser => ({
  ...identityOf(user),
  is_verified: user.verifiedAt !== null,
  organization: showOrganization(organization)
})
