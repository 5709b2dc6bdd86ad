import { createHmac } from "node:crypto"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { isObject, type Json, parse } from "@wcs/conformance/wire/Json"
import { Effect } from "effect"
import type { Deliver } from "../Hub.ts"
import * as Rewrite from "./Rewrite.ts"
import type { SeenWebhook, Webhooks } from "./SeenWebhooks.ts"

/** The headers of our deliveries (Standard Webhooks, and §6). */
export const idHeader = "X-Service-Delivery"
export const signatureHeader = "webhook-signature"

const headerOf = (delivered: Request, name: string): string => Rewrite.headerOf(delivered, name) ?? ""

/** The delivery id. */
export const idOf = (delivered: Request): string => headerOf(delivered, idHeader)

/** What Standard Webhooks signs. */
export const signedOf = (delivered: Request): string =>
  [headerOf(delivered, "webhook-id"), headerOf(delivered, "webhook-timestamp"), delivered.body].join(".")

/** The key that a secret of ours stands for. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""), "base64")

/** An HMAC by SHA-256, in base64. */
export const macOf = (key: Buffer | string, text: string): string =>
  createHmac("sha256", key).update(text).digest("base64")

/** A delivery with another signature, or with none. */
export const signedAs = (delivered: Request, value: string | undefined): Request =>
  Rewrite.withRequestHeader(delivered, signatureHeader, value)

/** A delivery signed anew, as it is now. */
const signedAnew = (delivered: Request, { secrets }: SeenWebhook): Request =>
  signedAs(
    delivered,
    secrets
      .filter((secret) => secret !== "")
      .map((secret) => `v1,${macOf(keyOf(secret), signedOf(delivered))}`)
      .join(" ")
  )

/** A delivery under another id, in every place. */
export const withId = (delivered: Request, id: string): Request => ({
  ...delivered,
  headers: delivered.headers.map(([name, value]) => [name, value === idOf(delivered) ? id : value]),
  body: delivered.body.replaceAll(idOf(delivered), id)
})

/** A delivery with another body; one that is no object stays as it is. */
export const withBody = (delivered: Request, change: (body: { readonly [key: string]: Json }) => Json): Request => {
  const body = parse(delivered.body)
  return isObject(body) ? { ...delivered, body: JSON.stringify(change(body)) } : delivered
}

/** A delivery that says another text wherever it said one. */
export const saying = (delivered: Request, text: string, other: string): Request => ({
  ...delivered,
  headers: delivered.headers.map(([name, value]) => [name, value.replaceAll(text, other)]),
  body: delivered.body.replaceAll(text, other)
})

type Change = (delivered: Request, webhook: SeenWebhook) => Request

const nobodys: SeenWebhook = { id: "", secrets: [], host: "" }

/** Deliveries with something changed, which are signed as they are then. */
export const changed =
  (change: Change) =>
  (webhooks: Webhooks) =>
  (deliver: Deliver): Deliver =>
  (delivered) => {
    const webhook = webhooks.get(delivered.url) ?? nobodys
    const other = change(delivered, webhook)
    return deliver(other === delivered ? delivered : signedAnew(other, webhook))
  }

/** Deliveries with something changed, their signature among it. */
export const resigned =
  (change: Change) =>
  (webhooks: Webhooks) =>
  (deliver: Deliver): Deliver =>
  (delivered) =>
    deliver(change(delivered, webhooks.get(delivered.url) ?? nobodys))

/** Some deliveries are not made; the deployment takes them for made. */
export const without =
  (isLost: (delivered: Request) => boolean) =>
  () =>
  (deliver: Deliver): Deliver =>
  (delivered) =>
    isLost(delivered) ? Effect.succeed(200) : deliver(delivered)

/** Every event goes to these other addresses, too, under ids of their own. */
export const alsoTo =
  (others: (webhooks: Webhooks, of: SeenWebhook) => ReadonlyArray<string>) =>
  (webhooks: Webhooks) =>
  (deliver: Deliver): Deliver =>
  (delivered) => {
    const webhook = webhooks.get(delivered.url) ?? nobodys
    const copies = others(webhooks, webhook).map((url) => {
      const copy = withId({ ...delivered, url }, `${idOf(delivered)}x${url.split("/").at(-1)}`)
      return deliver(signedAnew(copy, webhooks.get(url) ?? nobodys))
    })
    return Effect.andThen(
      Effect.forEach(copies, (copy) => copy, { discard: true }),
      deliver(delivered)
    )
  }

/** Deliveries that were made before are changed when they are made again: `isTaken` says whether they were taken. */
export const again =
  (change: (delivered: Request, isTaken: boolean) => Request) =>
  (webhooks: Webhooks) =>
  (deliver: Deliver): Deliver => {
    const made = new Map<string, boolean>()
    return (delivered) => {
      const key = `${delivered.url} ${idOf(delivered)}`
      const before = made.get(key)
      const webhook = webhooks.get(delivered.url) ?? nobodys
      const other = before === undefined ? delivered : signedAnew(change(delivered, before), webhook)
      return Effect.tap(deliver(other), (status) => Effect.sync(() => made.set(key, status < 300)))
    }
  }
