import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Request } from "@wcs/conformance/wire/Exchange"
import type { Specimen } from "../Specimen.ts"
import { openToWhoever, whereForbidden } from "../seams/PrivilegeSeams.ts"

const includes = /\?include=credentials$/

/** A worker is shown without its credentials to somebody who may not read these. */
const leftOut: Specimen = {
  name: "included-credentials-are-left-out-without-credential-read",
  about: ["PRV-06"],
  rewrite: whereForbidden({ method: "GET", path: includes }, ({ asCaller, request }) =>
    asCaller({ ...request, url: request.url.replace(includes, "") })
  )
}

/** One body for every webhook, which subscribes to events about credentials. */
export const withOneWebhookBody = ({ subscribedWebhook, ...profile }: Profile): Profile => ({
  ...profile,
  groups: {
    ...profile.groups,
    webhook: { ...profile.groups?.["webhook"], ...(subscribedWebhook && { create: subscribedWebhook }) }
  }
})

/** A create that says nothing: 400 to somebody who may create. */
const creatingNothing = (request: Request): Request => ({ ...request, body: "{" })

/** CREATE on webhook is enough to subscribe to anything. */
const subscribed: Specimen = {
  name: "subscribing-needs-create-on-webhook-alone",
  about: ["PRV-05", "PRV-06", "SIL-25"],
  rewrite: openToWhoever({ method: "POST", path: /^\/webhooks$/, body: /^\{./ }, creatingNothing),
  profile: withOneWebhookBody
}

/** Deployments that answer otherwise to somebody who may read only a part of what an answer tells of. */
export const derivedReadVariants: ReadonlyArray<Specimen> = [leftOut, subscribed]
