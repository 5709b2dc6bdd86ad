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
  it("decodes what it encodes", () => {
    fc.assert(
      fc.property(arbitraries.workerFields, (fields) => {
        assert.deepStrictEqual(read(fields), Result.succeed(fields))
      })
    )
  })

  it.each([
    ["a name of one character", { identity: { displayName: "A" } }],
    ["a name of 200 characters", { identity: { displayName: "A".repeat(200) } }],
    ["a name in any script", { identity: { displayName: "李 小龍 ʻŌlelo 🧑‍⚕️" } }],
    ["an external id of 200 characters", { ...named({}), source: { externalId: "x".repeat(200) } }],
    ["a full employment", { ...named({}), employment: { workerType: "CONTRACTOR", status: "ON_LEAVE" } }],
    ["a leap day", named({ birthDate: "2000-02-29" })],
    ["no other names", named({ otherNames: [] })],
    ["20 other names", named({ otherNames: Array.from({ length: 20 }, () => "Nan") })]
  ])("accepts %s", (_name, fields) => {
    assert.isTrue(Result.isSuccess(read(fields)))
  })

  it.each([
    ["WRK-01: no identity", {}],
    ["WRK-01: no name", { identity: {} }],
    ["an empty name", { identity: { displayName: "" } }],
    ["a name of 201 characters", { identity: { displayName: "A".repeat(201) } }],
    ["a name with a line break", { identity: { displayName: "Ann\nO'Brien" } }],
    ["a name with a NUL", { identity: { displayName: "Ann\0" } }],
    ["a name with a DEL", { identity: { displayName: "Ann\u007f" } }],
    ["a name with a C1 control character", { identity: { displayName: "Ann\u0085" } }],
    ["a name with a lone surrogate", { identity: { displayName: "Ann\ud800" } }],
    ["an external id of 201 characters", { ...named({}), source: { externalId: "x".repeat(201) } }],
    ["an external id that is a number", { ...named({}), source: { externalId: 1 } }],
    ["an empty external id", { ...named({}), source: { externalId: "" } }],
    ["an unknown worker type", { ...named({}), employment: { workerType: "INTERN" } }],
    ["an unknown employment status", { ...named({}), employment: { status: "active" } }],
    ["a date that does not exist", named({ birthDate: "1900-02-29" })],
    ["a date with a time", named({ birthDate: "1990-01-01T00:00:00Z" })],
    ["21 other names", named({ otherNames: Array.from({ length: 21 }, () => "Nan") })],
    ["an empty other name", named({ otherNames: [""] })],
    ["null for an optional field", named({ firstName: null })]
  ])("refuses %s", (_name, fields) => {
    assert.isTrue(Result.isFailure(read(fields)))
  })

  it("WRK-14: has its fields at the top level, between its id and its times", () => {
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
  ])("WRK-16: is found in %s by %j", (column, value) => {
    const fields = { identity: { displayName: "Ann O'BRIEN" }, source: { externalId: "Emp-1", sourceSystem: "HR" } }
    assert.strictEqual(columnValue(Worker, column, fields), value)
  })
})
