import { readdirSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { inProcess } from "../InProcess.ts"
import { askPlainly, type Server, wcs } from "../Process.ts"
import { deployed, folder, textOf } from "./Monitored.ts"

const metricsOf = ({ adminPort }: Server) => Effect.map(askPlainly(adminPort, "/metrics"), ({ text }) => text)

/** The metrics once the webhook fails. */
const failing = (server: Server) =>
  Effect.repeat(metricsOf(server), { until: (text) => /^wcs_webhooks_failing 1$/m.test(text) })

describe("monitoring", () => {
  it.live(
    "every metric of the alerts and of the dashboard exists",
    () =>
      Effect.gen(function* () {
        const { server } = yield* deployed()
        const text = yield* failing(server)
        const files = readdirSync(folder).filter((file) => !file.includes(".test."))
        const named = new Set(files.flatMap((file) => textOf(file).match(/\bwcs_[a-z_]+/g) ?? []))
        assert.isAbove(named.size, 15)
        for (const name of named) assert.match(text, new RegExp(`^${name}[{ ]`, "m"), name)
        const { headers, text: open } = yield* askPlainly(server.adminPort, "/metrics", {
          headers: { accept: "application/openmetrics-text;version=1.0.0,text/plain;q=0.5" }
        })
        assert.match(String(headers["content-type"]), /^application\/openmetrics-text; version=1\.0\.0/)
        assert.isTrue(open.endsWith("\n# EOF\n"))
        assert.match(open, /^# TYPE wcs_http_requests counter$/m)
        assert.match(open, /^wcs_http_requests_total\{/m)
      }).pipe(Effect.scoped),
    60_000
  )

  it.live(
    "wcs top shows the figures once, as text or JSON, with the failing webhook",
    () =>
      Effect.gen(function* () {
        const { environment, server, webhookId } = yield* deployed()
        yield* failing(server)
        const args = ["top", "--once", "--url", `http://127.0.0.1:${server.adminPort}`]
        const text = yield* wcs(args, environment)
        assert.deepStrictEqual([text.code, text.stderr], [0, ""])
        assert.match(text.stdout, /^wcs \S+, 1 process, since the start$/m)
        assert.match(text.stdout, /^requests +\d/m)
        assert.match(text.stdout, /^latency +p50 [\d.]+ m?s, /m)
        assert.match(text.stdout, new RegExp(`^tnt_\\w+ +${webhookId} +closed +1 `, "m"))
        assert.notInclude(text.stdout, "\u001B")
        const json = JSON.parse((yield* inProcess([...args, "--json"], environment)).stdout)
        assert.strictEqual(json.failingWebhooks, 1)
        assert.isAbove(json.requests.all, 0)
        assert.isAbove(json.deliveries.unanswered, 0)
        const nobody = yield* inProcess(["top", "--once", "--url", "http://127.0.0.1:9"], environment)
        assert.strictEqual(nobody.code, 1)
        assert.match(nobody.stderr, /^wcs: http:\/\/127\.0\.0\.1:9\/metrics does not answer[^\n]+$/)
      }).pipe(Effect.scoped),
    120_000
  )
})
