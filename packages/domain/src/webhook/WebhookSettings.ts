import { Context } from "effect"
import { changeoverSeconds } from "./WebhookSecret.ts"

/** The default limit of webhooks per tenant. */
export const defaultWebhooksMax = 100

/** Settings of webhooks. */
export const WebhookSettings = Context.Reference<{
  /** Whether URLs without TLS are allowed, for development. */
  readonly allowsHttp: boolean
  /** How long the previous secret stays valid after a rotation. */
  readonly changeoverSeconds: number
  /** The maximum number of webhooks of a tenant. Each event is stored and sent once per webhook. */
  readonly webhooksMax: number
}>("@wcs/domain/WebhookSettings", {
  defaultValue: () => ({
    allowsHttp: false,
    changeoverSeconds: changeoverSeconds.least,
    webhooksMax: defaultWebhooksMax
  })
})
