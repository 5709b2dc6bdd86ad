import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { openToCallersWho, whereForbidden } from "../seams/PrivilegeSeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

const includes = /\?include=credentials$/

/** Leaves the credentials out of a worker if the caller must not read them. */
const leftOut = variant("included-credentials-are-left-out-without-credential-read", ["PRV-06"]).rewrite(
  whereForbidden({ method: "GET", path: includes }, ({ asCaller, request }) =>
    asCaller({ ...request, url: request.url.replace(includes, "") })
  )
)

/** The profile with one body for all webhooks. The body subscribes to credential events. */
export const withOneWebhookBody = ({ subscribedWebhook, ...profile }: Profile): Profile => ({
  ...profile,
  groups: {
    ...profile.groups,
    webhook: { ...profile.groups?.["webhook"], ...(subscribedWebhook && { create: subscribedWebhook }) }
  }
})

/** Returns the call with a malformed body. If the caller has the privilege, the response is 400. */
const changingNothing = (request: Request): Request => ({ ...request, body: "{" })

const one = /^\/webhooks\/[^/]+$/

/** CREATE and UPDATE on webhook suffice for every subscription. */
const subscribed = variant("subscribing-needs-create-on-webhook-alone", ["PRV-05", "PRV-06", "SIL-25"]).by({
  rewrite: Rewrite.all(
    openToCallersWho({ method: "POST", path: /^\/webhooks$/, body: /^\{./ }, changingNothing),
    openToCallersWho({ method: "PUT", path: one, body: /^\{./ }, changingNothing),
    openToCallersWho({ method: "PATCH", path: one, body: /^\{./ }, changingNothing)
  ),
  profile: withOneWebhookBody
})

/** Deployments that respond differently to callers that may read only a part of the content. */
export const derivedReadVariants: ReadonlyArray<Variant> = [leftOut, subscribed]
