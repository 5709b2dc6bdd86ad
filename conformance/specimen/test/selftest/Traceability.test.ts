import { existsSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { catalogue } from "@wcs/conformance/catalogue/Catalogue"
import { recordedCounts } from "@wcs/conformance/release/Counts"
import { choices } from "@wcs/specimen/choices/Choices"
import { traceability, traceabilityFile } from "@wcs/specimen/selftest/Traceability"

const table = traceability()

/** The cells of a rule's row. */
const rowOf = (id: string): ReadonlyArray<string> =>
  (table.split("\n").find((line) => line.startsWith(`| ${id} |`)) ?? "").split(" | ")

describe("the traceability table", () => {
  it("has a row for each rule, of the same width", () => {
    for (const { id } of catalogue) assert.lengthOf(rowOf(id), 9, id)
  })

  it("OWN-14: links the domain, the check and the fault", () => {
    const [, , domain, properties, tests, checkedBy, places, faults] = rowOf("OWN-14")
    assert.strictEqual(
      domain,
      "[Ownership](../packages/domain/src/ownership/Ownership.ts) ([tests](../packages/domain/test/ownership/Ownership.test.ts))"
    )
    assert.include(properties, "[Ownership](../packages/domain/test/ownership/Ownership.test.ts)")
    assert.strictEqual(tests, "domain, HTTP")
    assert.strictEqual(checkedBy, "`ownership/unlink-one-of-two`")
    assert.strictEqual(places, "1")
    assert.include(faults, "unlinking an empty slot is refused")
  })

  it("has the recorded number of places of each rule", () => {
    const places = Object.entries(recordedCounts().places)
    assert.isAbove(places.length, 20)
    for (const [rule, of] of places) assert.strictEqual(rowOf(rule)[6], String(of), rule)
    assert.isAbove(
      places.reduce((sum, [, of]) => sum + of, 0),
      800
    )
  })

  it("names every choice", () => {
    const cells = catalogue.map(({ id }) => rowOf(id).at(-1) ?? "").join()
    assert.deepStrictEqual(
      choices.filter(({ name }) => !cells.includes(name)).map(({ name }) => name),
      []
    )
  })

  it("names existing files", () => {
    for (const [, path = ""] of table.matchAll(/\]\(([^)]+)\)/g)) {
      assert.isTrue(existsSync(new URL(path, traceabilityFile)), path)
    }
  })

  it("lists what has no link", () => {
    const open = table.split("\n").filter((line) => line.includes("**none**"))
    for (const line of open) {
      const [id = ""] = /[A-Z]{3}-\d{2}/.exec(line) ?? []
      assert.match(table.slice(0, table.indexOf("## Rules")), new RegExp(`\\b${id}\\b`), line)
    }
  })
})
