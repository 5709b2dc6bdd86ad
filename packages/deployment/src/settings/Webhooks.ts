import { changeoverSeconds } from "@wcs/domain/webhook/WebhookSecret"
import { defaultWebhooksMax } from "@wcs/domain/webhook/WebhookSettings"
import type { Range } from "@wcs/node-server/ClientAddress"
import { Effect, Option } from "effect"
import { range } from "./Addresses.ts"
import { durations, durationsRange, list, oneOf, optional, required, wholeNumber } from "./Variable.ts"

/** The settings of webhooks and deliveries. */
export interface WebhooksSettings {
  readonly webhooks: {
    readonly allowsHttp: boolean
    readonly changeoverSeconds: number
    readonly webhooksMax: number
  }
  readonly deliveries: {
    /** Non-global addresses that webhooks may use. */
    readonly allowedAddresses: ReadonlyArray<Range>
    readonly retryDelaysMillis: ReadonlyArray<number>
    readonly retentionMillis: number
  }
}

/** The variables of this part, in the order of the table in README.md. */
export const variables = {
  webhookHttp: {
    name: "WCS_WEBHOOK_HTTP",
    must: "allow or refuse",
    standard: "refuse",
    meaning: "Whether webhook URLs can use http, for development. https is always allowed.",
    read: oneOf("allow", "refuse")
  },
  webhookChangeoverSeconds: {
    name: "WCS_WEBHOOK_CHANGEOVER_SECONDS",
    ...wholeNumber(changeoverSeconds.least, changeoverSeconds.most),
    standard: String(changeoverSeconds.least),
    meaning: "Seconds that an old signing secret stays valid after a rotation."
  },
  webhooksMax: {
    name: "WCS_WEBHOOKS_MAX",
    ...wholeNumber(1, 1000),
    standard: String(defaultWebhooksMax),
    meaning: "Maximum webhooks per tenant. Each event is stored and sent once per webhook."
  },
  webhookAddresses: {
    name: "WCS_WEBHOOK_ALLOWED_ADDRESSES",
    must: "a comma-separated list of addresses and CIDR ranges",
    standard: "",
    meaning:
      "Private and other non-global addresses that webhooks may use. Every user who can create webhooks can reach them.",
    read: list(range)
  },
  webhookRetries: {
    name: "WCS_WEBHOOK_RETRIES",
    must: durationsRange,
    standard: "5s,5m,30m,2h,5h,10h,14h,20h,24h",
    meaning:
      "Delays before the retries of a failed delivery, one per retry. If the last retry fails, the delivery is exhausted.",
    read: durations
  },
  webhookRetentionDays: {
    name: "WCS_WEBHOOK_RETENTION_DAYS",
    ...wholeNumber(1, 3650),
    standard: "30",
    meaning: "Days that a finished delivery is kept and can be redriven."
  }
} as const

export const read = Effect.gen(function* () {
  return {
    webhooks: {
      allowsHttp: (yield* required(variables.webhookHttp)) === "allow",
      changeoverSeconds: yield* required(variables.webhookChangeoverSeconds),
      webhooksMax: yield* required(variables.webhooksMax)
    },
    deliveries: {
      allowedAddresses: Option.getOrElse(yield* optional(variables.webhookAddresses), () => []),
      retryDelaysMillis: yield* required(variables.webhookRetries),
      retentionMillis: (yield* required(variables.webhookRetentionDays)) * 86_400_000
    }
  } satisfies WebhooksSettings
})
