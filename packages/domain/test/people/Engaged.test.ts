import { assert, describe, it } from "@effect/vitest"
import { isEngaged, type Owner } from "@wcs/domain/people/Engaged"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import { stored } from "../screening/StoredFields.ts"

const today = "2026-01-31"

const worker = (employment?: NonNullable<WorkerFields["employment"]>): Owner => ({
  type: "worker",
  person: stored({ identity: { displayName: "Ann" }, ...(employment === undefined ? {} : { employment }) })
})
const applicant = (status: "NEW" | "SCREENING" | "COMPLETED" | "HIRED" | "WITHDRAWN"): Owner => ({
  type: "applicant",
  person: stored({ emailAddress: "ann@example.org", status })
})

describe("who is engaged", () => {
  const rows: ReadonlyArray<readonly [who: string, owner: Owner, engaged: boolean]> = [
    ["a worker with a name alone", worker(), true],
    ["a worker who is active", worker({ status: "ACTIVE" }), true],
    ["a worker on leave", worker({ status: "ON_LEAVE" }), true],
    ["a worker who is inactive", worker({ status: "INACTIVE" }), true],
    ["a worker who left", worker({ status: "TERMINATED" }), false],
    ["a worker on the last day", worker({ endDate: "2026-01-31" }), true],
    ["a worker after the last day", worker({ endDate: "2026-01-30" }), false],
    ["an applicant", applicant("NEW"), true],
    ["an applicant who was hired", applicant("HIRED"), true],
    ["an applicant who withdrew", applicant("WITHDRAWN"), false]
  ]
  for (const [who, owner, engaged] of rows) {
    it(`${engaged ? "includes" : "excludes"} ${who}`, () => assert.strictEqual(isEngaged(owner, today), engaged))
  }

  it("excludes a person who was deleted", () => {
    const { person } = worker()
    assert.isFalse(isEngaged({ type: "worker", person: { ...person, deletedAt: 1 } } as Owner, today))
  })
})
