import { existsSync, readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { areaOf, areas, catalogue, ruleOf } from "@wcs/conformance/catalogue/Catalogue"
import { impacts } from "@wcs/conformance/catalogue/Impact"
import { besides } from "@wcs/conformance/catalogue/Neighbours"
import type { Rule } from "@wcs/conformance/catalogue/Rule"
import { exchangeRules } from "@wcs/conformance/exchanges/EveryExchange"
import { needs } from "@wcs/conformance/profile/Need"

const rules: ReadonlyArray<Rule> = catalogue

/** Reviewed by hand: add new rules here, and never remove one. */
const pinned: unknown = JSON.parse(readFileSync(new URL("./fixtures/catalogue.json", import.meta.url), "utf8"))

/** The statements of the rules, if they are next to the repository. */
const stated = new URL("../../../shared/spec/rules.md", import.meta.url)

const pin = (level: string, keptBy: string, sections: ReadonlyArray<string>) =>
  `${level}, ${keptBy}, ${sections.map((section) => `§${section}`).join(" ")}`

/** Returns the rows of all tables in a text: id to level, keeper and sections. */
const rowsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split("\n")
      .map((line) => line.split("|").map((cell) => cell.trim()))
      .filter(([, id]) => id !== undefined && /^[A-Z]{3}-\d\d$/.test(id))
      .map(([, id = "", sections = "", level = "", keptBy = ""]) => [id, pin(level, keptBy, sections.split(", "))])
  )

const mentionsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/([A-Z]{3})-(\d\d(?:, \d\d)*)/g)].flatMap(([, area, numbers]) =>
    (numbers ?? "").split(", ").map((number) => `${area}-${number}`)
  )

const only = (isFaulty: (rule: Rule) => boolean) => rules.filter(isFaulty).map(({ id }) => id)

describe("Catalogue", () => {
  it("pins every id, level, keeper and section, and matches the statements of the rules when they are available", () => {
    const ours = Object.fromEntries(rules.map(({ id, keptBy, level, sections }) => [id, pin(level, keptBy, sections)]))
    const statements = [pinned, ...(existsSync(stated) ? [rowsOf(readFileSync(stated, "utf8"))] : [])]
    for (const statement of statements) assert.deepStrictEqual(ours, statement)
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
    assert.deepStrictEqual(
      only(({ judged, needs }) => judged === "elsewhere" && needs.length > 0),
      []
    )
  })

  it("has a read impact and its check's needs for each rule about every exchange", () => {
    assert.deepStrictEqual(
      only(({ impact, judged }) => judged === "every exchange" && impact !== "read"),
      []
    )
    for (const { needs = [], rule } of exchangeRules) {
      assert.deepStrictEqual([...(ruleOf(rule)?.needs ?? [])], [...needs], rule)
    }
    assert.deepStrictEqual(
      only(({ impact }) => !impacts.includes(impact)),
      []
    )
  })

  it("knows every need, and has no need without a rule", () => {
    const known = new Set<string>(Object.keys(needs))
    const used = new Set<string>(rules.flatMap((rule) => rule.needs))
    assert.deepStrictEqual(
      [...used].filter((name) => !known.has(name)),
      []
    )
    assert.deepStrictEqual(
      [...known].filter((name) => !used.has(name)),
      []
    )
  })

  it("needs the credential body for each rule about a credential", () => {
    const lacks = ({ id, needs }: Rule) => ["OWN", "BLK"].includes(areaOf(id)) && !needs.includes("credential body")
    assert.deepStrictEqual(only(lacks), [])
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
    const unknown = ({ accept, id, text }: Rule) =>
      mentionsIn(`${text} ${accept ?? ""}`).some((other) => ruleOf(other) === undefined || other === id)
    assert.deepStrictEqual(only(unknown), [])
    assert.strictEqual(new Set(rules.map(({ text }) => text)).size, rules.length)
  })

  it("lists a silence beside each rule that mentions it", () => {
    const mentioned = rules
      .filter(({ id }) => areaOf(id) !== "SIL")
      .flatMap(({ id, text }) => mentionsIn(text).map((silence) => [silence, id] as const))
      .filter(([silence]) => areaOf(silence) === "SIL")
    const beside = (silence: string) => Object.entries(besides).find(([id]) => id === silence)?.[1] ?? []
    assert.deepStrictEqual(
      mentioned.filter(([silence, id]) => !beside(silence).some((one) => one === id)),
      []
    )
    assert.isAbove(mentioned.length, 15)
  })
})
