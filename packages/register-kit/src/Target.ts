import type { Profile } from "@wcs/conformance/profile/Profile"
import type { GatewayUrl } from "@wcs/register/GatewayUrl"
import type { Sample } from "./Samples.ts"

/** The gateway that is judged. */
export interface Target {
  readonly url: GatewayUrl
  /** The user name, if the secret is a password and not a token. */
  readonly user?: string
  /** Cards that the register knows. */
  readonly samples: ReadonlyArray<Sample>
}

/** The variable of the environment that holds the token or password. */
export const secretName = "WCS_REGISTER_SECRET"

/** The same as a reference in the profile of a run. */
export const secretReference = `\${${secretName}}`

/** The longest time for a complete answer in seconds: the default of `WCS_REGISTER_TIMEOUT`. */
export const usualSeconds = 4

/** The profile of a run, as the engine reads it. Nothing is created, so nothing has to be deleted. */
export const profileOf = ({ url }: Target, secondsPerCall: number): Profile => ({
  name: url,
  newer: { tenantBaseUrl: new URL(url).origin },
  principals: { admin: { token: secretReference } },
  run: { ceiling: "read", concurrency: 4, secondsPerCall }
})
