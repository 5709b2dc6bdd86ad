import { at } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import * as Answering from "../Answering.ts"
import { type Mutant, mutant } from "../Mutant.ts"
import { everywhere } from "../seams/Everywhere.ts"
import { open, openToCallersWho, refusedAndDone } from "../seams/PrivilegeSeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { creating, knowing, rotating, showing } from "../seams/WebhookSeams.ts"

const one = /^\/webhooks\/[^/?]+$/

/** A call without effect that READ on a group allows. */
const reading =
  (path: string) =>
  (request: Request): Request => ({
    ...request,
    method: "GET",
    url: new URL(`/openapi/v1${path}`, request.url).href,
    body: ""
  })

const { method, path } = rotating
const rotation = { method, path }

/** Defects of webhooks and their secrets. */
export const webhookMutants: ReadonlyArray<Mutant> = [
  mutant("webhook-create-shows-no-id", "EVT-14 missing at body.data.id", { alsoKills: ["ENV-11"] }).answers(
    creating,
    (answer) => showing(answer, "data.id", undefined)
  ),
  mutant("webhook-id-is-a-number", "EVT-14 wrong-type at body.data.id", { alsoKills: ["ENV-11"] }).answers(
    creating,
    (answer) => showing(answer, "data.id", 7)
  ),
  mutant("rotation-answers-the-first-secret", "EVT-08 repeated at body.data.signingSecret").rewrite(
    knowing((given) =>
      Rewrite.answers(rotating, (answer) =>
        showing(answer, "data.signingSecret", given(at(answer.json, "data"))[0] ?? null)
      )
    )
  ),
  mutant("second-rotation-answers-the-secret-of-the-first", "EVT-08 repeated at body.data.signingSecret").rewrite(
    knowing((given) =>
      Rewrite.answers(rotating, (answer) =>
        showing(answer, "data.signingSecret", given(at(answer.json, "data"))[1] ?? null)
      )
    )
  ),
  mutant("rotation-shows-no-secret", "EVT-08 missing at body.data.signingSecret").answers(rotating, (answer) =>
    showing(answer, "data.signingSecret", undefined)
  ),
  mutant("rotation-answers-an-empty-secret", "EVT-08 wrong-type at body.data.signingSecret").answers(
    rotating,
    (answer) => showing(answer, "data.signingSecret", "")
  ),
  mutant("secrets-cannot-be-rotated", "EVT-08 status").answers(rotating, (answer) =>
    Answering.refusal(answer, 404, "NOT_FOUND", "There is nothing at this path.")
  ),
  mutant("webhook-shows-its-secret", "EVT-09 disclosed at body.data.signingSecret").rewrite(
    knowing((given) =>
      Rewrite.answers({ method: "GET", path: one, status: 200 }, (answer) =>
        showing(answer, "data.signingSecret", given(at(answer.json, "data")).at(-1) ?? null)
      )
    )
  ),
  mutant("list-of-webhooks-shows-their-secrets", "EVT-09 disclosed at body.data.0.secret").rewrite(
    knowing((given) =>
      Rewrite.answers(
        { method: "GET", path: /^\/webhooks(\?|$)/, status: 200 },
        Rewrite.mapJson(
          everywhere((object) =>
            given(object).length === 0 ? object : { ...object, secret: given(object).at(-1) ?? "" }
          )
        )
      )
    )
  ),
  mutant("change-of-a-webhook-answers-its-secret", "EVT-09 disclosed at body.data.signingSecret").rewrite(
    knowing((given) =>
      Rewrite.answers({ method: "PATCH", path: one, status: 200 }, (answer) =>
        showing(answer, "data.signingSecret", given(at(answer.json, "data")).at(-1) ?? null)
      )
    )
  ),
  mutant("webhook-shows-the-secret-that-was-replaced", "EVT-09 disclosed at body.data.delivery.formerKey").rewrite(
    knowing((given) =>
      Rewrite.answers({ method: "GET", path: one, status: 200 }, (answer) => {
        const former = given(at(answer.json, "data")).at(-2)
        return former === undefined ? answer : showing(answer, "data.delivery.formerKey", former)
      })
    )
  ),
  mutant("rotation-shows-the-secret-that-it-replaces", "EVT-09 disclosed at body.data.previousSecret").rewrite(
    knowing((given) =>
      Rewrite.answers(rotating, (answer) =>
        showing(answer, "data.previousSecret", given(at(answer.json, "data")).at(-2) ?? null)
      )
    )
  ),
  mutant("everybody-may-rotate", ["PRV-16 status", "PRV-17 status"]).rewrite(open(rotation)),
  mutant("credential-read-also-rotates", "PRV-16 status").rewrite(
    openToCallersWho(rotation, reading("/credentials?ownerExternalId=nobody"))
  ),
  mutant("webhook-read-also-rotates", "PRV-17 status").rewrite(openToCallersWho(rotation, reading("/webhooks"))),
  mutant("refused-rotation-is-made", [
    "PRV-16 changed at body.data.delivery.signingSecretLastFour",
    "PRV-17 changed at body.data.delivery.signingSecretLastFour"
  ]).rewrite(refusedAndDone(rotation)),
  mutant("refused-rotation-is-not-there", ["PRV-16 status", "PRV-17 status"]).answers(
    { ...rotation, status: 403 },
    (answer) => Answering.refusal(answer, 404, "NOT_FOUND", "There is no such webhook.")
  )
]
