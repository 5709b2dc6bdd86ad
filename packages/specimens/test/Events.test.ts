import { assert, describe, it } from "@effect/vitest"
import type { RuleId } from "@wcs/conformance/catalogue/Catalogue"
import type { Finding } from "@wcs/conformance/engine/Finding"
import type { Profile } from "@wcs/conformance/profile/Profile"
import type { Specimen } from "@wcs/specimens/Specimen"
import * as Specimens from "@wcs/specimens/Specimens"
import { again, without } from "@wcs/specimens/seams/DeliverySeams"
import { findingsOf, judge } from "@wcs/specimens/selftest/Judging"
import { Effect } from "effect"

const findingsOn = Effect.fnUntraced(function* (specimen: Omit<Specimen, "name">, ...rules: ReadonlyArray<RuleId>) {
  const start = yield* Specimens.make
  const impatient = (profile: Profile) => ({ ...profile, receiver: { patienceSeconds: 1 } })
  const target = yield* start({ name: "one", profile: impatient, ...specimen }, false)
  return findingsOf(yield* judge(target, new Set(rules))).filter(({ rule }) => rules.includes(rule))
}, Effect.scoped)

const told = (findings: ReadonlyArray<Finding>) => [
  ...new Set(findings.map(({ outcome, reason, rule }) => `${rule} ${outcome}: ${reason}`))
]

describe("what is waited for in vain", () => {
  it.live("decides nothing where a failed delivery is not tried, or not driven, again: EVT-05, EVT-06", () =>
    Effect.gen(function* () {
      const seen = new Set<string>()
      const once = without((delivered) => {
        const isRepeated = seen.has(JSON.stringify([delivered.url, delivered.body]))
        seen.add(JSON.stringify([delivered.url, delivered.body]))
        return isRepeated
      })
      assert.sameMembers(told(yield* findingsOn({ deliveries: once }, "EVT-05", "EVT-06")), [
        "EVT-05 inconclusive: a failed delivery was not tried again within 1 s",
        "EVT-06 inconclusive: nothing was driven again within 1 s"
      ])
    })
  )

  it.live("blocks where nothing at all comes to the receiver: whoever cannot reach it delivers nothing there", () =>
    Effect.gen(function* () {
      const silent = without(() => true)
      const findings = yield* findingsOn({ deliveries: silent }, "EVT-01", "EVT-02", "CRD-09", "EVT-07")
      for (const { outcome, reason } of findings) {
        assert.deepStrictEqual(
          [outcome, reason],
          ["blocked", "nothing has come to the receiver, at https://receiver.specimen.test, within its patience"]
        )
      }
      assert.lengthOf(findings, 4)
    })
  )

  it.live("is not waited for where the profile names no receiver", () =>
    Effect.gen(function* () {
      const findings = yield* findingsOn({ profile: ({ receiver: _, ...profile }) => profile }, "EVT-01", "EVT-10")
      assert.sameMembers(told(findings), ["EVT-01 blocked: needs receiver", "EVT-10 blocked: needs receiver"])
    })
  )
})

describe("a retry that is not known for one", () => {
  it.live("under another id and without a correlation id decides nothing, since it may be of another event", () =>
    Effect.gen(function* () {
      const strange = again((delivered) => ({ ...delivered, headers: [], body: "{}" }))
      assert.deepStrictEqual(told(yield* findingsOn({ deliveries: strange }, "EVT-05")), [
        "EVT-05 inconclusive: a failed delivery was not tried again within 1 s"
      ])
    })
  )
})
