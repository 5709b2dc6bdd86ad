import { assert, describe, it } from "@effect/vitest"
import * as Specimens from "@wcs/specimens/Specimens"
import { Effect } from "effect"
import { contractOf, countsOf, differencesIn, judgementOf, undescribed } from "./Described.ts"
import { assertKept, judged } from "./JudgedCommand.ts"

describe("npm run conformance", () => {
  it.live(
    "finds that our own server keeps every must that is judged, and that none is blocked; no answer differs from the OpenAPI document",
    () =>
      Effect.gen(function* () {
        const ran = yield* judged()
        assertKept(ran)
        // what is delivered to webhooks is no call
        const exchanges = ran.exchanges.filter(({ kind }) => kind !== "delivery")

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
        assert.includeMembers([...undescribed, "URL is not in its normal form"], Object.keys(others))
        for (const [reason, count] of Object.entries(others)) assert.isBelow(count, described / 50, reason)
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "finds the same of two servers and two workers on one Postgres, each request at the other server than the one before",
    () =>
      Effect.gen(function* () {
        const ran = yield* judged("--postgres")
        assertKept(ran)
        assert.deepStrictEqual(ran.verdicts, (yield* judged()).verdicts)
        const [, here, there] = /^requests to each server: (\d+) and (\d+)$/m.exec(ran.stdout) ?? []
        assert.isAbove(Number(here), 1000)
        assert.isAtMost(Math.abs(Number(here) - Number(there)), 1)
      }).pipe(Effect.scoped),
    180_000
  )

  it.live(
    "breaks no rule while one server and one worker are killed and started again all the time: what is lost by it decides nothing",
    () =>
      Effect.gen(function* () {
        const { code, headline, stderr, stdout } = yield* judged("--unsteady", "--only", "OWN,VER,EVT")
        assert.oneOf(code, [0, 4], `${headline}\n${stderr}`)
        assert.match(headline, /: \d+ passed, 0 failed;/)
        const [, killed] = /; killed (\d+) times; /.exec(stdout) ?? []
        assert.isAbove(Number(killed), 0)
      }).pipe(Effect.scoped),
    600_000
  )
})
