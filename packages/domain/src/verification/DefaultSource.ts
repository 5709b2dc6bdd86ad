import { Context } from "effect"
import { find } from "../holding/CredentialType.ts"

/**
 * What the register of the deployment's settings is for tenants without a source of their own: whose accounts it has at
 * registers that answer only accounts of an employer. `every` is for the reference register, which knows no accounts.
 */
export const DefaultSource = Context.Reference<{ readonly accountsOf: "every" | string | null }>(
  "@wcs/domain/DefaultSource",
  { defaultValue: () => ({ accountsOf: "every" }) }
)

/** Whether the deployment's register answers a tenant about a type. Two tenants never share an account. */
export const isDefaultFor = (
  { accountsOf }: typeof DefaultSource.Service,
  tenantId: string,
  credentialType: string
): boolean => find(credentialType)?.needsAccount !== true || accountsOf === "every" || accountsOf === tenantId
