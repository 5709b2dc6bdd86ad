import type { Profile } from "./Profile.ts"

/** The default environment variable of the client secret. */
export const secretVariable = "CONF_CLIENT_SECRET"

/**
 * The profile of a deployment with only an address and an OAuth client. The delete path of workers is a guess. If it is
 * wrong, the workers are reported as left.
 */
export const initialProfile = (tenantBaseUrl: string, clientId: string): Profile => ({
  name: new URL(tenantBaseUrl).host,
  newer: { tenantBaseUrl },
  principals: { admin: { oauth: { clientId, clientSecret: `\${${secretVariable}}` } } },
  groups: { worker: { delete: { method: "DELETE", path: "/workers/{{id}}" } } }
})
