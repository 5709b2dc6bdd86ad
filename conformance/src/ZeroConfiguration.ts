import type { Profile } from "./Profile.ts"

/** The environment variable that holds the secret where no profile names another. */
export const secretVariable = "CONF_CLIENT_SECRET"

/** The profile of a deployment of which nothing is known but where it is and one OAuth client. */
export const profileOf = (tenantBaseUrl: string, clientId: string): Profile => ({
  name: new URL(tenantBaseUrl).host,
  newer: { tenantBaseUrl },
  principals: { admin: { oauth: { clientId, clientSecret: `\${${secretVariable}}` } } }
})
