import { assert, describe, it } from "vitest"
import { packages, read } from "./workspace.ts"

/** The sections of the specification. */
const sections = "1 2 2.1 2.2 3 4 4.1 4.2 5 5.1 5.2 6 7 7.1 7.2 7.3 8 9".split(" ")

const topicsOf = (decisions: string): ReadonlyArray<string> =>
  Array.from(decisions.matchAll(/^## (.+)$/gm), ([, heading = ""]) => heading.toLowerCase().replaceAll(" ", "-"))

const threatsOf = (threats: string): ReadonlyArray<string> =>
  Array.from(threats.matchAll(/^\| (\d+) \|/gm), ([, number = ""]) => number)

const known = {
  topics: topicsOf(read("packages/domain/DECISIONS.md")),
  threats: threatsOf(read("packages/domain/THREATS.md"))
}

/** The citations in a text that do not resolve. */
const unresolved = (text: string, { threats, topics }: typeof known): ReadonlyArray<string> => {
  const cited = Array.from(text.matchAll(/DECISIONS\.md(?:#([\w-]+))?/g), ([all, topic]) => [all, topic] as const)
  const numbers = Array.from(text.matchAll(/\bthreats? (\d+(?:(?:, | and |\.\.)\d+)*)/g), ([, all = ""]) => all)
  return [
    ...cited.filter(([, topic]) => topic !== undefined && !topics.includes(topic)).map(([all]) => all),
    ...numbers.flatMap((all) => all.match(/\d+/g) ?? []).filter((number) => !threats.includes(number)),
    ...Array.from(text.matchAll(/§(\d(?:\.\d)*)/g), ([, number = ""]) => number).filter(
      (one) => !sections.includes(one)
    ),
    ...(text.match(/\bdecisions,? sections? \d/gi) ?? [])
  ]
}

/** The threats that a text cites. */
const threatsIn = (text: string): ReadonlyArray<string> =>
  Array.from(text.matchAll(/\bthreats? (\d+(?:(?:, | and )\d+)*)/g), ([, all = ""]) => all).flatMap(
    (all) => all.match(/\d+/g) ?? []
  )

/** Each threat with the files of its tests; empty if it has none. */
const rowsOfThreats = Array.from(
  read("packages/domain/THREATS.md").matchAll(/^\| (\d+) \| .* \| ((?:(?:, )?\[\w+\]\([^)]*\))+|none: .*) \|$/gm),
  ([, number = "", tests = ""]) =>
    [number, Array.from(tests.matchAll(/\]\(([^)]*)\)/g), ([, file = ""]) => file)] as const
)

describe("citations", () => {
  it.each(rowsOfThreats)("threat %s is cited by the tests in its row: %s", (number, files) => {
    for (const file of files) assert.include(threatsIn(read(`packages/domain/${file}`)), number)
  })

  it("each threat has a row that names a test, or says why not", () => {
    assert.lengthOf(known.threats, 89)
    assert.deepStrictEqual(
      rowsOfThreats.map(([number]) => number),
      known.threats
    )
  })

  it.each(packages().map((pkg) => [pkg.folder, pkg] as const))("resolve in %s", (_, { files, folder }) => {
    const texts = [...files, { path: "README.md", text: read(`${folder}/README.md`) }]
    const found = texts.flatMap(({ path, text }) => unresolved(text, known).map((what) => `${path}: ${what}`))
    assert.deepStrictEqual(found, [])
  })

  it("to a topic, threat or section that does not exist are reported", () => {
    const text = "(DECISIONS.md#ownership, DECISIONS.md#moods; threats 1, 99; §3, §3.7; decisions, section 2)"
    assert.deepStrictEqual(unresolved(text, { topics: ["ownership"], threats: ["1"] }), [
      "DECISIONS.md#moods",
      "99",
      "3.7",
      "decisions, section 2"
    ])
  })
})
