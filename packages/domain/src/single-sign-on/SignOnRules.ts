import { Option, Result } from "effect"
import { type Account, normalizeEmail } from "../access/Account.ts"
import { isSuperAdmin } from "../access/Privilege.ts"
import type { Instant } from "../shared/Instant.ts"
import { type IdentityProviderFields, vouchesFor } from "./IdentityProvider.ts"
import type { ProvenLogin } from "./ProvenLogin.ts"
import { refusedBy, type SignOnRefused } from "./SignOnRefused.ts"

/** Allowed clock difference of an identity provider. */
const clockToleranceMillis = 60_000

/** Returns whether the user authenticated at the identity provider since then; always true if null. */
export const isProvenSince = (
  { authenticatedAt }: Pick<ProvenLogin, "authenticatedAt">,
  freshSince: Instant | null
): boolean => freshSince === null || authenticatedAt >= freshSince - clockToleranceMillis

/**
 * Returns whether the address of a login is verified. If the provider does not say, `trustVerifiedDomains` decides. The
 * caller also checks `vouchesFor`.
 */
export const isEmailVerified = (
  { oidc }: Pick<IdentityProviderFields, "oidc">,
  { emailVerified }: Pick<ProvenLogin, "emailVerified">
): boolean => emailVerified ?? oidc?.trustVerifiedDomains === true

/** The accounts that match a proven login. */
interface Candidates {
  /** The account that the subject is bound to. */
  readonly bound: Option.Option<Account>
  /** The account that has the e-mail address. */
  readonly byEmail: Option.Option<Account>
}

/**
 * Returns the account of a proven login. A bound subject keeps its account. A new subject is matched by its verified
 * email address. In both cases the account's own address must be in a verified domain.
 */
export const accountFor = (
  provider: Pick<IdentityProviderFields, "oidc" | "verifiedDomains">,
  proven: Pick<ProvenLogin, "email" | "emailVerified">,
  { bound, byEmail }: Candidates
): Result.Result<Account, SignOnRefused> => {
  if (Option.isNone(bound)) {
    if (proven.email === null) return Result.fail(refusedBy("EmailMissing"))
    if (!isEmailVerified(provider, proven)) return Result.fail(refusedBy("EmailNotVerified"))
    if (!vouchesFor(provider, normalizeEmail(proven.email))) return Result.fail(refusedBy("DomainNotVerified"))
  }
  const account = Option.getOrUndefined(Option.orElse(bound, () => byEmail))
  if (account === undefined || account.deactivatedAt !== null || account.kind !== "user" || account.email === null) {
    return Result.fail(refusedBy("NoUser"))
  }
  return vouchesFor(provider, account.email) ? Result.succeed(account) : Result.fail(refusedBy("DomainNotVerified"))
}

/**
 * Returns whether a user must log in through the provider. Super Admins may always use password and second factor, as
 * break-glass access.
 */
export const requires = (
  provider: Pick<IdentityProviderFields, "active" | "required" | "verifiedDomains">,
  { email, role }: Account
): boolean =>
  provider.active && provider.required && !isSuperAdmin(role) && email !== null && vouchesFor(provider, email)
