import type { Profile } from "@wcs/conformance/profile/Profile"
import { asBearer, tokenOf } from "./Callers.ts"
import type { Specimen } from "./Specimen.ts"
import * as Rewrite from "./seams/Rewrite.ts"

// A deployment with an external identity provider. Ours has none, so the provider's token stands for one of our tokens.

const mark = "external-"

/** The profile with a token of the provider. */
const withExternal = (profile: Profile): Profile => {
  const { notOffered = [], principals } = profile
  const { rotated } = principals
  return {
    ...profile,
    principals: { ...principals, ...(rotated && { externalToken: rotated.new }) },
    notOffered: notOffered.filter((need) => need !== "external identity provider")
  }
}

/** The profile of such a deployment, and the provider's token. */
export const told: Pick<Specimen, "profile" | "secret"> = {
  profile: withExternal,
  secret: (secret, name) => (name === "${CONF_ROTATED_NEW_TOKEN}" ? `${mark}${secret}` : secret)
}

/** Accepts the provider's token. */
export const accepting = Rewrite.requests({}, (request) => {
  const token = tokenOf(request)
  return token?.startsWith(mark) === true ? asBearer(request, token.slice(mark.length)) : request
})
