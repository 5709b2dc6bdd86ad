import { execFileSync, spawn } from "node:child_process"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { Effect, Schedule } from "effect"
import { ask, bearer, temporaryDirectory } from "../Process.ts"
import { deployment, folder, textOf } from "./Monitored.ts"

const promtool = (...args: ReadonlyArray<string>): string =>
  execFileSync("promtool", args, { cwd: folder, encoding: "utf8", stdio: "pipe" })

describe("Prometheus", () => {
  it("accepts the configuration and the rules, and each alert fires", () => {
    assert.include(promtool("check", "config", "prometheus.yml"), "SUCCESS")
    assert.include(promtool("check", "rules", "alerts.yml"), "SUCCESS")
    assert.include(promtool("test", "rules", "alerts.test.yml"), "SUCCESS")
  })

  it.live(
    "scrapes a server under load, and fires alerts",
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
