import { assert, describe, it } from "@effect/vitest"
import { readsOfEvents } from "@wcs/domain/event/EventKind"
import { readsOf } from "@wcs/domain/resource/DerivedAnswer"

describe("the privileges of events", () => {
  it("PRV-08: the result of a check needs what an evaluation with exemptions needs", () => {
    assert.deepStrictEqual(readsOfEvents(["worker.complianceChanged"]), [...readsOf("evaluationWithExemptions")])
  })
})
