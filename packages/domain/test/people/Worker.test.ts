import { assert, describe, it } from "@effect/vitest"
import { Worker, WorkerFields } from "@wcs/domain/people/Worker"
import { columnValue, toDocument } from "@wcs/domain/resource/Resource"
import { isId } from "@wcs/domain/shared/Id"
import { Result, Schema } from "effect"
import * as fc from "fast-check"
import * as arbitraries from "../shared/arbitraries.ts"

const read = Schema.decodeUnknownResult(WorkerFields)
const named = (more: object) => ({ identity: { displayName: "Ann", ...more } })

describe("Worker", () => {
  it("reads what it writes", () => {
    fc.assert(
      fc.property(arbitraries.workerFields, (fields) => {
        assert.deepStrictEqual(read(fields), Result.succeed(fields))
      })
    )
  })

  it.each([
    ["a name of one character", { identity: { displayName: "A" } }],
    ["a name of 200", { identity: { displayName: "A".repeat(200) } }],
    ["a name of any script", { identity: { displayName: "李 小龍 ʻŌlelo 🧑‍⚕️" } }],
    ["an external id of 200", { ...named({}), source: { externalId: "x".repeat(200) } }],
    ["every kind of work", { ...named({}), employment: { workerType: "CONTRACTOR", status: "ON_LEAVE" } }],
    ["a leap day", named({ birthDate: "2000-02-29" })],
    ["no other names", named({ otherNames: [] })],
    ["20 other names", named({ otherNames: Array.from({ length: 20 }, () => "Nan") })]
  ])("takes %s", (_name, fields) => {
    assert.isTrue(Result.isSuccess(read(fields)))
  })

  it.each([
    ["WRK-01: no identity", {}],
    ["WRK-01: no name", { identity: {} }],
    ["an empty name", { identity: { displayName: "" } }],
    ["a name of 201", { identity: { displayName: "A".repeat(201) } }],
    ["a name of two lines", { identity: { displayName: "Ann\nO'Brien" } }],
    ["a name with a NUL", { identity: { displayName: "Ann\0" } }],
    ["a name with a DEL", { identity: { displayName: "Ann\u007f" } }],
    ["a name with a control character of C1", { identity: { displayName: "Ann\u0085" } }],
    ["a name with half of a surrogate pair", { identity: { displayName: "Ann\ud800" } }],
    ["an external id of 201", { ...named({}), source: { externalId: "x".repeat(201) } }],
    ["an external id that is a number", { ...named({}), source: { externalId: 1 } }],
    ["an empty external id", { ...named({}), source: { externalId: "" } }],
    ["an unknown kind of work", { ...named({}), employment: { workerType: "INTERN" } }],
    ["an unknown state of work", { ...named({}), employment: { status: "active" } }],
    ["a day that the calendar has not", named({ birthDate: "1900-02-29" })],
    ["a day with a time", named({ birthDate: "1990-01-01T00:00:00Z" })],
    ["21 other names", named({ otherNames: Array.from({ length: 21 }, () => "Nan") })],
    ["an empty other name", named({ otherNames: [""] })],
    ["null for what may be absent", named({ firstName: null })]
  ])("refuses %s", (_name, fields) => {
    assert.isTrue(Result.isFailure(read(fields)))
  })

  it("WRK-14: is shown with its fields on itself, between its id and its times", () => {
    fc.assert(
      fc.property(arbitraries.stored("wkr_", arbitraries.workerFields), (row) => {
        const shown = toDocument(Worker, row)
        assert.deepStrictEqual(shown, {
          id: row.id,
          type: "worker",
          ...row.fields,
          createdAt: new Date(row.createdAt).toISOString(),
          updatedAt: new Date(row.updatedAt).toISOString()
        })
        assert.isTrue(isId("worker", shown.id))
      })
    )
  })

  it.each([
    ["external_id", "Emp-1"],
    ["source_system", "HR"],
    ["display_name", "ann o'brien"],
    ["last_name", ""],
    ["no_column", ""]
  ])("WRK-16: is looked up in %s by %j", (column, value) => {
    const fields = { identity: { displayName: "Ann O'BRIEN" }, source: { externalId: "Emp-1", sourceSystem: "HR" } }
    assert.strictEqual(columnValue(Worker, column, fields), value)
  })
})
