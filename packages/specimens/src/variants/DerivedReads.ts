import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Request } from "@wcs/conformance/wire/Exchange"
import type { Specimen } from "../Specimen.ts"
import { openToWhoever, whereForbidden } from "../seams/PrivilegeSeams.ts"

const includes = /\?include=credentials$/

/** Leaves the credentials out of a worker if the caller must not read them. */
const leftOut: Specimen = {
  name: "included-credentials-are-left-out-without-credential-read",
  about: ["PRV-06"],
  rewrite: whereForbidden({ method: "GET", path: includes }, ({ asCaller, request }) =>
    asCaller({ ...request, url: request.url.replace(includes, "") })
  )
}

/** One body for every webhook, which subscribes to credential events. */
export const withOneWebhookBody = ({ subscribedWebhook, ...profile }: Profile): Profile => ({
  ...profile,
  groups: {
    ...profile.groups,
    webhook: { ...profile.groups?.["webhook"], ...(subscribedWebhook && { create: subscribedWebhook }) }
  }
})

/** An empty create, which a permitted caller gets refused with 400. */
const creatingNothing = (request: Request): Request => ({ ...request, body: "{" })

/** CREATE on webhook suffices for every subscription. */
const subscribed: Specimen = {
  name: "subscribing-needs-create-on-webhook-alone",
  about: ["PRV-05", "PRV-06", "SIL-25"],
  rewrite: openToWhoever({ method: "POST", path: /^\/webhooks$/, body: /^\{./ }, creatingNothing),
  profile: withOneWebhookBody
}

/** Other answers for callers that may read only a part of the content. */
export const derivedReadVariants: ReadonlyArray<Specimen> = [leftOut, subscribed]
