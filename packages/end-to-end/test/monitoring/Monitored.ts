import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { ask, bearer, type Environment, serving, temporaryDirectory } from "../Process.ts"

/** The folder with the configuration, the alerts and the dashboard. */
export const folder = fileURLToPath(new URL("../../../../apps/wcs/deploy/monitoring/", import.meta.url))

export const textOf = (file: string): string => readFileSync(join(folder, file), "utf8")

/** A server with its Super Admin's token, and a webhook whose receiver refuses connections. */
export const deployed = Effect.fnUntraced(function* (settings: Environment = {}) {
  const directory = yield* temporaryDirectory
  const tokenFile = join(directory, "token")
  const environment = {
    WCS_DATA: join(directory, "data"),
    WCS_ADMIN_EMAIL: "root@example.com",
    WCS_ADMIN_TOKEN_FILE: tokenFile,
    WCS_RATE_UNAUTHENTICATED: "1000000",
    WCS_WEBHOOK_RETRIES: "1h",
    WCS_WEBHOOK_HTTP: "allow",
    WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1",
    ...settings
  }
  const server = yield* serving(environment)
  const headers = { ...bearer(readFileSync(tokenFile, "utf8").trim()), "content-type": "application/json" }
  const post = (path: string, body: unknown) =>
    ask(server, `/openapi/v1${path}`, { method: "POST", headers, body: JSON.stringify(body) })
  const webhook = yield* post("/webhooks", {
    name: "closed",
    url: "http://127.0.0.1:9/",
    events: ["credential.verified"]
  })
  assert.strictEqual(webhook.status, 201, webhook.text)
  const worker = JSON.parse((yield* post("/workers", { identity: { displayName: "Ann" } })).text).data.id
  const attributes = { credentialType: "WWCC_NSW", identifier: "WWC0000000E", owners: { worker } }
  assert.strictEqual((yield* post("/credentials", { attributes })).status, 201)
  return { server, environment, webhookId: String(JSON.parse(webhook.text).data.id) }
})
