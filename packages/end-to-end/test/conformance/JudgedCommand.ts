import { spawn } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert } from "@effect/vitest"
import type { Report } from "@wcs/conformance/report/Report"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"

const root = fileURLToPath(new URL("../../../../", import.meta.url))

/** The output of `npm run conformance`. */
interface Said {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

const ended = (args: ReadonlyArray<string>): Effect.Effect<Said> =>
  Effect.callback((resume) => {
    const { DATABASE_URL: _, ...env } = process.env
    const child = spawn(process.execPath, args, { cwd: root, env, stdio: ["ignore", "pipe", "pipe"] })
    const said = { stdout: "", stderr: "" }
    child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
      said.stdout += chunk
    })
    child.stderr.setEncoding("utf8").on("data", (chunk: string) => {
      said.stderr += chunk
    })
    child.once("close", (code) => resume(Effect.succeed({ code, ...said })))
    return Effect.sync(() => child.kill("SIGTERM"))
  })

/** Runs `npm run conformance` to its end. Its folder is deleted after the test. */
export const judged = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "conformance-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const said = yield* ended([
    join(root, "packages/end-to-end/src/conformance/main.ts"),
    ...args,
    "--out",
    folder,
    "--quiet"
  ])
  const headline = said.stdout.split("\n").find((line) => line.startsWith("judged ")) ?? ""
  assert.notStrictEqual(headline, "", said.stderr)
  const lines = readFileSync(join(folder, "exchanges.ndjson"), "utf8").trimEnd().split("\n")
  const { rules }: Report = JSON.parse(readFileSync(join(folder, "report.json"), "utf8"))
  const verdicts = Object.fromEntries(rules.map(({ id, verdict }) => [id, verdict]))
  const findings = rules.flatMap(({ findings, id }) => findings.map((finding) => ({ rule: id, ...finding })))
  return { ...said, headline, verdicts, findings, exchanges: lines.map((line): Exchange => JSON.parse(line)) }
})

/** Every judged MUST passed, and no MUST is blocked. */
export const assertKept = ({ code, headline, stderr }: Effect.Success<ReturnType<typeof judged>>): void => {
  const [, judged, passed] = /^judged (\d+) of \d+ musts: (\d+) passed, 0 failed; /.exec(headline) ?? []
  assert.strictEqual(code, 0, `${headline}\n${stderr}`)
  assert.isDefined(judged, headline)
  assert.strictEqual(passed, judged)
  assert.notMatch(headline, /blocked|inconclusive|fault/)
}
