import { assert, layer } from "@effect/vitest"
import { recordedCounts } from "@wcs/conformance/release/Counts"
import * as Specimens from "@wcs/specimens/Specimens"
import { Context, Effect, Layer } from "effect"
import { contractOf, countsOf, differencesIn, judgementOf, undescribed } from "./Described.ts"
import { assertKept, judged } from "./JudgedCommand.ts"

/** The run against one server on SQLite. */
class OnSqlite extends Context.Service<OnSqlite, Effect.Success<ReturnType<typeof judged>>>()(
  "@wcs/specimens/test/OnSqlite"
) {}

const onSqlite = Layer.effect(OnSqlite, judged())

layer(onSqlite, { timeout: "3 minutes", excludeTestServices: true })("npm run conformance", (it) => {
  it.effect(
    "passes every judged MUST on our own server, blocks none, and every answer matches the OpenAPI document",
    () =>
      Effect.gen(function* () {
        const ran = yield* OnSqlite
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
        for (const [reason, count] of Object.entries(others)) assert.isBelow(count, described / 40, reason)
      }).pipe(Effect.scoped),
    600_000
  )

  it.effect("sends about as many requests as counts.json says, which `selftest -- --requests` writes", () =>
    Effect.gen(function* () {
      const sent = (yield* OnSqlite).exchanges.filter(({ kind }) => kind !== "delivery")
      const counts = Map.groupBy(sent, ({ walk }) => walk)
      // on a slow machine a limit is reset while it is exhausted, and exhausted again
      const { "rate-limits/exhaust": _, ...steady } = recordedCounts().requests
      // the profile of the file has fewer further tokens
      const wrong = Object.entries(steady).flatMap(([walk, recorded]) => {
        const now = counts.get(walk)?.length ?? recorded
        return Math.abs(now - recorded) <= Math.max(12, recorded / 10) ? [] : [`${walk}: ${now}, not ${recorded}`]
      })
      assert.deepStrictEqual(wrong, [])
    })
  )

  it.effect(
    "passes with two servers and two workers on one Postgres, alternating between the servers",
    () =>
      Effect.gen(function* () {
        const ran = yield* judged("--postgres")
        assertKept(ran)
        assert.deepStrictEqual(ran.verdicts, (yield* OnSqlite).verdicts)
        const [, here, there] = /^requests to each server: (\d+) and (\d+)$/m.exec(ran.stdout) ?? []
        assert.isAbove(Number(here), 1000)
        assert.isAtMost(Math.abs(Number(here) - Number(there)), 1)
      }).pipe(Effect.scoped),
    600_000
  )

  it.effect(
    "breaks no rule while a server and a worker are killed and restarted: lost answers are inconclusive",
    () =>
      Effect.gen(function* () {
        const { code, headline, stderr, stdout } = yield* judged("--unsteady", "--only", "OWN,VER,EVT")
        assert.oneOf(code, [0, 4], `${headline}\n${stderr}`)
        const [, passed] = /: (\d+) passed, 0 failed;/.exec(headline) ?? []
        assert.isAbove(Number(passed), 30, headline)
        const [, killed] = /; killed (\d+) times; /.exec(stdout) ?? []
        assert.isAbove(Number(killed), 0)
      }).pipe(Effect.scoped),
    600_000
  )
})
