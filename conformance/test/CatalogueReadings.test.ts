import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { catalogue, ruleOf } from "@wcs/conformance/catalogue/Catalogue"
import type { Rule } from "@wcs/conformance/catalogue/Rule"

const page = readFileSync(new URL("../READINGS.md", import.meta.url), "utf8")

/** The page's entries about single rules: id to text, with normalized white space. */
const entries = new Map(
  page
    .split(/^##+ /m)
    .map((part) => /^([A-Z]{3}-\d\d): (.+)$/s.exec(part))
    .map((found): readonly [string, string] => [found?.[1] ?? "", (found?.[2] ?? "").replaceAll(/\s+/g, " ").trim()])
    .filter(([id]) => id !== "")
)

const open: ReadonlyArray<Rule> = catalogue.filter(({ judged }) => judged === "observation")

describe("READINGS.md", () => {
  it("has an entry for every silence and other observation, in the catalogue's order", () => {
    assert.deepStrictEqual(
      [...entries.keys()],
      open.map(({ id }) => id)
    )
    const headings = page.match(/^### [A-Z]{3}-\d\d:/gm) ?? []
    assert.strictEqual(headings.length, open.length)
  })

  it("states in each entry the accepted readings, in the catalogue's words first, and the recorded values", () => {
    for (const { accept, id } of open) {
      const entry = entries.get(id) ?? ""
      assert.include(entry, `- **Accepted:** ${accept ?? ""}`, id)
      assert.match(entry, /^.{10,}\. - \*\*Accepted:\*\* .{3,}\. - \*\*Recorded:\*\* .{3,}\.$/, id)
    }
  })

  it("names only existing rules", () => {
    const mentioned = page.match(/\b[A-Z]{3}-\d\d\b/g) ?? []
    assert.deepStrictEqual(
      mentioned.filter((id) => ruleOf(id) === undefined),
      []
    )
    assert.isAbove(mentioned.length, 100)
  })

  it("explains every message text whose difference is only a warning", () => {
    const texts = catalogue.filter(({ text }) => /A different text is only a warning/.test(text))
    assert.strictEqual(texts.length, 4)
    for (const { id } of texts) assert.include(page, id)
  })
})
