import { execFileSync, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { text } from "node:stream/consumers"
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schedule } from "effect"
import { httpServer } from "../Machines.ts"
import { ask, bearer, type Server, temporaryDirectory } from "../Process.ts"
import { deployed, folder, textOf } from "./Monitored.ts"

const promtool = (...args: ReadonlyArray<string>): string =>
  execFileSync("promtool", args, { cwd: folder, encoding: "utf8", stdio: "pipe" })

/** A collector of traces. Keeps the texts of all requests. */
const collector = Effect.gen(function* () {
  const received: Array<string> = []
  const url = yield* httpServer((request, response) => {
    text(request).then(
      (body) => {
        received.push(body)
        response.writeHead(200, { "content-type": "application/json" }).end("{}")
      },
      () => response.destroy()
    )
  })
  return { url, received }
})

/** Runs Prometheus with the files of the folder, in less time. Returns a call of its API. */
const prometheusOf = Effect.fnUntraced(function* ({ adminPort }: Server) {
  const directory = yield* temporaryDirectory
  const rewritten = (file: string, ...changes: ReadonlyArray<readonly [RegExp, string]>) =>
    writeFileSync(
      join(directory, file),
      changes.reduce((text, [from, to]) => text.replace(from, to), textOf(file))
    )
  rewritten("prometheus.yml", [/interval: 15s/g, "interval: 1s"], [/127\.0\.0\.1:8444/, `127.0.0.1:${adminPort}`])
  rewritten("alerts.yml", [/for: \w+/g, "for: 0s"], [/\[5m\]/g, "[10s]"])
  const port = 10_000 + (adminPort % 20_000)
  const flags = [
    `--config.file=${join(directory, "prometheus.yml")}`,
    `--storage.tsdb.path=${join(directory, "data")}`,
    `--web.listen-address=127.0.0.1:${port}`,
    "--enable-feature=exemplar-storage"
  ]
  yield* Effect.acquireRelease(
    Effect.sync(() => spawn("prometheus", flags, { stdio: "ignore" })),
    (prometheus) => Effect.sync(() => prometheus.kill("SIGKILL"))
  )
  return (path: string, parameters: Readonly<Record<string, string>> = {}) =>
    Effect.promise(() =>
      fetch(`http://127.0.0.1:${port}/api/v1/${path}?${new URLSearchParams(parameters)}`).then(
        (response) => response.text(),
        () => ""
      )
    )
})

/** The queries of the dashboard, with values of its variables. */
const queries = (): ReadonlyArray<string> => {
  const { panels }: { readonly panels: ReadonlyArray<{ readonly targets: ReadonlyArray<{ readonly expr: string }> }> } =
    JSON.parse(textOf("dashboard.json"))
  return panels
    .flatMap(({ targets }) => targets)
    .map(({ expr }) => expr.replaceAll("$job", ".*").replaceAll("$__rate_interval", "10s"))
}

const often = Schedule.spaced("500 millis")

describe("Prometheus", () => {
  it("accepts the configuration and the rules, and each alert fires", () => {
    assert.include(promtool("check", "config", "prometheus.yml"), "SUCCESS")
    assert.include(promtool("check", "rules", "alerts.yml"), "SUCCESS")
    assert.include(promtool("test", "rules", "alerts.test.yml"), "SUCCESS")
  })

  it.live(
    "scrapes a server under load, fires alerts, answers each query of the dashboard and keeps exemplars of traces",
    () =>
      Effect.gen(function* () {
        const traces = yield* collector
        const { server } = yield* deployed({ WCS_OTLP_URL: traces.url, WCS_OTLP_SIGNALS: "traces" })
        const prometheus = yield* prometheusOf(server)
        // Refused calls, faster than the alert allows.
        const refused = Effect.forEach(Array.from({ length: 20 }), () =>
          ask(server, "/openapi/v1/workers", { headers: bearer("guessed") })
        )
        yield* Effect.forkScoped(Effect.repeat(refused, Schedule.spaced("200 millis")))
        yield* Effect.repeat(prometheus("alerts"), {
          until: (alerts) => alerts.includes("WcsRefusedAccess"),
          schedule: often
        })
        assert.match(yield* prometheus("query", { query: "up" }), /"value":\[[\d.]+,"1"\]/)

        assert.isAbove(queries().length, 20)
        const unanswered: Array<string> = []
        for (const query of queries()) {
          const { data, error } = JSON.parse(yield* prometheus("query", { query }))
          if ((data?.result ?? []).length === 0) unanswered.push(`${query}: ${error ?? "no result"}`)
        }
        assert.deepStrictEqual(unanswered, []) // not even if nothing has failed

        const now = (yield* Clock.currentTimeMillis) / 1000
        const range = { start: String(now - 3600), end: String(now + 60) }
        const exemplars = yield* Effect.repeat(
          prometheus("query_exemplars", { query: "wcs_http_request_duration_seconds_bucket", ...range }),
          { until: (found) => found.includes('"trace_id"'), schedule: often }
        )
        const [, traceId = "no trace id"] = /"trace_id":"([0-9a-f]{32})"/.exec(exemplars) ?? []
        yield* Effect.repeat(
          Effect.sync(() => traces.received.some((spans) => spans.includes(traceId))),
          { until: (isExported) => isExported, schedule: often }
        )
      }).pipe(Effect.scoped),
    90_000
  )
})
