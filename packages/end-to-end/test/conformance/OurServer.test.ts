import { assert, describe, it, layer } from "@effect/vitest"
import { exchangeRules, walks } from "@wcs/conformance/walks/Walks"
import { Context, Effect, Layer } from "effect"
import { countsOf, differencesIn, contract as documented, judgementOf, undescribed } from "./Described.ts"
import { assertKept, judged } from "./JudgedCommand.ts"
import { observations } from "./Observations.ts"

// These walks test the rules of the specification over HTTP. The tests of `packages/deployment` do not repeat them.

/** The run against one server on SQLite. */
class OnSqlite extends Context.Service<OnSqlite, Effect.Success<ReturnType<typeof judged>>>()(
  "@wcs/end-to-end/test/conformance/OnSqlite"
) {}

const onSqlite = Layer.effect(OnSqlite, judged())

/** Findings about features and failures that this server does not have. */
const notApplicable = ["ENV-15", "ENV-18", "OAU-22"]

/** The ids of users, which the paths of two observations show, depend on the store. */
const withoutIds = (observed: unknown): unknown =>
  JSON.parse(JSON.stringify(observed).replaceAll(/\/users\/\d+/g, "/users/{id}"))

/** The choices of the server, as they are written down. */
const choicesIn = ({ findings }: OnSqlite["Service"]) =>
  findings.flatMap(({ observed, outcome, rule, walk }) =>
    outcome === "observed" ? [[rule, walk, withoutIds(observed)]] : []
  )

const writtenChoices = observations.map((row) => [...row])

/**
 * The areas in which servers and workers share more than rows. Each server alone refuses the calls of the other areas,
 * which are two thirds of a run, and `TwoServers.test.ts` has the tokens and sessions that end at the other server.
 */
const shared = ["OWN", "BLK", "DEL", "VER", "EVT", "OAU", "RTL", "WRK", "CRD", "SIL"]

layer(onSqlite, { timeout: "3 minutes", excludeTestServices: true })("npm run conformance", (it) => {
  it.effect(
    "passes every judged MUST on our own server, blocks none, and every answer matches the OpenAPI document",
    () =>
      Effect.gen(function* () {
        const ran = yield* OnSqlite
        assertKept(ran)
        // deliveries to webhooks are not calls
        const exchanges = ran.exchanges.filter(({ kind }) => kind !== "delivery")

        const contract = yield* Effect.promise(() => documented)
        const judgements = exchanges.flatMap((exchange) =>
          exchange.answer === null ? [] : [judgementOf(contract, exchange, exchange.answer)]
        )
        assert.deepStrictEqual(differencesIn(judgements), [])
        assert.lengthOf(judgements, exchanges.length, "every request was answered")
        const { described = 0, ...others } = countsOf(judgements)
        assert.isAbove(described, 1000)
        assert.includeMembers([...undescribed, "URL is not in its normal form"], Object.keys(others))
        for (const [reason, count] of Object.entries(others)) assert.isBelow(count, described / 40, reason)
        const met = new Set(judgements.map((judgement) => (judgement.within ? judgement.operation : "")))
        const unmet = contract.operations.filter(
          (name) => /^(oauth|workers|credentials)\./.test(name) && !met.has(name)
        )
        // operations that the specification does not document and the suite does not call
        const undocumented = ["restore", "verifications", "ownership", "review", "notices", "decisions", "decidable"]
        assert.sameMembers(unmet, [
          "workers.restore",
          "workers.proof",
          ...undocumented.map((name) => `credentials.${name}`)
        ])
      })
  )

  it.effect("runs every walk and every rule about exchanges, and answers no call with status 500", () =>
    Effect.gen(function* () {
      const { findings } = yield* OnSqlite
      const others = findings.filter(({ outcome }) => outcome !== "pass" && outcome !== "observed")
      assert.sameMembers(
        others.map(({ outcome, rule }) => `${rule} ${outcome}`),
        notApplicable.map((rule) => `${rule} not-applicable`),
        JSON.stringify(others, null, 2)
      )
      const ran = new Set(findings.flatMap(({ rule, walk }) => [rule, walk]))
      const due = [...walks.map(({ name }) => name), ...exchangeRules.map(({ rule }) => rule)]
      assert.deepStrictEqual(
        due.filter((one) => !ran.has(one)),
        []
      )
    })
  )

  it.effect("makes the choices that are written down, and no others", () =>
    Effect.map(OnSqlite, (ran) => assert.sameDeepMembers(choicesIn(ran), writtenChoices))
  )

  it.effect("sends at most 3,300 requests", () =>
    Effect.gen(function* () {
      // on a slow machine a limit is reset while it is exhausted, and exhausted again
      const sent = (yield* OnSqlite).exchanges.filter(
        ({ kind, walk }) => kind !== "delivery" && walk !== "rate-limits/exhaust"
      )
      assert.isAtMost(sent.length, 3300 - 24)
    })
  )

  it.effect(
    "passes with two servers and two workers on one Postgres, alternating between the servers",
    () =>
      Effect.gen(function* () {
        const ran = yield* judged("--postgres", "--only", shared.join())
        assertKept(ran)
        const isShared = ([rule]: readonly [string, unknown]) => shared.includes(rule.split("-")[0] ?? "")
        const sharedIn = ({ verdicts }: OnSqlite["Service"]) => Object.entries(verdicts).filter(isShared)
        assert.deepStrictEqual(sharedIn(ran), sharedIn(yield* OnSqlite))
        assert.isAbove(choicesIn(ran).length, writtenChoices.length / 2)
        assert.includeDeepMembers(writtenChoices, choicesIn(ran))
        const [, here, there] = /^requests to each server: (\d+) and (\d+)$/m.exec(ran.stdout) ?? []
        assert.isAbove(Number(here), 400)
        assert.isAtMost(Math.abs(Number(here) - Number(there)), 1)
      }).pipe(Effect.scoped),
    600_000
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
        assert.isAbove(Number(passed), 10, headline) // killed servers answer less on a busy machine
        const [, killed] = /; killed (\d+) times; /.exec(stdout) ?? []
        assert.isAbove(Number(killed), 0)
      }),
    600_000
  )

  it.live(
    "passes when every answer takes 200 ms more",
    () =>
      Effect.gen(function* () {
        const ran = yield* judged("--delay=200", "--only", "VER,EVT")
        assertKept(ran)
        const times = ran.exchanges.flatMap(({ kind, millis }) => (kind === "delivery" ? [] : [millis]))
        assert.isAtLeast(Math.min(...times), 200)
      }),
    600_000
  )
})
