import type { Request } from "@wcs/conformance/wire/Exchange"
import { type Mutant, mutant } from "../Mutant.ts"
import { keyOf, macOf, resigned, signatureHeader, signedAs, signedOf } from "../seams/DeliverySeams.ts"
import type { SeenWebhook } from "../seams/SeenWebhooks.ts"

const signature = `header ${signatureHeader}` as const

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
  mutant("deliveries-are-not-signed", `EVT-07 missing at ${signature}`).deliveries(
    resigned((delivered) => signedAs(delivered, undefined))
  ),
  mutant("body-alone-is-signed", `EVT-07 wrong-value at ${signature}`).deliveries(
    by((delivered, webhook) => macOf(keyOf(newest(webhook)), delivered.body))
  ),
  mutant("key-is-the-secrets-own-text", `EVT-07 wrong-value at ${signature}`).deliveries(
    by((delivered, webhook) => macOf(newest(webhook), signedOf(delivered)))
  ),
  mutant("every-webhook-signs-with-one-secret", `EVT-07 wrong-value at ${signature}`).deliveries((webhooks) =>
    by((delivered, webhook) => {
      const [first = webhook] = webhooks.values()
      return macOf(keyOf(newest(first)), signedOf(delivered))
    })(webhooks)
  ),
  mutant("signature-is-that-of-an-empty-body", `EVT-07 wrong-value at ${signature}`).deliveries(
    by((delivered, webhook) => macOf(keyOf(newest(webhook)), signedOf({ ...delivered, body: "" })))
  ),
  mutant("nothing-is-signed-after-a-rotation", `EVT-10 missing at ${signature}`).deliveries(
    afterwards((delivered) => signedAs(delivered, undefined))
  ),
  mutant("after-a-rotation-a-secret-that-nobody-has-signs", `EVT-10 wrong-value at ${signature}`).deliveries(
    afterwards((delivered, webhook) =>
      signedAs(delivered, `v1,${macOf(keyOf(newest(webhook)).reverse(), signedOf(delivered))}`)
    )
  ),
  mutant("new-secret-signs-by-its-text", `EVT-10 wrong-value at ${signature}`).deliveries(
    afterwards((delivered, webhook) => signedAs(delivered, `v1,${macOf(newest(webhook), signedOf(delivered))}`))
  )
]
