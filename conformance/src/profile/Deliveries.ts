import { Schema } from "effect"
import { headerName, path, template, text } from "./Values.ts"

/** The suite's receiver of webhook deliveries. */
export const receiver = Schema.Struct({
  host: Schema.optionalKey(text.annotate({ description: "The address to listen on; default: 127.0.0.1." })),
  port: Schema.optionalKey(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 65_535 })).annotate({
      description: "The port to listen on; default: any free port."
    })
  ),
  publicUrl: Schema.optionalKey(
    text
      .check(
        Schema.isPattern(/^https?:\/\/[^\s?#@]+$/u, { expected: "a URL without a query and without a user name" }),
        Schema.makeFilter((candidate) => URL.canParse(candidate), { expected: "a URL" })
      )
      .annotate({
        description: "The URL that the deployment delivers to. Route all requests below it to host and port."
      })
  ),
  timeoutSeconds: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 3600 })).annotate({
      description: "Seconds to wait for a delivery; default: 10."
    })
  ),
  retryWithinSeconds: Schema.optionalKey(
    Schema.Finite.check(Schema.isBetween({ minimum: 0.1, maximum: 86_400 })).annotate({
      description:
        "Seconds within which the deployment sends a failed delivery again. A later retry, or none, then fails EVT-05. " +
        "Without it, a retry that does not come decides nothing."
    })
  )
}).annotate({
  description: "Where the suite receives deliveries. {{receiver}} in the body of a webhook is replaced by its URL."
})
/** Where the receiver listens, and the URL at which the deployment reaches it. */
export type ReceiverAddress = Pick<typeof receiver.Type, "host" | "port" | "publicUrl">

/** The signature scheme of deliveries. It is always an HMAC with the secret of the webhook (§6). */
export const signature = Schema.Struct({
  header: headerName.annotate({ description: "The header that holds the signature." }),
  form: Schema.optionalKey(
    text.check(Schema.isPattern(/\{\{signature\}\}$/u, { expected: "a text that ends with {{signature}}" })).annotate({
      description:
        "The form of the header, such as v1,{{signature}} or t={{timestamp}},v1={{signature}}; default: {{signature}}. " +
        "If the header has several signatures, separated by blanks, commas or semicolons, one must be valid."
    })
  ),
  algorithm: Schema.Literals(["sha1", "sha256", "sha512"]),
  encoding: Schema.Literals(["hex", "base64"]),
  signed: text.annotate({
    description: "The signed text, such as {{id}}.{{body}}. Names: body, the names in form and the names in headers."
  }),
  headers: Schema.optionalKey(
    Schema.Record(text, headerName).annotate({
      description: "Further names for signed, each with the header that holds its value."
    })
  ),
  key: Schema.optionalKey(
    Schema.Struct({
      prefix: Schema.optionalKey(text.annotate({ description: "A prefix of the secret that is not part of the key." })),
      encoding: Schema.Literals(["text", "hex", "base64"])
    }).annotate({ description: "How the key is derived from the secret; default: the characters of the secret." })
  )
}).annotate({ description: "How deliveries are signed." })
export type SignatureScheme = typeof signature.Type

/** The call that redrives deliveries. */
export const redrive = Schema.Struct({
  method: Schema.Literals(["POST", "PUT", "PATCH"]),
  path: path.annotate({
    description: "{{id}} is replaced by the webhook's id, {{delivery}} by the delivery's id."
  }),
  body: Schema.optionalKey(
    template.annotate({
      description: "Names: {{id}}, {{delivery}}, and {{since}}, a time before the delivery (ISO 8601)."
    })
  ),
  of: Schema.optionalKey(
    Schema.Literals(["failed", "delivered"]).annotate({
      description: "Which deliveries the call sends again; default: failed."
    })
  )
}).annotate({ description: "The call that redrives deliveries of a webhook." })

/** The position of a webhook's secret in responses. */
export const signingSecret = Schema.Struct({
  create: Schema.optionalKey(
    text.annotate({ description: "The position in the response to a create; omit it if a create shows no secret." })
  ),
  rotate: text
}).annotate({ description: "The position of a webhook's secret in responses, such as data.signingSecret." })
