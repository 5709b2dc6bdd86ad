import { spawnSync } from "node:child_process"
import { mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { assert, describe, it } from "@effect/vitest"
import type { Exchange } from "@wcs/conformance/Exchange"
import * as Specimens from "@wcs/specimens/Specimens"
import { Effect } from "effect"
import { contractOf, countsOf, differencesIn, judgementOf } from "./Described.ts"

const root = fileURLToPath(new URL("../../../", import.meta.url))

/** What the command wrote into its folder, which is gone after the test, and its last line. */
const ran = Effect.gen(function* () {
  const folder = yield* Effect.acquireRelease(
    Effect.sync(() => mkdtempSync(join(tmpdir(), "conformance-"))),
    (path) => Effect.sync(() => rmSync(path, { recursive: true, force: true }))
  )
  const args = [join(root, ".dev/conformance.ts"), "--out", folder, "--quiet"]
  const { status, stderr, stdout } = spawnSync(process.execPath, args, { cwd: root, encoding: "utf8" })
  const headline = stdout.trimEnd().split("\n").at(-1) ?? ""
  assert.strictEqual(status, 0, `${headline}\n${stderr}`)
  const lines = readFileSync(join(folder, "exchanges.ndjson"), "utf8").trimEnd().split("\n")
  const exchanges = lines.map((line): Exchange => JSON.parse(line))
  // what is delivered to webhooks is no call
  return { headline, exchanges: exchanges.filter(({ kind }) => kind !== "delivery") }
})

describe("npm run conformance", () => {
  it.live(
    "finds that our own server keeps every must that is judged, and that none is blocked; no answer differs from the OpenAPI document",
    () =>
      Effect.gen(function* () {
        const { exchanges, headline } = yield* ran
        const [, judged, passed] = /^judged (\d+) of \d+ musts: (\d+) passed, 0 failed; /.exec(headline) ?? []
        assert.isDefined(judged, headline)
        assert.strictEqual(passed, judged)
        assert.notMatch(headline, /blocked|inconclusive|fault/)

        const start = yield* Specimens.make
        const { serve } = yield* start({ name: "ours" }, true)
        const contract = yield* contractOf(serve)
        const judgements = exchanges.flatMap(({ answer, request }) =>
          answer === null ? [] : [judgementOf(contract, request, answer)]
        )
        assert.deepStrictEqual(differencesIn(judgements), [])
        assert.lengthOf(judgements, exchanges.length, "every request was answered")
        const { described = 0, ...others } = countsOf(judgements)
        assert.isAbove(described, 1000)
        assert.sameMembers(Object.keys(others), ["plain HTTP", "unknown path", "another method"])
        for (const [reason, count] of Object.entries(others)) assert.isBelow(count, described / 50, reason)
      }).pipe(Effect.scoped),
    180_000
  )
})
