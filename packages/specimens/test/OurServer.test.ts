import { assert, describe, it } from "@effect/vitest"
import * as Specimens from "@wcs/specimens/Specimens"
import { Effect } from "effect"
import { contractOf, countsOf, differencesIn, judgementOf, undescribed } from "./Described.ts"
import { assertKept, judged } from "./JudgedCommand.ts"

describe("npm run conformance", () => {
  it.live(
    "passes every judged must on our own server without blocked ones, and every answer matches the OpenAPI document",
    () =>
      Effect.gen(function* () {
        const ran = yield* judged()
        assertKept(ran)
        // deliveries to webhooks are not calls
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
    "passes with two servers and two workers on one Postgres, alternating between the servers",
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
    "breaks no rule while a server and a worker are killed and restarted: lost answers are inconclusive",
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
