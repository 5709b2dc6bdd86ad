import { execFileSync, spawn, spawnSync } from "node:child_process"
import { readdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { ask, askPlainly, bearer, type Server, serving, temporaryDirectory, wcs } from "./Process.ts"

const folder = fileURLToPath(new URL("../deploy/monitoring/", import.meta.url))
const textOf = (file: string): string => readFileSync(join(folder, file), "utf8")

/** Whether Prometheus and its tool are installed, for example from Debian's package `prometheus`. */
const hasPrometheus = spawnSync("prometheus", ["--version"]).status === 0

const promtool = (...args: ReadonlyArray<string>): string =>
  execFileSync("promtool", args, { cwd: folder, encoding: "utf8", stdio: "pipe" })

/** A server with its Super Admin's token, and a webhook whose receiver refuses connections. */
const deployment = Effect.gen(function* () {
  const directory = yield* temporaryDirectory
  const tokenFile = join(directory, "token")
  const environment = {
    WCS_DATA: join(directory, "data"),
    WCS_ADMIN_EMAIL: "root@example.com",
    WCS_ADMIN_TOKEN_FILE: tokenFile,
    WCS_RATE_UNAUTHENTICATED: "1000000",
    WCS_WEBHOOK_RETRIES: "1h",
    WCS_WEBHOOK_HTTP: "allow",
    WCS_WEBHOOK_ALLOWED_ADDRESSES: "127.0.0.1"
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

const metricsOf = ({ adminPort }: Server) => Effect.map(askPlainly(adminPort, "/metrics"), ({ text }) => text)

/** The metrics once the webhook fails. */
const failing = (server: Server) =>
  Effect.repeat(metricsOf(server), { until: (text) => /^wcs_webhooks_failing 1$/m.test(text) })

describe("monitoring", () => {
  it.live(
    "every metric of the alerts and of the dashboard exists",
    () =>
      Effect.gen(function* () {
        const { server } = yield* deployment
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
        const { environment, server, webhookId } = yield* deployment
        yield* failing(server)
        const args = ["top", "--once", "--url", `http://127.0.0.1:${server.adminPort}`]
        const text = yield* wcs(args, environment)
        assert.deepStrictEqual([text.code, text.stderr], [0, ""])
        assert.match(text.stdout, /^wcs \S+, 1 process, since the start$/m)
        assert.match(text.stdout, /^requests +\d/m)
        assert.match(text.stdout, /^latency +p50 [\d.]+ m?s, /m)
        assert.match(text.stdout, new RegExp(`^tnt_\\w+ +${webhookId} +closed +1 `, "m"))
        assert.notInclude(text.stdout, "\u001B")
        const json = JSON.parse((yield* wcs([...args, "--json"], environment)).stdout)
        assert.strictEqual(json.failingWebhooks, 1)
        assert.isAbove(json.requests.all, 0)
        assert.isAbove(json.deliveries.unanswered, 0)
        const nobody = yield* wcs(["top", "--once", "--url", "http://127.0.0.1:9"], environment)
        assert.strictEqual(nobody.code, 1)
        assert.match(nobody.stderr, /^wcs: http:\/\/127\.0\.0\.1:9\/metrics does not answer[^\n]+\n$/)
      }).pipe(Effect.scoped),
    120_000
  )

  it.skipIf(!hasPrometheus)("promtool accepts the configuration and the rules, and each alert fires", () => {
    assert.include(promtool("check", "config", "prometheus.yml"), "SUCCESS")
    assert.include(promtool("check", "rules", "alerts.yml"), "SUCCESS")
    assert.include(promtool("test", "rules", "alerts.test.yml"), "SUCCESS")
  })

  it.live.skipIf(!hasPrometheus)(
    "a real Prometheus scrapes a server under load, and fires alerts",
    () =>
      Effect.gen(function* () {
        const { server } = yield* deployment
        const directory = yield* temporaryDirectory
        const rewritten = (file: string, ...changes: ReadonlyArray<readonly [RegExp, string]>) =>
          writeFileSync(
            join(directory, file),
            changes.reduce((text, [from, to]) => text.replace(from, to), textOf(file))
          )
        rewritten(
          "prometheus.yml",
          [/interval: 15s/g, "interval: 1s"],
          [/127\.0\.0\.1:8444/, `127.0.0.1:${server.adminPort}`]
        )
        rewritten("alerts.yml", [/for: \w+/g, "for: 0s"], [/\[5m\]/g, "[10s]"])
        const port = 10_000 + (server.adminPort % 20_000)
        yield* Effect.acquireRelease(
          Effect.sync(() =>
            spawn(
              "prometheus",
              [
                `--config.file=${join(directory, "prometheus.yml")}`,
                `--storage.tsdb.path=${join(directory, "data")}`,
                `--web.listen-address=127.0.0.1:${port}`,
                "--enable-feature=exemplar-storage"
              ],
              { stdio: "ignore" }
            )
          ),
          (prometheus) => Effect.sync(() => prometheus.kill("SIGKILL"))
        )
        // Refused calls, faster than the alert allows.
        const refused = Effect.forEach(Array.from({ length: 20 }), () =>
          ask(server, "/openapi/v1/workers", { headers: bearer("guessed") })
        )
        yield* Effect.forkScoped(Effect.repeat(refused, Schedule.spaced("200 millis")))
        const alerts = Effect.promise(() =>
          fetch(`http://127.0.0.1:${port}/api/v1/alerts`).then(
            (response) => response.json() as Promise<{ readonly data: { readonly alerts: ReadonlyArray<unknown> } }>,
            () => ({ data: { alerts: [] } })
          )
        )
        const fires = ({ data }: Effect.Success<typeof alerts>) => JSON.stringify(data).includes("WcsRefusedAccess")
        yield* Effect.repeat(alerts, { until: fires, schedule: Schedule.spaced("500 millis") })
        const up = yield* Effect.promise(() =>
          fetch(`http://127.0.0.1:${port}/api/v1/query?query=up`).then((response) => response.text())
        )
        assert.match(up, /"value":\[[\d.]+,"1"\]/)
      }).pipe(Effect.scoped),
    90_000
  )
})
