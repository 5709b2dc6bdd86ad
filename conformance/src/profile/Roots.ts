import type { Profile } from "./Profile.ts"

/** The root of the newer surface (§4). */
export const newerRoot = "/openapi/v1"

/** The root of the legacy surface (§2). */
export const legacyRoot = "/api"

export const tokenPath = "/oauth/token"

/** The host and the surface of a call. */
interface Target {
  readonly surface?: "legacy" | "web"
  /** Default: the tenant's host, or the address of the legacy surface. */
  readonly to?: "tenant" | "second tenant" | "plain" | undefined
}

/** The target of a call; undefined if the profile does not have it. */
export const originOf = (
  { legacy, newer, secondTenant }: Profile,
  { surface, to = "tenant" }: Target
): string | undefined => {
  const targets =
    surface === "legacy"
      ? {
          tenant: legacy?.baseUrl,
          "second tenant": legacy?.otherOrganization?.baseUrl ?? legacy?.baseUrl,
          plain: legacy?.plainHttpUrl ?? newer.plainHttpUrl
        }
      : { tenant: newer.tenantBaseUrl, "second tenant": secondTenant?.tenantBaseUrl, plain: newer.plainHttpUrl }
  return targets[to]?.replace(/\/$/, "")
}
