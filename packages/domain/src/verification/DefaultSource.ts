import { Context } from "effect"
import { find } from "../holding/CredentialType.ts"

/** What the register of the deployment's settings is for tenants without a source of their own. */
export const DefaultSource = Context.Reference<{
  /**
   * The tenant whose accounts it has at registers that answer only accounts of an employer. `every` is for the reference
   * register, which knows no accounts.
   */
  readonly accountsOf: "every" | string | null
  /** The maximum number of questions per minute of all tenants together; null for no limit. */
  readonly callsPerMinute: number | null
}>("@wcs/domain/DefaultSource", { defaultValue: () => ({ accountsOf: "every", callsPerMinute: null }) })

/** Whether the deployment's register answers a tenant about a type. Two tenants never share an account. */
export const isDefaultFor = (
  { accountsOf }: Pick<typeof DefaultSource.Service, "accountsOf">,
  tenantId: string,
  credentialType: string
): boolean => find(credentialType)?.needsAccount !== true || accountsOf === "every" || accountsOf === tenantId
