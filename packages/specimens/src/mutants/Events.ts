import { at, type Json, parse } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { type Mutant, mutant } from "../Mutant.ts"
import {
  again,
  alsoTo,
  changed,
  idHeader,
  idOf,
  once,
  saying,
  withBody,
  withId,
  without
} from "../seams/DeliverySeams.ts"
import * as Rewrite from "../seams/Rewrite.ts"
import type { SeenWebhook, Webhooks } from "../seams/SeenWebhooks.ts"

const textAt = (delivered: Request, path: string): string => {
  const text = at(parse(delivered.body), path)
  return typeof text === "string" ? text : ""
}

/** Whether a delivery belongs to a create: the walks choose their own correlation ids, creates generate them. */
const isOfCreate = (delivered: Request): boolean => !textAt(delivered, "correlationId").startsWith("conf-")

const header = "header x-service-delivery"
const anywhere = "body or headers"

/** The same delivery with a new id. */
const renewed = (delivered: Request): Request => withId(delivered, `${idOf(delivered)}again`)

const elsewhere = (webhooks: Webhooks, of: SeenWebhook): ReadonlyArray<string> =>
  [...webhooks].flatMap(([url, { host }]) => (host === of.host ? [] : [url]))

/** Defects of deliveries and redeliveries. */
export const eventMutants: ReadonlyArray<Mutant> = [
  mutant("verify-sends-no-event", "EVT-01 missing at delivery", { seenBy: ["EVT-02"] }).deliveries(
    without((delivered) => !isOfCreate(delivered))
  ),
  mutant("event-of-a-verify-has-a-correlation-id-of-its-own", "EVT-01 missing at delivery").deliveries(
    changed((delivered) =>
      isOfCreate(delivered) ? delivered : saying(delivered, textAt(delivered, "correlationId"), idOf(delivered))
    )
  ),
  mutant(
    "correlation-id-is-cut-on-its-way-to-the-event",
    ["EVT-01 missing at delivery", `EVT-02 missing at ${anywhere}`],
    { seenBy: ["EVT-02"] }
  ).deliveries(
    changed((delivered) => {
      const id = textAt(delivered, "correlationId")
      return saying(delivered, id, id.slice(0, -1))
    })
  ),
  mutant("correlation-id-is-lost-on-create", `EVT-02 missing at ${anywhere}`).deliveries(
    changed((delivered) =>
      isOfCreate(delivered) ? withBody(delivered, (body) => ({ ...body, correlationId: null })) : delivered
    )
  ),
  mutant("nothing-is-verified-by-itself", ["CRD-09 missing at delivery", "EVT-02 missing at delivery"], {
    seenBy: ["EVT-01"]
  }).deliveries(without(isOfCreate)),
  mutant("event-of-a-create-names-nothing-that-is-known", [
    "CRD-09 missing at delivery",
    "EVT-02 missing at delivery"
  ]).deliveries(
    changed((delivered) =>
      isOfCreate(delivered) ? withBody(delivered, ({ type = null }): Json => ({ type })) : delivered
    )
  ),
  mutant("event-names-no-kind", `EVT-15 missing at ${anywhere}`).deliveries(
    changed((delivered) => saying(delivered, "credential.verified", "event"))
  ),
  mutant("first-verification-is-called-a-creation", `EVT-15 missing at ${anywhere}`).deliveries(
    changed((delivered) =>
      isOfCreate(delivered) ? saying(delivered, "credential.verified", "credential.created") : delivered
    )
  ),
  mutant("delivery-id-stands-in-the-body-alone", `EVT-03 missing at ${header}`).deliveries(
    changed((delivered) => Rewrite.withRequestHeader(delivered, idHeader, undefined))
  ),
  mutant("delivery-id-is-empty", `EVT-03 wrong-value at ${header}`, { alsoKills: ["EVT-04"] }).deliveries(
    changed((delivered) => Rewrite.withRequestHeader(delivered, idHeader, ""))
  ),
  mutant("body-has-another-delivery-id-than-the-header", `EVT-03 wrong-value at ${header}`).deliveries(
    changed((delivered) => withBody(delivered, (body) => ({ ...body, deliveryId: "dlv_0" })))
  ),
  mutant("delivery-id-is-the-webhooks", `EVT-04 repeated at ${header}`).deliveries(
    changed((delivered, { id }) => withId(delivered, id))
  ),
  mutant("delivery-id-is-the-credentials", `EVT-04 repeated at ${header}`).deliveries(
    changed((delivered) => withId(delivered, textAt(delivered, "data.credential.id")))
  ),
  mutant("retry-has-a-new-delivery-id", `EVT-05 wrong-value at ${header}`).deliveries(
    again((delivered, isTaken) => (isTaken ? delivered : renewed(delivered)))
  ),
  mutant("retry-has-no-delivery-id", `EVT-05 missing at ${header}`, { alsoKills: ["EVT-03"] }).deliveries(
    again((delivered, isTaken) => (isTaken ? delivered : Rewrite.withRequestHeader(delivered, idHeader, undefined)))
  ),
  mutant("retry-has-lost-the-correlation-id", `EVT-05 missing at ${anywhere}`).deliveries(
    again((delivered, isTaken) => (isTaken ? delivered : saying(delivered, textAt(delivered, "correlationId"), "")))
  ),
  mutant("failed-delivery-is-given-up", "EVT-05 missing at delivery").by({
    deliveries: once,
    profile: (profile) => ({ ...profile, receiver: { ...profile.receiver, retryWithinSeconds: 1 } })
  }),
  mutant("redriven-delivery-has-a-new-id", `EVT-06 wrong-value at ${header}`, { alsoKills: ["EVT-05"] }).deliveries(
    again((delivered, isTaken) => (isTaken ? renewed(delivered) : delivered))
  ),
  mutant("redriven-delivery-has-no-id", `EVT-06 missing at ${header}`, { alsoKills: ["EVT-03"] }).deliveries(
    again((delivered, isTaken) => (isTaken ? Rewrite.withRequestHeader(delivered, idHeader, undefined) : delivered))
  ),
  mutant("events-go-to-the-webhooks-of-every-tenant", "EVT-13 unexpected at delivery").deliveries(alsoTo(elsewhere)),
  mutant("first-tenant-receives-what-is-the-seconds", "EVT-13 unexpected at delivery").deliveries(
    alsoTo((webhooks, of) => (of.host.startsWith("other.") ? elsewhere(webhooks, of) : []))
  )
]
