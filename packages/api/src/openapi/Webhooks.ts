import { shown } from "@wcs/domain/event/EventKind"
import type { JsonObject, JsonValue } from "@wcs/domain/shared/Json"
import { eventBodies } from "@wcs/domain/webhook/EventPayload"
import { answers } from "./examples/Answers.ts"
import { jsonSchemaOf } from "./JsonSchemaOf.ts"
import { withComponents } from "./Operations.ts"

const id = (prefix: string) => ({ type: "string", pattern: `^${prefix}[0-9A-Za-z]{16}$` })

/** The headers of every attempt, by Standard Webhooks and §6. */
const headers: Readonly<Record<string, readonly [description: string, schema: JsonObject, example: JsonValue]>> = {
  "webhook-id": ["The id of the delivery, for the signature.", id("dlv_"), "dlv_0000000000000001"],
  "webhook-timestamp": [
    "When this attempt was signed, in Unix seconds. Refuse attempts that are more than 5 minutes old.",
    { type: "string", pattern: "^[0-9]+$" },
    "1772445600"
  ],
  "webhook-signature": [
    "One or two signatures, separated by a space. Each is `v1,` and the base64 of an HMAC-SHA256. The key is the " +
      "base64 after `whsec_` in the signing secret, decoded. The message is `webhook-id`, a dot, `webhook-timestamp`, " +
      "a dot, and the body as received. Accept the request if one signature matches. After a rotation, the old " +
      "secret signs too, for 24 hours.",
    { type: "string", pattern: "^v1,[A-Za-z0-9+/]{43}=( v1,[A-Za-z0-9+/]{43}=)*$" },
    "v1,K5oZfzN95Z9UVu1EsfQmfVNQhnkZ2pj9o9NDN/H/pI4="
  ],
  "x-service-delivery": [
    "The id of the delivery, equal to `deliveryId`. Deduplicate by it.",
    id("dlv_"),
    "dlv_0000000000000001"
  ],
  "x-service-event": [
    "The kind of the event, equal to `type`.",
    { type: "string", enum: shown.map(({ kind }) => kind) },
    "credential.verified"
  ],
  "x-service-webhook": ["The id of the webhook.", id("whk_"), "whk_0000000000000001"],
  "x-service-attempt": ["The number of the attempt, from 1.", { type: "string", pattern: "^[1-9][0-9]*$" }, "1"]
}

/** The headers as shared parameters. */
const shared: JsonObject = Object.fromEntries(
  Object.entries(headers).map(([name, [description, schema, example]]) => [
    name,
    { name, in: "header", required: true, description, schema, example }
  ])
)

const parameters = Object.keys(headers).map((name) => ({ $ref: `#/components/parameters/${name}` }))

const responses = {
  "2XX": { description: "Accepted. The delivery is not sent again." },
  "410": { description: "Gone. The service disables the webhook." },
  default: {
    description:
      "Every other answer, and none within 15 seconds, is a failure. The service retries for about three days, with " +
      "growing delays. On 429 and 503, it waits at least as long as `Retry-After` says."
  }
}

const nameOf = (kind: string): string =>
  `Event${kind.replaceAll(/(?:^|\.)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`

/** Adds the requests that the service sends to webhooks: one operation for each kind of event. */
export const describeWebhooks = (document: JsonObject): JsonObject => {
  const described = shown.map(({ description, kind }) => ({
    kind,
    description,
    name: nameOf(kind),
    ...jsonSchemaOf(eventBodies[kind])
  }))
  const webhooks = described.map(({ description, kind, name }) => [
    kind,
    {
      post: {
        tags: ["webhooks"],
        operationId: `event.${kind}`,
        summary: description.replace(/\.$/, ""),
        description: `${description} Sent to webhooks whose \`events\` contain \`${kind}\`.`,
        security: [],
        parameters,
        requestBody: {
          required: true,
          content: {
            "application/json": {
              schema: { $ref: `#/components/schemas/${name}` },
              example: answers[`event.${kind}`] ?? null
            }
          }
        },
        responses
      }
    }
  ])
  const added: JsonObject = Object.assign(
    {},
    ...described.map(({ components, name, schema }) => ({ ...components, [name]: schema }))
  )
  const whole = { ...document, webhooks: Object.fromEntries(webhooks) }
  return withComponents(withComponents(whole, "parameters", shared), "schemas", added)
}
