import { createHash, createHmac } from "node:crypto"
import type { Profile } from "@wcs/conformance/profile/Profile"
import { at, parse } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import type { Deliver } from "../Hub.ts"
import {
  changed,
  idHeader,
  idOf,
  keyOf,
  macOf,
  resigned,
  signedAs,
  signedOf,
  withBody,
  withId
} from "../seams/DeliverySeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import type { SeenWebhook, Webhooks } from "../seams/SeenWebhooks.ts"
import { asked, verifying } from "../seams/VerifySeams.ts"
import { type Variant, variant } from "../Variant.ts"

const newest = ({ secrets }: SeenWebhook): string => secrets.at(-1) ?? ""

/** Removes the Standard Webhooks headers. */
const bare = (delivered: Request): Request =>
  ["webhook-id", "webhook-timestamp", "webhook-signature"].reduce(
    (rest, name) => Rewrite.withRequestHeader(rest, name, undefined),
    delivered
  )

const correlationOf = ({ body }: Request): string => String(at(parse(body), "correlationId"))

/** By time, because the suite does not know the ids of earlier deliveries. */
const redrive: NonNullable<Profile["redrive"]> = {
  method: "POST",
  path: "/webhooks/{{id}}/redrive",
  body: { from: "{{since}}", states: ["DELIVERED"] },
  of: "delivered"
}

/** `sha256=` and the hexadecimal HMAC of the body, with the secret's own characters as key. */
const bodySigned = variant("bodies-of-deliveries-are-signed-in-hexadecimal", ["SIL-12"]).by({
  deliveries: resigned((delivered, webhook) => {
    const mac = createHmac("sha256", newest(webhook)).update(delivered.body).digest("hex")
    return Rewrite.withRequestHeader(bare(delivered), "X-Hub-Signature-256", `sha256=${mac}`)
  }),
  profile: (profile) => ({
    ...profile,
    signature: {
      header: "x-hub-signature-256",
      form: "sha256={{signature}}",
      algorithm: "sha256",
      encoding: "hex",
      signed: "{{body}}"
    }
  })
})

/** `t=…,v1=…` with the time in the same header, an older scheme's signature before it, and SHA-512. */
const timeSigned = variant("deliveries-are-signed-with-their-time", ["SIL-12"]).by({
  deliveries: resigned((delivered, webhook) => {
    const time = "1750000000"
    const mac = createHmac("sha512", keyOf(newest(webhook)))
      .update(`${time}.${delivered.body}`)
      .digest("hex")
    const value = `t=${time},v0=${mac.toUpperCase().slice(0, 64)},v1=${"0".repeat(128)},v1=${mac}`
    return Rewrite.withRequestHeader(bare(delivered), "Service-Signature", value)
  }),
  profile: (profile) => ({
    ...profile,
    signature: {
      header: "Service-Signature",
      form: "t={{timestamp}},v1={{signature}}",
      algorithm: "sha512",
      encoding: "hex",
      signed: "{{timestamp}}.{{body}}",
      key: { prefix: "whsec_", encoding: "base64" }
    }
  })
})

/** One id for an event at all webhooks. */
const oneId = variant("one-delivery-id-for-every-webhook", ["SIL-25", "EVT-03"]).by({
  deliveries: changed((delivered) => {
    const digest = createHash("sha256").update(correlationOf(delivered)).digest("hex")
    return withId(delivered, `evt_${digest.slice(0, 24)}`)
  }),
  profile: (profile) => ({ ...profile, redrive })
})

/** The event's fields are in headers; the body is the credential itself. */
const inHeaders = variant("correlation-id-stands-in-a-header-alone", ["SIL-12", "EVT-15"]).deliveries(
  changed((delivered) => {
    const id = correlationOf(delivered)
    const named = Rewrite.withRequestHeader(delivered, "X-Correlation-Id", id)
    const lower = { ...named, headers: named.headers.map(([name, value]) => [name.toLowerCase(), value] as const) }
    return { ...withBody(lower, ({ data = null }) => ({ payload: [data] })), method: "PUT" }
  })
)

/** A body that is not JSON, with a correlation id. */
const asForm = variant("deliveries-are-forms", ["SIL-12"]).deliveries(
  changed((delivered) => ({
    ...Rewrite.withRequestHeader(delivered, "Content-Type", "application/x-www-form-urlencoded"),
    body: new URLSearchParams({
      event: "credential.verified",
      correlation_id: correlationOf(delivered),
      credential: String(at(parse(delivered.body), "data.credential.id")),
      delivery: idOf(delivered)
    }).toString()
  }))
)

/** The first secret keeps signing as long as receivers accept it. */
const stillOld = variant("old-secret-signs-while-the-changeover-lasts", ["EVT-10"]).deliveries(
  resigned((delivered, { secrets }) => signedAs(delivered, `v1,${macOf(keyOf(secrets[0] ?? ""), signedOf(delivered))}`))
)

/** A verify answered from known data sends no event. */
const quiet = (): Variant => {
  const known = new Set<string>()
  const lost =
    (_: Webhooks) =>
    (deliver: Deliver): Deliver =>
    (delivered) =>
      known.has(correlationOf(delivered)) ? Effect.succeed(200) : deliver(delivered)
  return variant("what-is-known-sends-no-event", ["EVT-01", "VER-07"]).by({
    rewrite: Rewrite.requests(verifying, (request) => {
      const correlationId = asked(request, "correlationId")
      if (asked(request, "forceRefresh") !== true && typeof correlationId === "string") known.add(correlationId)
      return request
    }),
    deliveries: lost
  })
}

/** A repeated event with the same delivery id. */
const twice = variant("everything-is-delivered-twice", ["EVT-04", "EVT-05"]).deliveries(
  () => (deliver) => (delivered) => Effect.andThen(deliver(delivered), deliver(delivered))
)

/** Other kinds for the same webhook. */
const other = variant("webhooks-receive-other-kinds-of-event-as-well", ["EVT-01", "EVT-15"]).deliveries(
  () => (deliver) => (delivered) => {
    const body = JSON.stringify({ type: "credential.created", correlationId: "none" })
    const before = { ...Rewrite.withRequestHeader(delivered, idHeader, `${idOf(delivered)}0`), body }
    return Effect.andThen(deliver(before), deliver(delivered))
  }
)

/** Other forms of deliveries, signatures and retries. */
export const eventVariants: ReadonlyArray<Variant> = [
  bodySigned,
  timeSigned,
  oneId,
  inHeaders,
  asForm,
  stillOld,
  quiet(),
  twice,
  other
]
