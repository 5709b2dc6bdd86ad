import { assert, describe, it } from "@effect/vitest"
import { changesAt, type VersionFields } from "@wcs/domain/audit/FieldChange"
import { internalAttributes } from "@wcs/domain/holding/Credential"
import { type JsonObject, put, at as valueAt } from "@wcs/domain/shared/Json"
import fc from "fast-check"

const version = (
  updatedAt: number,
  fields: JsonObject | undefined,
  deletedAt: number | null = null
): VersionFields => ({
  version: updatedAt,
  createdAt: 1,
  updatedAt,
  deletedAt,
  fields
})

const none: ReadonlyArray<ReadonlyArray<string>> = []

describe("threat 70: what an audit entry changed", () => {
  it("has each field with its values before and after, by its path", () => {
    const versions = [
      version(1, { identity: { displayName: "Ann", otherNames: ["A"] }, unit: { id: "unt_1" } }),
      version(2, { identity: { displayName: "Bea", otherNames: ["A", "B"] } }, 2)
    ]
    assert.deepStrictEqual(changesAt(versions, 2, none), [
      { field: "deletedAt", before: null, after: "1970-01-01T00:00:00.002Z" },
      { field: "identity.displayName", before: "Ann", after: "Bea" },
      { field: "identity.otherNames", before: ["A"], after: ["A", "B"] },
      { field: "unit.id", before: "unt_1", after: null }
    ])
  })

  it("sets all fields in the first version, and shows no internal field", () => {
    const cleared = { expiryDate: "2026-01-31", jurisdiction: "NSW" }
    const attributes = { cardType: "a", owners: null, cleared, declaredExpiryDate: "2026-01-31", clearedBy: "b" }
    assert.deepStrictEqual(changesAt([version(1, { attributes })], 1, internalAttributes), [
      { field: "attributes.cardType", before: null, after: "a" },
      { field: "attributes.clearedBy", before: null, after: "b" }
    ])
  })

  it("is unknown without the version, without the one before, or if one of them was erased", () => {
    const [first, second] = [version(1, { name: "a" }), version(2, { name: "b" })]
    const erased = { ...first, fields: undefined }
    assert.isNull(changesAt([], 2, none))
    assert.isNull(changesAt([second], 2, none), "older than the kept versions")
    assert.isNull(changesAt([erased, second], 2, none))
    assert.isNull(changesAt([first, { ...second, fields: undefined }], 2, none))
    assert.isNull(changesAt([first, second], 3, none))
  })

  it("leads from the version before to the one after, for any documents", () => {
    const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.array(fc.string(), { maxLength: 2 }))
    const inner = fc.dictionary(fc.constantFrom("a", "b"), leaf)
    const document = fc.record({ a: leaf, b: leaf, c: inner, d: inner }, { requiredKeys: [] })
    fc.assert(
      fc.property(document, document, (before, after) => {
        const changes = changesAt([version(1, before), version(2, after)], 2, none) ?? []
        const reached = changes.reduce<JsonObject>((fields, change) => {
          const path = change.field.split(".")
          assert.deepStrictEqual(valueAt(before, path) ?? null, change.before)
          return change.after === null ? put(fields, path, undefined) : fields
        }, before)
        const end = changes.reduce<JsonObject>(
          (fields, { after, field }) => (after === null ? fields : put(fields, field.split("."), after)),
          reached
        )
        const filled = (fields: JsonObject) =>
          (changesAt([version(1, fields)], 1, none) ?? []).map(({ after, field }) => [field, after])
        assert.deepStrictEqual(filled(end), filled(after))
      })
    )
  })
})
