import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { catalogue } from "@wcs/conformance/catalogue/Catalogue"
import { traceability, traceabilityFile } from "@wcs/specimens/selftest/Traceability"
import { variants } from "@wcs/specimens/Variants"

const table = traceability()

/** The cells of a rule's row. */
const rowOf = (id: string, text = table): ReadonlyArray<string> =>
  (text.split("\n").find((line) => line.startsWith(`| ${id} |`)) ?? "").split(" | ")

/** A line without what tests elsewhere in the repository change by naming a rule: whoever writes one need not know. */
const withoutTests = (line: string): string =>
  line.startsWith("- Rules that no test")
    ? ""
    : /^\| [A-Z]{3}-\d/.test(line)
      ? line.split(" | ").toSpliced(2, 3).join(" | ")
      : line

describe("the table of what holds each rule", () => {
  it("claims no link that is not there, and is complete for checks, mutants and variants (else: npm run selftest -- --traceability)", () => {
    const kept = readFileSync(traceabilityFile, "utf8")
    assert.deepStrictEqual(kept.split("\n").map(withoutTests), table.split("\n").map(withoutTests))
    for (const { id } of catalogue) {
      const [was, is] = [rowOf(id, kept), rowOf(id)]
      for (const column of [2, 3, 4]) {
        for (const claimed of (was[column] ?? "").split(", ")) {
          assert.isTrue(
            ["", "**none**", "elsewhere"].includes(claimed) || (is[column] ?? "").includes(claimed),
            `${id}: ${claimed}`
          )
        }
      }
    }
  })

  it("has a row for each rule, and each row is as wide as the others", () => {
    for (const { id } of catalogue) assert.lengthOf(rowOf(id), 8, id)
  })

  it("OWN-14: leads from the domain over the check to the mutant and the variant", () => {
    const [, , domain, properties, tests, checkedBy, mutants] = rowOf("OWN-14")
    assert.strictEqual(
      domain,
      "[Ownership](../packages/domain/src/ownership/Ownership.ts) `decide` ([tests](../packages/domain/test/ownership/Ownership.test.ts))"
    )
    assert.strictEqual(properties, "")
    assert.strictEqual(rowOf("OWN-15")[3], "[Ownership](../packages/domain/test/ownership/Ownership.test.ts)")
    assert.strictEqual(tests, "domain, HTTP")
    assert.strictEqual(checkedBy, "`ownership/unlink-one-of-two`")
    assert.include(mutants, "`unlink-of-an-empty-slot-takes-the-other-owner-out`")
    assert.include(rowOf("SIL-04").at(-1), "`empty-slots-are-texts`")
    assert.include(rowOf("CRD-05").at(-1), "`empty-slots-are-texts`")
  })

  it("names with each module of the domain what the tests that name the rule call of it", () => {
    for (const { id } of catalogue) {
      const modules = (rowOf(id)[2] ?? "").split(", ").filter((module) => module.includes("/src/"))
      for (const module of modules) assert.match(module, /\.ts\) `[\w.]+`/, id)
    }
  })

  it("leads to every variant", () => {
    const cells = catalogue.map(({ id }) => rowOf(id).at(-1) ?? "").join()
    assert.deepStrictEqual(
      variants.filter(({ name }) => !cells.includes(`\`${name}\``)).map(({ name }) => name),
      []
    )
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
