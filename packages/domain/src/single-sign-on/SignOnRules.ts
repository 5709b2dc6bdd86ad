import { Option, Result } from "effect"
import { type Account, normalizeEmail } from "../access/Account.ts"
import { isSuperAdmin } from "../access/Privilege.ts"
import type { Instant } from "../shared/Instant.ts"
import { type IdentityProviderFields, vouchesFor } from "./IdentityProvider.ts"
import type { ProvenLogin } from "./ProvenLogin.ts"
import { refusedBy, type SignOnRefused } from "./SignOnRefused.ts"

/** The clock of an identity provider may differ by this much. */
const clockToleranceMillis = 60_000

/** Whether the person logged in at the identity provider since this moment; null if any login will do. */
export const isProvenSince = (
  { authenticatedAt }: Pick<ProvenLogin, "authenticatedAt">,
  freshSince: Instant | null
): boolean => freshSince === null || authenticatedAt >= freshSince - clockToleranceMillis

/** The accounts that a proven login may be about. */
interface Candidates {
  /** The account that the subject is bound to. */
  readonly bound: Option.Option<Account>
  /** The account that has the e-mail address. */
  readonly byEmail: Option.Option<Account>
}

/**
 * The account that a proven login is for. A subject that is bound keeps its account. Another one is matched by its
 * verified e-mail address, this once. The account's own address must be of a verified domain either way.
 */
export const accountFor = (
  provider: Pick<IdentityProviderFields, "verifiedDomains">,
  proven: Pick<ProvenLogin, "email" | "emailVerified">,
  { bound, byEmail }: Candidates
): Result.Result<Account, SignOnRefused> => {
  if (Option.isNone(bound)) {
    if (proven.email === null) return Result.fail(refusedBy("EmailMissing"))
    if (!proven.emailVerified) return Result.fail(refusedBy("EmailNotVerified"))
    if (!vouchesFor(provider, normalizeEmail(proven.email))) return Result.fail(refusedBy("DomainNotVerified"))
  }
  const account = Option.getOrUndefined(Option.orElse(bound, () => byEmail))
  if (account === undefined || account.deactivatedAt !== null || account.kind !== "user" || account.email === null) {
    return Result.fail(refusedBy("NoUser"))
  }
  return vouchesFor(provider, account.email) ? Result.succeed(account) : Result.fail(refusedBy("DomainNotVerified"))
}

/** Whether a user must log in through the provider. A Super Admin keeps password and second factor: break-glass. */
export const requires = (
  provider: Pick<IdentityProviderFields, "active" | "required" | "verifiedDomains">,
  { email, role }: Account
): boolean =>
  provider.active && provider.required && !isSuperAdmin(role) && email !== null && vouchesFor(provider, email)
