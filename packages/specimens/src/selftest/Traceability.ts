import { globSync, readFileSync } from "node:fs"
import { basename, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { catalogue, ruleOf } from "@wcs/conformance/catalogue/Catalogue"
import { besides } from "@wcs/conformance/catalogue/Neighbours"
import { recorded } from "@wcs/conformance/evidence/KillMatrix"
import { type Explanation, explain } from "@wcs/conformance/report/Explain"
import { exchangeRules, walks } from "@wcs/conformance/Walks"
import { variants } from "../Variants.ts"
import { type TestInFile, testsIn } from "./TestsInFile.ts"

/** The file of the table. `npm run selftest -- --traceability` regenerates it. */
export const traceabilityFile = new URL("../../../../conformance/TRACEABILITY.md", import.meta.url)

const root = fileURLToPath(new URL("../../../../", import.meta.url))

const filesOf = (pattern: string): ReadonlyArray<string> =>
  globSync(pattern, { cwd: root, exclude: (name) => name === "node_modules" || name === "dist" }).toSorted()

const textOf = (file: string): string => readFileSync(`${root}${file}`, "utf8")

/** The rules named in a text. */
const named = (text: string): ReadonlySet<string> =>
  new Set([...text.matchAll(/\b[A-Z]{3}-\d{2}\b/g)].map(([id]) => id).filter((id) => ruleOf(id) !== undefined))

const inverted = (pairs: Iterable<readonly [name: string, ids: ReadonlySet<string>]>) => {
  const byId = new Map<string, Array<string>>()
  for (const [name, ids] of pairs) for (const id of ids) byId.set(id, [...(byId.get(id) ?? []), name])
  return byId
}

/** The test files that may name a rule: all but the suite's own. */
const testFiles = (): ReadonlyArray<string> =>
  ["packages", "apps"]
    .flatMap((folder) => filesOf(`${folder}/*/test/**/*.test.ts`))
    .filter((file) => !file.startsWith("packages/specimens/"))

/** The test files that name each rule. */
const testsByRule = () => inverted(testFiles().map((file) => [file, named(textOf(file))] as const))

/** The single tests that name each rule, properties included. */
const namingByRule = () => {
  const byId = new Map<string, Array<Naming>>()
  for (const file of testFiles()) {
    for (const { rules, ...rest } of testsIn(textOf(file))) {
      for (const id of named(rules)) byId.set(id, [...(byId.get(id) ?? []), { file, ...rest }])
    }
  }
  return byId
}

/** The top-level declarations of a file, each with the comment above it. */
const declarations = (text: string): ReadonlyMap<string, string> =>
  new Map(
    text
      .split(/\n\n(?=\/\*\*|\/\/|(?:export )?const )/)
      .flatMap((part) => [...part.matchAll(/^(?:export )?const (\w+)/gm)].map(([, name = ""]) => [name, part] as const))
  )

/**
 * The variants about each rule or silence. The id is in their `about`, in their source, or in the comment of a function
 * that they use. Every variant is still judged by every rule.
 */
const variantsByRule = () => {
  const pairs = filesOf("packages/specimens/src/variants/*.ts").flatMap((file) => {
    const text = textOf(file)
    const parts = declarations(text)
    return [...text.matchAll(/^ {2}\{.*?name: "([\w-]+)".*?(?=^ {2}\{|^\])/gms)].map(([entry, name = ""]) => {
      const used = [...parts].filter(([word]) => new RegExp(`\\b${word}\\b`).test(entry)).map(([, part]) => part)
      const list = [...parts.values()].find((part) => part.includes(`name: "${name}"`)) ?? ""
      return [name, named([entry, ...used, list.split("\n", 1)[0]].join("\n"))] as const
    })
  })
  const told = variants.map(({ about = [], name }) => [name, new Set<string>(about)] as const)
  const names = new Set(variants.flatMap(({ about, name }) => (about === undefined ? [name] : [])))
  return inverted([...told, ...pairs.filter(([name]) => names.has(name))])
}

/** A test that names a rule. */
interface Naming extends Pick<TestInFile, "isProperty" | "uses"> {
  readonly file: string
}

/** A rule with its tests, walks, mutants and variants. */
interface Trace {
  readonly explained: Explanation
  /** The domain modules whose tests name it, such as `ownership/Ownership`. */
  readonly domain: ReadonlyArray<string>
  /** The single tests that name it. */
  readonly naming: ReadonlyArray<Naming>
  readonly tests: ReadonlyArray<string>
  readonly variants: ReadonlyArray<string>
}

const silencesBeside = (id: string): ReadonlyArray<string> =>
  Object.entries(besides).flatMap(([silence, rules]) => (rules.some((rule) => rule === id) ? [silence] : []))

const domainTests = "packages/domain/test/"

const traces = (): ReadonlyArray<Trace> => {
  const { mutants } = recorded()
  const checks = {
    walks,
    exchangeRules,
    mutants: mutants.map(({ kills, name }) => ({ name, kills: kills.map(({ rule }) => rule) }))
  }
  const [tests, naming, differing] = [testsByRule(), namingByRule(), variantsByRule()]
  return catalogue.map((rule) => {
    const own = tests.get(rule.id) ?? []
    return {
      explained: explain(rule, checks),
      tests: own,
      naming: naming.get(rule.id) ?? [],
      domain: own.filter((file) => file.startsWith(domainTests)).map((file) => file.slice(domainTests.length, -8)),
      variants: [...new Set([rule.id, ...silencesBeside(rule.id)].flatMap((id) => differing.get(id) ?? []))]
    }
  })
}

const code = (text: string): string => `\`${text}\``

const link = (label: string, file: string): string => `[${label}](${relative("conformance", file)})`

/**
 * The places of tests that name it: the domain or HTTP; other places only without these. The rule's id finds the exact
 * files, which may move.
 */
const testedIn = (tests: ReadonlyArray<string>): ReadonlyArray<string> => {
  const places = [
    ["domain", "packages/domain/"],
    ["HTTP", "apps/http-node/"]
  ] as const
  const found = places.flatMap(([name, folder]) => (tests.some((file) => file.startsWith(folder)) ? [name] : []))
  return found.length === 0 && tests.length > 0 ? ["elsewhere"] : found
}

const none = "**none**"

const cell = (items: ReadonlyArray<string>): string => (items.length === 0 ? none : items.join(", "))

const domainFiles = new Set(filesOf("packages/domain/src/**/*.ts"))

/** A domain module, the functions that tests of the rule call, and these tests. */
const keptBy = (path: string, naming: ReadonlyArray<Naming>): string => {
  const [file, test] = [`packages/domain/src/${path}.ts`, `${domainTests}${path}.test.ts`]
  const module = basename(path)
  if (!domainFiles.has(file)) return link(module, test)
  const used = naming.filter((one) => one.file === test).flatMap(({ uses }) => uses)
  const own = used.flatMap((use) => (use.startsWith(`${module}.`) ? [use.slice(module.length + 1)] : []))
  const functions = own.filter((name) => /^[a-z]/.test(name) && name !== "layer")
  const shown = [functions, own, used].find((names) => names.length > 0) ?? []
  return [link(module, file), ...[...new Set(shown)].toSorted().map(code), `(${link("tests", test)})`].join(" ")
}

/** The files with properties that name it. */
const propertiesOf = (naming: ReadonlyArray<Naming>): ReadonlyArray<string> =>
  [...new Set(naming.flatMap(({ file, isProperty }) => (isProperty ? [file] : [])))].map((file) =>
    link(basename(file, ".test.ts"), file)
  )

const checkedBy = ({ explained: { judged, state, walks: names } }: Trace): string => {
  if (state === "elsewhere") return "kept elsewhere"
  if (state === "unchecked") return none
  return judged === "every exchange" ? "every exchange" : cell(names.map(code))
}

const row = (trace: Trace): string => {
  const { domain, explained, naming, tests, variants: own } = trace
  const isJudged = explained.state === "checked" && explained.judged !== "observation"
  return `| ${[
    explained.id,
    explained.level.toLowerCase(),
    domain.map((module) => keptBy(module, naming)).join(", "),
    propertiesOf(naming).join(", "),
    explained.judged === "observation" && tests.length === 0 ? "" : cell(testedIn(tests)),
    checkedBy(trace),
    isJudged ? cell(explained.mutants.map(code)) : "",
    own.map(code).join(", ")
  ].join(" | ")} |`
}

const gap = (what: string, rows: ReadonlyArray<Trace>): string =>
  `- ${what}: ${rows.length === 0 ? "none" : `${rows.length}: ${rows.map(({ explained }) => explained.id).join(" ")}`}`

/**
 * The current table, from the catalogue, the walks, the recorded kill matrix, and the sources of tests and variants.
 */
export const traceability = (): string => {
  const all = traces()
  const isSilence = ({ explained }: Trace) => explained.judged === "observation"
  const isUnchecked = ({ explained }: Trace) => explained.state === "unchecked"
  const [silences, stated] = [all.filter(isSilence), all.filter((trace) => !isSilence(trace))]
  const binding = stated.filter(({ explained }) => explained.state !== "elsewhere")
  const checked = binding.filter(({ explained }) => explained.state === "checked")
  const linked = new Set(all.flatMap((trace) => trace.variants)).size
  return `${[
    "# Traceability",
    "",
    "Each rule, and the tests, walks, mutants and variants that verify it. This file is generated from the catalogue, the",
    "walks, `kill-matrix.json` and the sources of tests and variants. A test fails if a link is false, or if a check, a",
    "mutant or a variant is missing. After a test names another rule, regenerate the file:",
    "",
    "    npm run selftest -- --traceability",
    "",
    "- **domain**: the module of the domain whose tests name the rule, with the functions that these tests call. Without",
    "  one, the transport, the stores or the contract keep the rule.",
    "- **properties**: the files with property-based tests that name the rule.",
    "- **named by tests**: other places of our tests that name the rule.",
    "- **checked by**: the walk of the suite that judges the rule.",
    "- **mutants**: the mutants that break the rule in the recorded self-test.",
    "- **variants**: the variants that differ where the rule, or a silence beside it, leaves room.",
    "",
    `Every checked rule is judged on all ${variants.length} variants and fails on none. ${linked} of them name a rule or`,
    "silence.",
    "",
    "## What has no link",
    "",
    gap("Rules that bind servers and that no check judges", binding.filter(isUnchecked)),
    gap("Silences that nothing observes", silences.filter(isUnchecked)),
    gap(
      "Checked rules that no mutant breaks",
      checked.filter(({ explained }) => explained.mutants.length === 0)
    ),
    gap(
      "Rules that no test of ours names",
      stated.filter(({ tests }) => tests.length === 0)
    ),
    "",
    "## Rules",
    "",
    "| rule | level | domain | properties | named by tests | checked by | mutants | variants |",
    "|---|---|---|---|---|---|---|---|",
    ...all.map(row)
  ].join("\n")}\n`
}
