import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { assertKept, judged } from "./JudgedCommand.ts"

const timeout = 300_000

/** The command's summary of lost answers. */
const wayIn = (stdout: string) => {
  const [, connections, parts, resets] =
    /^(\d+) connections, (\d+) parts sent, (\d+) of them reset$/m.exec(stdout) ?? []
  return { connections: Number(connections), parts: Number(parts), resets: Number(resets) }
}

// Both runs wait most of the time.
describe.concurrent("npm run conformance, over a network", () => {
  it.live(
    "passes when every answer takes 200 ms more",
    () =>
      Effect.gen(function* () {
        const ran = yield* judged("--delay=200", "--only", "WRK,VER,EVT")
        assertKept(ran)
        const times = ran.exchanges.flatMap(({ kind, millis }) => (kind === "delivery" ? [] : [millis]))
        assert.isAtLeast(Math.min(...times), 200)
      }).pipe(Effect.scoped),
    timeout
  )

  it.live(
    "finds no failure when two of a hundred requests are reset, and judges most rules",
    () =>
      Effect.gen(function* () {
        const { code, headline, stderr, stdout } = yield* judged("--resets=2")
        assert.oneOf(code, [0, 4], `${headline}\n${stderr}`)
        assert.match(headline, /: \d+ passed, 0 failed;/)
        assert.notMatch(headline, /blocked|warning|fault/)
        const [, inconclusive = "0"] = /; (\d+) inconclusive/.exec(headline) ?? []
        assert.isBelow(Number(inconclusive), 40, headline)
        const { connections, parts, resets } = wayIn(stdout)
        assert.isAbove(resets, parts / 100)
        assert.isAtLeast(connections, resets)
      }).pipe(Effect.scoped),
    timeout
  )
})
