import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { asBearer, tokenOf } from "./Callers.ts"
import type { Serve } from "./Serve.ts"
import type { Specimen } from "./Specimen.ts"
import * as Rewrite from "./seams/Rewrite.ts"

// A deployment whose users can enroll a second factor where they log in. Our deployment has no such users. The API
// recognizes such a user by the token.

/** The profile with the enrolled user. */
const withEnrolled = (profile: Profile): Profile => {
  const { notOffered = [], principals } = profile
  const { rotated } = principals
  return {
    ...profile,
    principals: { ...principals, ...(rotated && { enrolledToken: rotated.new }) },
    notOffered: notOffered.filter((need) => need !== "user with multifactor authentication")
  }
}

const mark = "enrolled-"

/** The profile of such a deployment, and the token of its enrolled user. */
export const told: Pick<Specimen, "profile" | "secret"> = {
  profile: withEnrolled,
  secret: (secret, name) => (name === "${CONF_ROTATED_NEW_TOKEN}" ? `${mark}${secret}` : secret)
}

/** Whether the enrolled user makes a call. */
export const isEnrolled = (request: Request): boolean => tokenOf(request)?.startsWith(mark) === true

/** Recognizes that user by our token. */
export const knowing = (rewrite: (serve: Serve) => Serve): ((serve: Serve) => Serve) =>
  Rewrite.all(
    Rewrite.requests({}, (request) =>
      isEnrolled(request) ? asBearer(request, tokenOf(request)?.slice(mark.length) ?? "") : request
    ),
    rewrite
  )
