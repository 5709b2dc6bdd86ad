import type { Request } from "@wcs/conformance/wire/Exchange"
import { at } from "@wcs/conformance/wire/Json"
import * as Answering from "../Answering.ts"
import type { Kill, Mutant } from "../Mutant.ts"
import { everywhere } from "../seams/Everywhere.ts"
import { open, openToWhoever, refusedAndDone } from "../seams/PrivilegeSeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import { creating, knowing, rotating, showing } from "../seams/WebhookSeams.ts"

const statusOf = (rule: Kill["rule"]): Kill => ({ rule, kind: "status", at: "status" })

const idMutants: ReadonlyArray<Mutant> = [
  {
    name: "webhook-create-shows-no-id",
    rewrite: Rewrite.answers(creating, (answer) => showing(answer, "data.id", undefined)),
    kills: [{ rule: "EVT-14", kind: "missing", at: "body.data.id" }],
    alsoKills: ["ENV-11"]
  },
  {
    name: "webhook-id-is-a-number",
    rewrite: Rewrite.answers(creating, (answer) => showing(answer, "data.id", 7)),
    kills: [{ rule: "EVT-14", kind: "wrong-type", at: "body.data.id" }],
    alsoKills: ["ENV-11"]
  }
]

const rotationMutants: ReadonlyArray<Mutant> = [
  {
    name: "rotation-answers-the-first-secret",
    rewrite: knowing((given) =>
      Rewrite.answers(rotating, (answer) =>
        showing(answer, "data.signingSecret", given(at(answer.json, "data"))[0] ?? null)
      )
    ),
    kills: [{ rule: "EVT-08", kind: "repeated", at: "body.data.signingSecret" }]
  },
  {
    name: "second-rotation-answers-the-secret-of-the-first",
    rewrite: knowing((given) =>
      Rewrite.answers(rotating, (answer) =>
        showing(answer, "data.signingSecret", given(at(answer.json, "data"))[1] ?? null)
      )
    ),
    kills: [{ rule: "EVT-08", kind: "repeated", at: "body.data.signingSecret" }]
  },
  {
    name: "rotation-shows-no-secret",
    rewrite: Rewrite.answers(rotating, (answer) => showing(answer, "data.signingSecret", undefined)),
    kills: [{ rule: "EVT-08", kind: "missing", at: "body.data.signingSecret" }]
  },
  {
    name: "rotation-answers-an-empty-secret",
    rewrite: Rewrite.answers(rotating, (answer) => showing(answer, "data.signingSecret", "")),
    kills: [{ rule: "EVT-08", kind: "wrong-type", at: "body.data.signingSecret" }]
  },
  {
    name: "secrets-cannot-be-rotated",
    rewrite: Rewrite.answers(rotating, (answer) =>
      Answering.refusal(answer, 404, "NOT_FOUND", "There is nothing at this path.")
    ),
    kills: [statusOf("EVT-08")]
  }
]

const one = /^\/webhooks\/[^/?]+$/

const shownMutants: ReadonlyArray<Mutant> = [
  {
    name: "webhook-shows-its-secret",
    rewrite: knowing((given) =>
      Rewrite.answers({ method: "GET", path: one, status: 200 }, (answer) =>
        showing(answer, "data.signingSecret", given(at(answer.json, "data")).at(-1) ?? null)
      )
    ),
    kills: [{ rule: "EVT-09", kind: "disclosed", at: "body.data.signingSecret" }]
  },
  {
    name: "list-of-webhooks-shows-their-secrets",
    rewrite: knowing((given) =>
      Rewrite.answers(
        { method: "GET", path: /^\/webhooks(\?|$)/, status: 200 },
        Rewrite.mapJson(
          everywhere((object) =>
            given(object).length === 0 ? object : { ...object, secret: given(object).at(-1) ?? "" }
          )
        )
      )
    ),
    kills: [{ rule: "EVT-09", kind: "disclosed", at: "body.data.0.secret" }]
  },
  {
    name: "change-of-a-webhook-answers-its-secret",
    rewrite: knowing((given) =>
      Rewrite.answers({ method: "PATCH", path: one, status: 200 }, (answer) =>
        showing(answer, "data.signingSecret", given(at(answer.json, "data")).at(-1) ?? null)
      )
    ),
    kills: [{ rule: "EVT-09", kind: "disclosed", at: "body.data.signingSecret" }]
  },
  {
    name: "webhook-shows-the-secret-that-was-replaced",
    rewrite: knowing((given) =>
      Rewrite.answers({ method: "GET", path: one, status: 200 }, (answer) => {
        const former = given(at(answer.json, "data")).at(-2)
        return former === undefined ? answer : showing(answer, "data.delivery.formerKey", former)
      })
    ),
    kills: [{ rule: "EVT-09", kind: "disclosed", at: "body.data.delivery.formerKey" }]
  },
  {
    name: "rotation-shows-the-secret-that-it-replaces",
    rewrite: knowing((given) =>
      Rewrite.answers(rotating, (answer) =>
        showing(answer, "data.previousSecret", given(at(answer.json, "data")).at(-2) ?? null)
      )
    ),
    kills: [{ rule: "EVT-09", kind: "disclosed", at: "body.data.previousSecret" }]
  }
]

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

const privilegeMutants: ReadonlyArray<Mutant> = [
  {
    name: "everybody-may-rotate",
    rewrite: open(rotation),
    kills: [statusOf("PRV-16"), statusOf("PRV-17")]
  },
  {
    name: "whoever-reads-credentials-may-rotate",
    rewrite: openToWhoever(rotation, reading("/credentials?ownerExternalId=nobody")),
    kills: [statusOf("PRV-16")]
  },
  {
    name: "whoever-reads-webhooks-may-rotate",
    rewrite: openToWhoever(rotation, reading("/webhooks")),
    kills: [statusOf("PRV-17")]
  },
  {
    name: "refused-rotation-is-made",
    rewrite: refusedAndDone(rotation),
    kills: [
      { rule: "PRV-16", kind: "changed", at: "body.data.delivery.signingSecretLastFour" },
      { rule: "PRV-17", kind: "changed", at: "body.data.delivery.signingSecretLastFour" }
    ]
  },
  {
    name: "refused-rotation-is-not-there",
    rewrite: Rewrite.answers({ ...rotation, status: 403 }, (answer) =>
      Answering.refusal(answer, 404, "NOT_FOUND", "There is no such webhook.")
    ),
    kills: [statusOf("PRV-16"), statusOf("PRV-17")]
  }
]

/** Defects of webhooks and their secrets. */
export const webhookMutants: ReadonlyArray<Mutant> = [
  ...idMutants,
  ...rotationMutants,
  ...shownMutants,
  ...privilegeMutants
]
