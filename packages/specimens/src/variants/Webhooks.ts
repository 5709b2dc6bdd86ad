import type { Profile } from "@wcs/conformance/profile/Profile"
import { at, isObject } from "@wcs/conformance/text/Json"
import * as Answering from "../Answering.ts"
import { everywhere } from "../seams/Everywhere.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { creating, rotating, secretOf, showing } from "../seams/WebhookSeams.ts"
import { type Variant, variant } from "../Variant.ts"

const withPlaces =
  (signingSecret: Profile["signingSecret"] & object) =>
  (profile: Profile): Profile => ({ ...profile, signingSecret })

/** The secret is part of another value, and its field name does not show that. */
const elsewhere = variant("secrets-of-webhooks-stand-elsewhere", ["EVT-08", "EVT-09"]).by({
  rewrite: Rewrite.all(
    ...[creating, rotating].map((where) =>
      Rewrite.answers(where, (answer) =>
        showing(showing(answer, "data.signingSecret", undefined), "data.hmac", { value: secretOf(answer) ?? null })
      )
    )
  ),
  profile: withPlaces({ create: "data.hmac.value", rotate: "data.hmac.value" })
})

/** A webhook has no visible secret before its first rotation. */
const laterThanCreate = variant("create-of-a-webhook-shows-no-secret", ["EVT-08", "EVT-09", "EVT-10"]).by({
  rewrite: Rewrite.answers(creating, (answer) => showing(answer, "data.signingSecret", undefined)),
  profile: withPlaces({ rotate: "data.signingSecret" })
})

/** A rotation returns only the secret. */
const alone = variant("rotation-answers-nothing-but-the-secret", ["EVT-08"]).answers(rotating, (answer) =>
  Answering.success(answer, 200, { signingSecret: secretOf(answer) ?? null })
)

/** Reads show a recognizable part of the secret, and the profile does not name its place. */
const masked = variant("secrets-of-webhooks-are-shown-masked", ["EVT-09"], { offersLess: "further groups" }).by({
  rewrite: Rewrite.answers(
    {},
    Rewrite.mapJson(
      everywhere((object) => {
        const lastFour = at(object, "delivery.signingSecretLastFour")
        return object["type"] === "webhook" && object["signingSecret"] === undefined
          ? { ...object, signingSecret: `whsec_${"*".repeat(40)}${String(lastFour)}` }
          : object
      })
    )
  ),
  profile: ({ signingSecret: _, ...profile }) => ({
    ...profile,
    notOffered: [...(profile.notOffered ?? []), "position of the signing secret"]
  })
})

/** Webhooks are only in their list, with few fields. */
const listed = variant("webhooks-are-not-read-one-by-one", ["EVT-09", "EVT-14"]).rewrite(
  Rewrite.all(
    Rewrite.answers({ method: "GET", path: /^\/webhooks\/[^/?]+$/ }, (answer) =>
      answer.status === 401 || answer.status === 403
        ? answer
        : Answering.refusal(answer, 404, "NOT_FOUND", "There is nothing at this path.")
    ),
    Rewrite.answers(
      { path: /^\/webhooks(?:[/?]|$)/ },
      Rewrite.mapJson(
        everywhere((object) => {
          const { delivery, ...rest } = object
          return isObject(delivery) ? rest : object
        })
      )
    )
  )
)

/** Other forms of webhooks and secrets. */
export const webhookVariants: ReadonlyArray<Variant> = [elsewhere, laterThanCreate, alone, masked, listed]
