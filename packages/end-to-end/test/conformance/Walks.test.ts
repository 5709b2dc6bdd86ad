import { assert, layer } from "@effect/vitest"
import { rulesOf } from "@wcs/conformance/judgement/Walk"
import { exchangeRules, walks } from "@wcs/conformance/walks/Walks"
import { Effect } from "effect"
import * as Judged from "./Judged.ts"
import { observations } from "./Observations.ts"

// These walks test the rules of the specification over HTTP. The tests of `packages/deployment` do not repeat them.

/** Walks that need a browser login or an identity provider. `npm run conformance` adds both. */
const loggedIn = ["bearer/enrolled", "bearer/external", "login/saml", "login/totp"]
/** Walks that need a feature that this server lacks. */
const notOffered = [...loggedIn, "oauth/provider-paths"]

/** Rules about responses with status 500. */
const ofFailures: ReadonlyArray<string> = ["ENV-15", "ENV-18"]

/** The ids of users, which the paths of two observations show, depend on the store. */
const withoutIds = (observed: unknown): unknown =>
  JSON.parse(JSON.stringify(observed).replaceAll(/\/users\/\d+/g, "/users/{id}"))

layer(Judged.layer, { timeout: "2 minutes", excludeTestServices: true })("our server keeps the rules", (it) => {
  for (const walk of walks.filter(({ name }) => !notOffered.includes(name))) {
    it.effect(`${walk.name}: ${rulesOf(walk).join(", ")}`, () =>
      Effect.gen(function* () {
        const { broken, findings } = yield* Judged.found((finding) => finding.walk === walk.name)
        assert.deepStrictEqual(broken, [])
        assert.isNotEmpty(findings)
      })
    )
  }

  for (const { rule } of exchangeRules.filter(({ rule }) => !ofFailures.includes(rule))) {
    it.effect(`every exchange: ${rule}`, () =>
      Effect.gen(function* () {
        const { broken, findings } = yield* Judged.found((finding) => finding.rule === rule)
        assert.deepStrictEqual(broken, [])
        assert.isNotEmpty(findings)
      })
    )
  }

  for (const rule of new Set(observations.map(([rule]) => rule))) {
    it.effect(`${rule}: the server makes the choices that are written down`, () =>
      Effect.gen(function* () {
        const { findings } = yield* Judged.found((finding) => finding.rule === rule && finding.outcome === "observed")
        assert.sameDeepMembers(
          findings.map(({ observed, walk }) => [rule, walk, withoutIds(observed)]),
          observations.filter(([one]) => one === rule).map((row) => [...row])
        )
      })
    )
  }

  it.effect("observes no choice that is not written down", () =>
    Effect.gen(function* () {
      const written = new Set(observations.map(([rule]) => rule))
      const { findings } = yield* Judged.found(({ outcome, rule }) => outcome === "observed" && !written.has(rule))
      assert.deepStrictEqual(findings, [])
    })
  )

  it.effect("answers no call with status 500", () =>
    Effect.gen(function* () {
      const { findings } = yield* Judged.found(({ rule }) => ofFailures.includes(rule))
      assert.deepStrictEqual(
        findings.map(({ outcome }) => outcome),
        ["not-applicable", "not-applicable"]
      )
    })
  )

  it.effect("runs every walk except those that need a feature that this server lacks", () =>
    Effect.gen(function* () {
      const { findings } = yield* Judged.found(
        ({ outcome, rule }) => outcome === "not-applicable" && !ofFailures.includes(rule)
      )
      assert.sameMembers([...new Set(findings.map(({ walk }) => walk))], notOffered)
    })
  )
})
