import type { Request } from "@wcs/conformance/wire/Exchange"
import { at, type Json, parse } from "@wcs/conformance/wire/Json"
import type { Mutant } from "../Mutant.ts"
import { again, alsoTo, changed, idHeader, idOf, saying, withBody, withId, without } from "../seams/DeliverySeams.ts"
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

const outcomeMutants: ReadonlyArray<Mutant> = [
  {
    name: "verify-sends-no-event",
    deliveries: without((delivered) => !isOfCreate(delivered)),
    seenBy: ["EVT-02"],
    kills: [{ rule: "EVT-01", kind: "missing", at: "delivery" }]
  },
  {
    name: "event-of-a-verify-has-a-correlation-id-of-its-own",
    deliveries: changed((delivered) =>
      isOfCreate(delivered) ? delivered : saying(delivered, textAt(delivered, "correlationId"), idOf(delivered))
    ),
    kills: [{ rule: "EVT-01", kind: "missing", at: "delivery" }]
  },
  {
    name: "correlation-id-is-cut-on-its-way-to-the-event",
    deliveries: changed((delivered) => {
      const id = textAt(delivered, "correlationId")
      return saying(delivered, id, id.slice(0, -1))
    }),
    seenBy: ["EVT-02"],
    kills: [
      { rule: "EVT-01", kind: "missing", at: "delivery" },
      { rule: "EVT-02", kind: "missing", at: anywhere }
    ]
  },
  {
    name: "correlation-id-is-lost-on-create",
    deliveries: changed((delivered) =>
      isOfCreate(delivered) ? withBody(delivered, (body) => ({ ...body, correlationId: null })) : delivered
    ),
    kills: [{ rule: "EVT-02", kind: "missing", at: anywhere }]
  },
  {
    name: "nothing-is-verified-by-itself",
    deliveries: without(isOfCreate),
    seenBy: ["EVT-01"],
    kills: [
      { rule: "CRD-09", kind: "missing", at: "delivery" },
      { rule: "EVT-02", kind: "missing", at: "delivery" }
    ]
  },
  {
    name: "event-of-a-create-names-nothing-that-is-known",
    deliveries: changed((delivered) =>
      isOfCreate(delivered) ? withBody(delivered, ({ type = null }): Json => ({ type })) : delivered
    ),
    kills: [
      { rule: "CRD-09", kind: "missing", at: "delivery" },
      { rule: "EVT-02", kind: "missing", at: "delivery" }
    ]
  },
  {
    name: "event-names-no-kind",
    deliveries: changed((delivered) => saying(delivered, "credential.verified", "event")),
    kills: [{ rule: "EVT-15", kind: "missing", at: anywhere }]
  },
  {
    name: "first-verification-is-called-a-creation",
    deliveries: changed((delivered) =>
      isOfCreate(delivered) ? saying(delivered, "credential.verified", "credential.created") : delivered
    ),
    kills: [{ rule: "EVT-15", kind: "missing", at: anywhere }]
  }
]

const idMutants: ReadonlyArray<Mutant> = [
  {
    name: "delivery-id-stands-in-the-body-alone",
    deliveries: changed((delivered) => Rewrite.withRequestHeader(delivered, idHeader, undefined)),
    kills: [{ rule: "EVT-03", kind: "missing", at: header }]
  },
  {
    name: "delivery-id-is-empty",
    deliveries: changed((delivered) => Rewrite.withRequestHeader(delivered, idHeader, "")),
    kills: [{ rule: "EVT-03", kind: "wrong-value", at: header }],
    alsoKills: ["EVT-04"]
  },
  {
    name: "body-has-another-delivery-id-than-the-header",
    deliveries: changed((delivered) => withBody(delivered, (body) => ({ ...body, deliveryId: "dlv_0" }))),
    kills: [{ rule: "EVT-03", kind: "wrong-value", at: header }]
  },
  {
    name: "delivery-id-is-the-webhooks",
    deliveries: changed((delivered, { id }) => withId(delivered, id)),
    kills: [{ rule: "EVT-04", kind: "repeated", at: header }]
  },
  {
    name: "delivery-id-is-the-credentials",
    deliveries: changed((delivered) => withId(delivered, textAt(delivered, "data.credential.id"))),
    kills: [{ rule: "EVT-04", kind: "repeated", at: header }]
  }
]

/** The same delivery with a new id. */
const renewed = (delivered: Request): Request => withId(delivered, `${idOf(delivered)}again`)

const repeatMutants: ReadonlyArray<Mutant> = [
  {
    name: "retry-has-a-new-delivery-id",
    deliveries: again((delivered, isTaken) => (isTaken ? delivered : renewed(delivered))),
    kills: [{ rule: "EVT-05", kind: "wrong-value", at: header }]
  },
  {
    name: "retry-has-no-delivery-id",
    deliveries: again((delivered, isTaken) =>
      isTaken ? delivered : Rewrite.withRequestHeader(delivered, idHeader, undefined)
    ),
    kills: [{ rule: "EVT-05", kind: "missing", at: header }]
  },
  {
    name: "retry-has-lost-the-correlation-id",
    deliveries: again((delivered, isTaken) =>
      isTaken ? delivered : saying(delivered, textAt(delivered, "correlationId"), "")
    ),
    kills: [{ rule: "EVT-05", kind: "missing", at: anywhere }]
  },
  {
    name: "redriven-delivery-has-a-new-id",
    deliveries: again((delivered, isTaken) => (isTaken ? renewed(delivered) : delivered)),
    kills: [{ rule: "EVT-06", kind: "wrong-value", at: header }]
  },
  {
    name: "redriven-delivery-has-no-id",
    deliveries: again((delivered, isTaken) =>
      isTaken ? Rewrite.withRequestHeader(delivered, idHeader, undefined) : delivered
    ),
    kills: [{ rule: "EVT-06", kind: "missing", at: header }]
  }
]

const elsewhere = (webhooks: Webhooks, of: SeenWebhook): ReadonlyArray<string> =>
  [...webhooks].flatMap(([url, { host }]) => (host === of.host ? [] : [url]))

const tenantMutants: ReadonlyArray<Mutant> = [
  {
    name: "events-go-to-the-webhooks-of-every-tenant",
    deliveries: alsoTo(elsewhere),
    kills: [{ rule: "EVT-13", kind: "unexpected", at: "delivery" }]
  },
  {
    name: "first-tenant-receives-what-is-the-seconds",
    deliveries: alsoTo((webhooks, of) => (of.host.startsWith("other.") ? elsewhere(webhooks, of) : [])),
    kills: [{ rule: "EVT-13", kind: "unexpected", at: "delivery" }]
  }
]

/** Defects of deliveries and redeliveries. */
export const eventMutants: ReadonlyArray<Mutant> = [...outcomeMutants, ...idMutants, ...repeatMutants, ...tenantMutants]
