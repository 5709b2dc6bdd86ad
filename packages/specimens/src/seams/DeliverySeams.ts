import { createHmac } from "node:crypto"
import { isObject, type Json, parse } from "@wcs/conformance/text/Json"
import type { Request } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import type { Deliver } from "../Hub.ts"
import * as Rewrite from "./Rewrite.ts"
import type { SeenWebhook, Webhooks } from "./SeenWebhooks.ts"

/** The headers of our deliveries (Standard Webhooks and §6). */
export const idHeader = "X-Service-Delivery"
export const signatureHeader = "webhook-signature"

const headerOf = (delivered: Request, name: string): string => Rewrite.headerOf(delivered, name) ?? ""

export const idOf = (delivered: Request): string => headerOf(delivered, idHeader)

/** The text that Standard Webhooks signs. */
export const signedOf = (delivered: Request): string =>
  [headerOf(delivered, "webhook-id"), headerOf(delivered, "webhook-timestamp"), delivered.body].join(".")

/** The key in one of our secrets. */
export const keyOf = (secret: string): Buffer => Buffer.from(secret.replace(/^whsec_/, ""), "base64")

/** HMAC-SHA-256 in base64. */
export const macOf = (key: Buffer | string, text: string): string =>
  createHmac("sha256", key).update(text).digest("base64")

/** A delivery with another signature; undefined removes it. */
export const signedAs = (delivered: Request, value: string | undefined): Request =>
  Rewrite.withRequestHeader(delivered, signatureHeader, value)

/** Signs a delivery with its present content. */
const signedAnew = (delivered: Request, { secrets }: SeenWebhook): Request =>
  signedAs(
    delivered,
    secrets
      .filter((secret) => secret !== "")
      .map((secret) => `v1,${macOf(keyOf(secret), signedOf(delivered))}`)
      .join(" ")
  )

/** Replaces a delivery's id everywhere. */
export const withId = (delivered: Request, id: string): Request => ({
  ...delivered,
  headers: delivered.headers.map(([name, value]) => [name, value === idOf(delivered) ? id : value]),
  body: delivered.body.replaceAll(idOf(delivered), id)
})

/** Changes the body of a delivery; a body that is not an object is unchanged. */
export const withBody = (delivered: Request, change: (body: { readonly [key: string]: Json }) => Json): Request => {
  const body = parse(delivered.body)
  return isObject(body) ? { ...delivered, body: JSON.stringify(change(body)) } : delivered
}

/** Replaces a text everywhere in a delivery. */
export const saying = (delivered: Request, text: string, other: string): Request => ({
  ...delivered,
  headers: delivered.headers.map(([name, value]) => [name, value.replaceAll(text, other)]),
  body: delivered.body.replaceAll(text, other)
})

type Change = (delivered: Request, webhook: SeenWebhook) => Request

const nobodys: SeenWebhook = { id: "", secrets: [], host: "" }

/** Changes deliveries and signs them again. */
export const changed =
  (change: Change) =>
  (webhooks: Webhooks) =>
  (deliver: Deliver): Deliver =>
  (delivered) => {
    const webhook = webhooks.get(delivered.url) ?? nobodys
    const other = change(delivered, webhook)
    return deliver(other === delivered ? delivered : signedAnew(other, webhook))
  }

/** Changes deliveries including their signature. */
export const resigned =
  (change: Change) =>
  (webhooks: Webhooks) =>
  (deliver: Deliver): Deliver =>
  (delivered) =>
    deliver(change(delivered, webhooks.get(delivered.url) ?? nobodys))

/** Drops some deliveries; the deployment believes they were sent. */
export const without =
  (isLost: (delivered: Request) => boolean) =>
  () =>
  (deliver: Deliver): Deliver =>
  (delivered) =>
    isLost(delivered) ? Effect.succeed(200) : deliver(delivered)

/** Sends every event to these other URLs too, with new ids. */
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

/** Changes repeated deliveries; `isTaken` says whether the first one was accepted. */
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

/** Sends every delivery once, even if it fails. */
export const once =
  () =>
  (deliver: Deliver): Deliver => {
    const sent = new Set<string>()
    return (delivered) => {
      const key = `${delivered.url} ${idOf(delivered)}`
      if (sent.has(key)) return Effect.succeed(200)
      sent.add(key)
      return deliver(delivered)
    }
  }
