import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { Effect } from "effect"
import { dataOf, withAdmin } from "../Calls.ts"
import type { Environment } from "../Process.ts"

/** The folder with the configuration, the alerts and the dashboard. */
export const folder = fileURLToPath(new URL("../../../../apps/wcs/deploy/monitoring/", import.meta.url))

export const textOf = (file: string): string => readFileSync(join(folder, file), "utf8")

/** A server, and a webhook whose receiver refuses connections. */
export const deployed = Effect.fnUntraced(function* (settings: Environment = {}) {
  const { environment, server, token } = yield* withAdmin({
    WCS_RATE_UNAUTHENTICATED: "1000000",
    WCS_WEBHOOK_RETRIES: "1h",
    WCS_WEBHOOK_HTTP: "allow",
    WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1",
    ...settings
  })
  const closed = { name: "closed", url: "http://127.0.0.1:9/", events: ["credential.verified"] }
  const webhook = yield* dataOf(server, token, "/webhooks", closed)
  const worker = yield* dataOf(server, token, "/workers", { identity: { displayName: "Ann" } })
  const holder = { lastName: "Example", birthDate: "1990-04-01" }
  const attributes = { credentialType: "WWCC_NSW", identifier: "WWC1234567E", holder, owners: { worker: worker.id } }
  yield* dataOf(server, token, "/credentials", { attributes })
  return { server, environment, webhookId: String(webhook.id) }
})
