import { isChanged, patchOf, textsOf } from "@wcs/console/records/Edited"
import { assert, describe, it } from "vitest"

const fields = [{ path: "identity.displayName" }, { path: "employment.jobTitle" }, { path: "employment.status" }]
const record = { identity: { displayName: "Ann" }, employment: { status: "ACTIVE" } }
const opened = textsOf(record, fields)

describe("the patch of an edit", () => {
  it("is empty when nothing was changed", () => {
    assert.deepStrictEqual(patchOf(opened, opened, fields), {})
  })

  it("has only the changed fields", () => {
    const texts = { ...opened, "employment.jobTitle": "Cook" }
    assert.deepStrictEqual(patchOf(opened, texts, fields), { employment: { jobTitle: "Cook" } })
  })

  it("removes an emptied field by null", () => {
    const texts = { ...opened, "employment.status": "" }
    assert.deepStrictEqual(patchOf(opened, texts, fields), { employment: { status: null } })
  })
})

it("notices a field that somebody else changed", () => {
  const present = textsOf({ ...record, employment: { status: "TERMINATED" } }, fields)
  assert.deepStrictEqual(
    fields.filter((field) => isChanged(opened, present, field)),
    [{ path: "employment.status" }]
  )
})

describe("values that are no text", () => {
  const fields = [
    { path: "types", as: "list" },
    { path: "isOn", as: "boolean" },
    { path: "days", type: "number" }
  ] as const

  it("are read as texts, and sent as lists, yes or no, and numbers", () => {
    const opened = textsOf({ types: ["A B", "C"], isOn: false, days: 7 }, fields)
    assert.deepStrictEqual(opened, { types: "A B\nC", isOn: "false", days: "7" })
    const texts = { types: " C \n\nD", isOn: "true", days: "14" }
    assert.deepStrictEqual(patchOf(opened, texts, fields), { types: ["C", "D"], isOn: true, days: 14 })
  })

  it("are removed by null when emptied", () => {
    const opened = { types: "A", isOn: "true", days: "7" }
    const nothing = { types: " \n", isOn: "", days: "" }
    assert.deepStrictEqual(patchOf(opened, nothing, fields), { types: null, isOn: null, days: null })
  })
})
