import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Finding } from "@wcs/conformance/judgement/Finding"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Request } from "@wcs/conformance/wire/Exchange"
import type { Deliver } from "@wcs/specimen/target/Hub"
import { findingsOf, judge } from "@wcs/specimen/target/Target"
import { Effect } from "effect"
import { type Specimen, started } from "../Specimen.ts"

const findingsOn = Effect.fnUntraced(function* (specimen: Specimen, ...rules: ReadonlyArray<RuleId>) {
  const impatient = (profile: Profile) => ({ ...profile, receiver: { timeoutSeconds: 1 } })
  const target = yield* started({ profile: impatient, ...specimen })
  return findingsOf(yield* judge(target, new Set(rules))).filter(({ rule }) => rules.includes(rule))
}, Effect.scoped)

/** Replaces deliveries that were sent before: the same body to the same address. Undefined drops them. */
const repeated =
  (change: (delivered: Request) => Request | undefined) =>
  (deliver: Deliver): Deliver => {
    const seen = new Set<string>()
    return (delivered) => {
      const key = JSON.stringify([delivered.url, delivered.body])
      const sent = seen.has(key) ? change(delivered) : delivered
      seen.add(key)
      return sent === undefined ? Effect.succeed(200) : deliver(sent)
    }
  }

const told = (findings: ReadonlyArray<Finding>) => [
  ...new Set(findings.map(({ outcome, reason, rule }) => `${rule} ${outcome}: ${reason}`))
]

describe("a missing event", () => {
  it.live("EVT-05, EVT-06: is inconclusive when a failed delivery is not retried or redriven", () =>
    Effect.gen(function* () {
      const once = repeated(() => undefined)
      assert.sameMembers(told(yield* findingsOn({ deliveries: once }, "EVT-05", "EVT-06")), [
        "EVT-05 inconclusive: a failed delivery was not retried within 1 s",
        "EVT-06 inconclusive: no delivery was redriven within 1 s",
        "EVT-05 pass: undefined" // the attempts that were made agree; the verdict is the less certain finding
      ])
    })
  )

  it.live("blocks when no delivery reaches the receiver", () =>
    Effect.gen(function* () {
      const silent = (): Deliver => () => Effect.succeed(200)
      const findings = yield* findingsOn({ deliveries: silent }, "EVT-01", "EVT-02", "CRD-09", "EVT-07")
      for (const { outcome, reason } of findings) {
        assert.deepStrictEqual(
          [outcome, reason],
          ["blocked", "no delivery reached the receiver at https://receiver.specimen.test in time"]
        )
      }
      assert.lengthOf(findings, 4)
    })
  )

  it.live("is not waited for when the profile has no receiver", () =>
    Effect.gen(function* () {
      const findings = yield* findingsOn({ profile: ({ receiver: _, ...profile }) => profile }, "EVT-01", "EVT-10")
      assert.sameMembers(told(findings), ["EVT-01 blocked: needs receiver", "EVT-10 blocked: needs receiver"])
    })
  )
})

describe("an unrecognized retry", () => {
  it.live("is inconclusive with another id and no correlation id, because it may belong to another event", () =>
    Effect.gen(function* () {
      const strange = repeated((delivered) => ({ ...delivered, headers: [], body: "{}" }))
      assert.deepStrictEqual(told(yield* findingsOn({ deliveries: strange }, "EVT-05")), [
        "EVT-05 inconclusive: a failed delivery was not retried within 1 s",
        "EVT-05 pass: undefined"
      ])
    })
  )
})
