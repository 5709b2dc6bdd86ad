import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { catalogue } from "@wcs/conformance/Catalogue"
import { traceability, traceabilityFile } from "@wcs/specimens/Traceability"

const table = traceability()

/** The cells of a rule's row. */
const rowOf = (id: string): ReadonlyArray<string> =>
  (table.split("\n").find((line) => line.startsWith(`| ${id} |`)) ?? "").split(" | ")

describe("the table of what holds each rule", () => {
  it("is the one that is kept (else: npm run selftest -- --traceability)", () => {
    assert.strictEqual(readFileSync(traceabilityFile, "utf8"), table)
  })

  it("has a row for each rule, and each row is as wide as the others", () => {
    for (const { id } of catalogue) assert.lengthOf(rowOf(id), 7, id)
  })

  it("OWN-14: leads from the domain over the check to the mutant and the variant", () => {
    const [, , domain, tests, checkedBy, mutants] = rowOf("OWN-14")
    assert.strictEqual(
      domain,
      "[Ownership](../packages/domain/src/Ownership.ts) ([tests](../packages/domain/test/Ownership.test.ts))"
    )
    assert.strictEqual(tests, "domain, HTTP")
    assert.strictEqual(checkedBy, "`ownership/unlink-one-of-two`")
    assert.include(mutants, "`unlink-of-an-empty-slot-takes-the-other-owner-out`")
    assert.include(rowOf("SIL-04").at(-1), "`empty-slots-are-texts`")
    assert.include(rowOf("CRD-05").at(-1), "`empty-slots-are-texts`")
  })

  it("leads to files that are there", () => {
    for (const [, path = ""] of table.matchAll(/\]\(([^)]+)\)/g)) {
      assert.isTrue(existsSync(new URL(path, traceabilityFile)), path)
    }
  })

  it("says of what has no link that it has none", () => {
    const open = table.split("\n").filter((line) => line.includes("**none**"))
    for (const line of open) {
      const [id = ""] = /[A-Z]{3}-\d{2}/.exec(line) ?? []
      assert.match(table.slice(0, table.indexOf("## Rules")), new RegExp(`\\b${id}\\b`), line)
    }
  })
})
