import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { areaOf, areas, catalogue, ruleOf } from "@wcs/conformance/catalogue/Catalogue"
import type { Rule } from "@wcs/conformance/catalogue/Rule"
import { rulesOf } from "@wcs/conformance/judgement/Walk"
import { needs } from "@wcs/conformance/profile/Need"
import { exchangeRules, walks } from "@wcs/conformance/walks/Walks"
import { pin, pinned, pinnedFile } from "./fixtures/Pinned.ts"

const rules: ReadonlyArray<Rule> = catalogue

/** The statements of the rules, if they are next to the repository. */
const stated = new URL("../../../shared/spec/rules.md", import.meta.url)

/** Returns the rows of all tables in a text: id to level, keeper and sections. */
const rowsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split("\n")
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .filter(([, id]) => id !== undefined && /^[A-Z]{3}-\d\d$/.test(id))
      .map(([, id = "", sections = "", level = "", keptBy = ""]) => [
        id,
        `${level}, ${keptBy}, §${sections.replaceAll(", ", " §")}`
      ])
  )

const mentionsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/([A-Z]{3})-(\d\d(?:, \d\d)*)/g)].flatMap(([, area, numbers]) =>
    (numbers ?? "").split(", ").map((number) => `${area}-${number}`)
  )

const isWalked = (id: string) => walks.some((walk) => rulesOf(walk).some((rule) => rule === id))

const only = (isFaulty: (rule: Rule) => boolean) => rules.filter(isFaulty).map(({ id }) => id)

describe("Catalogue", () => {
  it("matches its pins (update: npm run x -- node conformance/test/fixtures/Pinned.ts)", () => {
    assert.deepStrictEqual(pinned(), JSON.parse(readFileSync(pinnedFile, "utf8")))
  })

  it("matches the statements of the rules when they are available", () => {
    const ours = Object.fromEntries(rules.map((rule) => [rule.id, pin(rule)]))
    if (existsSync(stated)) assert.deepStrictEqual(ours, rowsOf(readFileSync(stated, "utf8")))
  })

  it("reads table rows in any surrounding text", () => {
    const table = "# T\n| id | § | level | who |\n|---|---|---|---|\n| OWN-04 | 3, 7.1 | MUST | server | text | |\n"
    assert.deepStrictEqual(rowsOf(table), { "OWN-04": "MUST, server, §3 §7.1" })
  })

  it("has unique ids, and numbers without gaps in each area", () => {
    const ids = rules.map(({ id }) => id)
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const area of areas) {
      const own = ids.filter((id) => areaOf(id) === area)
      assert.deepStrictEqual(
        own,
        own.map((_, index) => `${area}-${String(index + 1).padStart(2, "0")}`)
      )
    }
  })

  it("observes every silence and nothing else", () => {
    assert.deepStrictEqual(
      only(({ judged, level }) => (level === "OBSERVE") !== (judged === "observation")),
      []
    )
    assert.deepStrictEqual(
      only(({ accept, id }) => (areaOf(id) === "SIL") !== (accept !== undefined)),
      []
    )
    assert.deepStrictEqual(
      only(({ id, level }) => areaOf(id) === "SIL" && level !== "OBSERVE"),
      []
    )
  })

  it("judges the server's rules here; a rule of callers or the console names its place when it is not judged", () => {
    assert.deepStrictEqual(
      only(({ judged, keptBy }) => keptBy === "server" && judged === "elsewhere"),
      []
    )
    assert.deepStrictEqual(
      only(({ judged, keptBy }) => keptBy !== "server" && judged !== "elsewhere"),
      ["OAU-23", "AUT-13", "AUT-16", "AUT-17"]
    )
    assert.deepStrictEqual(
      only(({ judged, keptAt }) => (judged === "elsewhere") !== (keptAt !== undefined)),
      []
    )
    assert.deepStrictEqual(
      only(({ judged, keptAt, keptBy }) => judged === "elsewhere" && (keptBy === "console") !== (keptAt === "console")),
      []
    )
  })

  it("has no walk for a rule that is judged elsewhere or by every exchange, and no gap or overlap in the latter", () => {
    assert.deepStrictEqual(
      only(({ id, judged }) => ["elsewhere", "every exchange"].includes(judged) && isWalked(id)),
      []
    )
    assert.deepStrictEqual(
      only(({ judged }) => judged === "every exchange").toSorted(),
      exchangeRules
        .filter(({ whenUnseen }) => whenUnseen !== "nothing")
        .map(({ rule }) => rule)
        .toSorted()
    )
    const besides = exchangeRules.filter(({ whenUnseen }) => whenUnseen === "nothing").map(({ rule }) => rule)
    assert.deepStrictEqual(
      besides.filter((id) => !isWalked(id)),
      []
    )
  })

  it("has no need without a check", () => {
    const ofRules = walks.flatMap(({ alsoNeeds = {} }) => Object.values(alsoNeeds).flat())
    const used = new Set<string>([...walks, ...exchangeRules].flatMap(({ needs: own = [] }) => own).concat(ofRules))
    assert.deepStrictEqual(
      Object.keys(needs).filter((name) => !used.has(name)),
      []
    )
  })

  it("needs a body that creates credentials in each walk about owners of credentials", () => {
    const bodies = ["credential body", "verifiable credential"]
    const makesNone = walks.filter((walk) => !walk.needs.some((need) => bodies.includes(need)))
    const without = new Set<string>(makesNone.flatMap(rulesOf))
    // a batch of fetch requests names workers
    assert.deepStrictEqual(
      only(({ id }) => ["OWN", "BLK"].includes(areaOf(id)) && without.has(id)),
      ["BLK-17"]
    )
  })

  it("states each rule in full sentences and names only existing rules", () => {
    assert.deepStrictEqual(
      only(({ text }) => !/^[A-Z`"].{20,}[.)]$/.test(text)),
      []
    )
    assert.deepStrictEqual(
      only(({ text }) => (text.split("`").length - 1) % 2 !== 0),
      []
    )
    const unknown = ({ accept, beside = [], id, text }: Rule) =>
      [...mentionsIn(`${text} ${accept ?? ""}`), ...beside].some((other) => ruleOf(other) === undefined || other === id)
    assert.deepStrictEqual(only(unknown), [])
    assert.strictEqual(new Set(rules.map(({ text }) => text)).size, rules.length)
  })

  it("lists a silence beside each rule that mentions it", () => {
    const mentioned = rules
      .filter(({ id }) => areaOf(id) !== "SIL")
      .flatMap(({ id, text }) => mentionsIn(text).map((silence) => [silence, id] as const))
      .filter(([silence]) => areaOf(silence) === "SIL")
    assert.deepStrictEqual(
      mentioned.filter(([silence, id]) => ruleOf(silence)?.beside?.includes(id) !== true),
      []
    )
    assert.isAbove(mentioned.length, 15)
  })
})
