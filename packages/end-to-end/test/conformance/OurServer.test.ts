import { readFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { recordedCounts } from "@wcs/conformance/release/Counts"
import type { Exchange } from "@wcs/conformance/wire/Exchange"
import { Effect } from "effect"
import { run, temporaryDirectory } from "../Process.ts"

const timeout = 600_000

/** Runs `npm run conformance` to its end. */
const judged = Effect.fnUntraced(function* (...args: ReadonlyArray<string>) {
  const folder = yield* temporaryDirectory
  const command = ["packages/end-to-end/src/conformance/main.ts", ...args, "--out", folder, "--quiet"]
  const said = yield* run(process.execPath, command, { TMPDIR: tmpdir() })
  const headline = said.stdout.split("\n").find((line) => line.startsWith("judged ")) ?? ""
  assert.notStrictEqual(headline, "", said.stderr)
  const lines = readFileSync(join(folder, "exchanges.ndjson"), "utf8").trimEnd().split("\n")
  return { ...said, headline, exchanges: lines.map((line): Exchange => JSON.parse(line)) }
})

/** Every judged MUST passed, and no MUST is blocked. */
const assertKept = ({ code, headline, stderr }: Effect.Success<ReturnType<typeof judged>>): void => {
  const [, judged, passed] = /^judged (\d+) of \d+ musts: (\d+) passed, 0 failed; /.exec(headline) ?? []
  assert.strictEqual(code, 0, `${headline}\n${stderr}`)
  assert.isDefined(judged, headline)
  assert.strictEqual(passed, judged)
  assert.notMatch(headline, /blocked|inconclusive|fault/)
}

describe("npm run conformance", () => {
  it.live(
    "passes every judged MUST and blocks none with two servers and two workers on one Postgres, in turn",
    () =>
      Effect.gen(function* () {
        const ran = yield* judged("--postgres")
        assertKept(ran)
        const [, here, there] = /^requests to each server: (\d+) and (\d+)$/m.exec(ran.stdout) ?? []
        assert.isAbove(Number(here), 1000)
        assert.isAtMost(Math.abs(Number(here) - Number(there)), 1)
        // deliveries to webhooks are not calls
        const sent = ran.exchanges.filter(({ kind }) => kind !== "delivery")
        assert.notInclude(
          sent.map(({ answer }) => answer),
          null
        )
        // About as many requests as counts.json says, which `selftest -- --requests` writes.
        const counts = Map.groupBy(sent, ({ walk }) => walk)
        // on a slow machine a limit is reset while it is exhausted, and exhausted again
        const { "rate-limits/exhaust": _, ...steady } = recordedCounts().requests
        // the profile of the file has fewer further tokens
        const wrong = Object.entries(steady).flatMap(([walk, recorded]) => {
          const now = counts.get(walk)?.length ?? recorded
          return Math.abs(now - recorded) <= Math.max(12, recorded / 10) ? [] : [`${walk}: ${now}, not ${recorded}`]
        })
        assert.deepStrictEqual(wrong, [])
      }),
    timeout
  )
})

// Both runs wait most of the time.
describe.concurrent("npm run conformance, under faults", () => {
  it.live(
    "breaks no rule while a server and a worker are killed and restarted: lost answers are inconclusive",
    () =>
      Effect.gen(function* () {
        const { code, headline, stderr, stdout } = yield* judged("--unsteady", "--only", "OWN,VER,EVT")
        assert.oneOf(code, [0, 4], `${headline}\n${stderr}`)
        const [, passed] = /: (\d+) passed, 0 failed;/.exec(headline) ?? []
        assert.isAbove(Number(passed), 30, headline)
        const [, killed] = /; killed (\d+) times; /.exec(stdout) ?? []
        assert.isAbove(Number(killed), 0)
      }),
    timeout
  )

  it.live(
    "passes when every answer takes 200 ms more",
    () =>
      Effect.gen(function* () {
        const ran = yield* judged("--delay=200", "--only", "WRK,VER,EVT")
        assertKept(ran)
        const times = ran.exchanges.flatMap(({ kind, millis }) => (kind === "delivery" ? [] : [millis]))
        assert.isAtLeast(Math.min(...times), 200)
      }),
    timeout
  )
})
