import { assert, layer } from "@effect/vitest"
import { rulesOf } from "@wcs/conformance/engine/Walk"
import { exchangeRules, walks } from "@wcs/conformance/Walks"
import { Effect } from "effect"
import * as Judged from "./Judged.ts"

// These walks test the rules of the specification over HTTP. The tests of `apps/http-node` do not repeat them.

/** Walks that need a browser login or an identity provider. `npm run conformance` adds both. */
const loggedIn = ["bearer/enrolled", "bearer/external", "login/saml", "login/totp"]
/** Walks that need a feature that this server lacks. */
const notOffered = [...loggedIn, "oauth/provider-paths"]

/** Rules about responses with status 500. */
const ofFailures: ReadonlyArray<string> = ["ENV-15", "ENV-18"]

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
