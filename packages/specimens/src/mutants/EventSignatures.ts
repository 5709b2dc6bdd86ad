import type { Request } from "@wcs/conformance/wire/Exchange"
import type { Kill, Mutant } from "../Mutant.ts"
import { keyOf, macOf, resigned, signatureHeader, signedAs, signedOf } from "../seams/DeliverySeams.ts"
import type { SeenWebhook } from "../seams/SeenWebhooks.ts"

const at = `header ${signatureHeader}`

const wrong = (rule: Kill["rule"]): Kill => ({ rule, kind: "wrong-value", at })
const missing = (rule: Kill["rule"]): Kill => ({ rule, kind: "missing", at })

const newest = ({ secrets }: SeenWebhook): string => secrets.at(-1) ?? ""

const isRotated = ({ secrets }: SeenWebhook): boolean => secrets.length > 1

/** Signs deliveries with a single signature of another kind. */
const by = (mac: (delivered: Request, webhook: SeenWebhook) => string) =>
  resigned((delivered, webhook) => signedAs(delivered, `v1,${mac(delivered, webhook)}`))

/** The same, but only after a rotation. */
const afterwards = (change: (delivered: Request, webhook: SeenWebhook) => Request) =>
  resigned((delivered, webhook) => (isRotated(webhook) ? change(delivered, webhook) : delivered))

/** Deliveries with invalid signatures, or with another secret than their webhook's. */
export const eventSignatureMutants: ReadonlyArray<Mutant> = [
  {
    name: "deliveries-are-not-signed",
    deliveries: resigned((delivered) => signedAs(delivered, undefined)),
    kills: [missing("EVT-07")]
  },
  {
    name: "body-alone-is-signed",
    deliveries: by((delivered, webhook) => macOf(keyOf(newest(webhook)), delivered.body)),
    kills: [wrong("EVT-07")]
  },
  {
    name: "key-is-the-secrets-own-text",
    deliveries: by((delivered, webhook) => macOf(newest(webhook), signedOf(delivered))),
    kills: [wrong("EVT-07")]
  },
  {
    name: "every-webhook-signs-with-one-secret",
    deliveries: (webhooks) =>
      by((delivered, webhook) => {
        const [first = webhook] = webhooks.values()
        return macOf(keyOf(newest(first)), signedOf(delivered))
      })(webhooks),
    kills: [wrong("EVT-07")]
  },
  {
    name: "signature-is-that-of-an-empty-body",
    deliveries: by((delivered, webhook) => macOf(keyOf(newest(webhook)), signedOf({ ...delivered, body: "" }))),
    kills: [wrong("EVT-07")]
  },
  {
    name: "nothing-is-signed-after-a-rotation",
    deliveries: afterwards((delivered) => signedAs(delivered, undefined)),
    kills: [missing("EVT-10")]
  },
  {
    name: "after-a-rotation-a-secret-that-nobody-has-signs",
    deliveries: afterwards((delivered, webhook) =>
      signedAs(delivered, `v1,${macOf(keyOf(newest(webhook)).reverse(), signedOf(delivered))}`)
    ),
    kills: [wrong("EVT-10")]
  },
  {
    name: "new-secret-signs-by-its-text",
    deliveries: afterwards((delivered, webhook) =>
      signedAs(delivered, `v1,${macOf(newest(webhook), signedOf(delivered))}`)
    ),
    kills: [wrong("EVT-10")]
  }
]
