import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { asBearer, tokenOf } from "./Callers.ts"
import type { Serve } from "./Serve.ts"
import type { Specimen } from "./Specimen.ts"
import * as Rewrite from "./seams/Rewrite.ts"

// A deployment whose users can have a second factor enrolled: where people log in, which is nowhere in ours. What it
// is to the API is told by the token of the one who has.

/** Who runs it says which of its users that is. */
const withEnrolled = (profile: Profile): Profile => {
  const { notOffered = [], principals } = profile
  const { rotated } = principals
  return {
    ...profile,
    principals: { ...principals, ...(rotated && { enrolledToken: rotated.new }) },
    notOffered: notOffered.filter((need) => need !== "user with it enrolled")
  }
}

const mark = "enrolled-"

/** What is told of such a deployment, and with which token its user calls. */
export const told: Pick<Specimen, "profile" | "secret"> = {
  profile: withEnrolled,
  secret: (secret, name) => (name === "${CONF_ROTATED_NEW_TOKEN}" ? `${mark}${secret}` : secret)
}

/** Whether a call is made by the user who has a second factor. */
export const isEnrolled = (request: Request): boolean => tokenOf(request)?.startsWith(mark) === true

/** Knows that user by the token that we have given them. */
export const knowing = (rewrite: (serve: Serve) => Serve): ((serve: Serve) => Serve) =>
  Rewrite.all(
    Rewrite.requests({}, (request) =>
      isEnrolled(request) ? asBearer(request, tokenOf(request)?.slice(mark.length) ?? "") : request
    ),
    rewrite
  )
