import type { Profile } from "./Profile.ts"

/** The environment variable that holds the secret where no profile names another. */
export const secretVariable = "CONF_CLIENT_SECRET"

/**
 * The profile of a deployment of which nothing is known but where it is and one OAuth client. How workers are deleted is
 * guessed: where that is wrong, what was made is told of as left.
 */
export const profileOf = (tenantBaseUrl: string, clientId: string): Profile => ({
  name: new URL(tenantBaseUrl).host,
  newer: { tenantBaseUrl },
  principals: { admin: { oauth: { clientId, clientSecret: `\${${secretVariable}}` } } },
  groups: { worker: { delete: { method: "DELETE", path: "/workers/{{id}}" } } }
})
