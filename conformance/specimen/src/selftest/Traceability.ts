import { globSync, readFileSync } from "node:fs"
import { basename, relative } from "node:path"
import { fileURLToPath } from "node:url"
import { catalogue, observationsBeside } from "@wcs/conformance/catalogue/Catalogue"
import { type Explanation, explain } from "@wcs/conformance/report/Explain"
import { exchangeRules, walks } from "@wcs/conformance/walks/Walks"
import { choices } from "../choices/Choices.ts"
import { declaredMatrix } from "./DeclaredMatrix.ts"

/** The file of the table, which is not in git. `npm run selftest -- --traceability` writes it. */
export const traceabilityFile = new URL("../../../../conformance/TRACEABILITY.md", import.meta.url)

const root = fileURLToPath(new URL("../../../../", import.meta.url))

const filesOf = (pattern: string): ReadonlyArray<string> =>
  globSync(pattern, { cwd: root, exclude: (name) => name === "node_modules" || name === "dist" }).toSorted()

const textOf = (file: string): string => readFileSync(`${root}${file}`, "utf8")

/** The rules named in a text. */
const named = (text: string): ReadonlySet<string> =>
  new Set(catalogue.flatMap(({ id }) => (text.includes(id) ? [id] : [])))

const inverted = (pairs: Iterable<readonly [name: string, ids: ReadonlySet<string>]>) => {
  const byId = new Map<string, Array<string>>()
  for (const [name, ids] of pairs) for (const id of ids) byId.set(id, [...(byId.get(id) ?? []), name])
  return byId
}

/** The test files that may name a rule: all but the suite's own. */
const testFiles = (): ReadonlyArray<string> =>
  ["packages", "apps"].flatMap((folder) => filesOf(`${folder}/*/test/**/*.test.ts`))

/** The test files that name each rule. */
const testsByRule = () => inverted(testFiles().map((file) => [file, named(textOf(file))] as const))

/** The test files with properties. */
const withProperties = () =>
  new Set(testFiles().filter((file) => /\bfc\.(assert|property|check|modelRun)\b|\.prop\(/.test(textOf(file))))

/** The choices about each rule or silence. Every choice is still judged by every rule. */
const choicesByRule = () => inverted(choices.map(({ about, name }) => [name, new Set<string>(about)] as const))

/** A rule with its tests, walks, faults and choices. */
interface Trace {
  readonly explained: Explanation
  /** The domain modules whose tests name it, such as `ownership/Ownership`. */
  readonly domain: ReadonlyArray<string>
  readonly tests: ReadonlyArray<string>
  readonly properties: ReadonlyArray<string>
  /** The number of judged places. */
  readonly places: string
  readonly choices: ReadonlyArray<string>
}

const domainTests = "packages/domain/test/"

const traces = (): ReadonlyArray<Trace> => {
  const { kills, places } = declaredMatrix()
  const placesOf = new Map<string, string>(places.map(({ of, rule }) => [rule, String(of)]))
  const checks = { walks, exchangeRules, faults: kills.map(({ fault, rule }) => ({ name: fault, rule })) }
  const [naming, differing, generated] = [testsByRule(), choicesByRule(), withProperties()]
  return catalogue.map((rule) => {
    const tests = naming.get(rule.id) ?? []
    const explained = explain(rule, checks)
    const isJudged = explained.state === "checked" && explained.judged !== "observation"
    return {
      explained,
      places: placesOf.get(rule.id) ?? (isJudged ? "1" : ""),
      tests,
      properties: tests.filter((file) => generated.has(file)),
      domain: tests.filter((file) => file.startsWith(domainTests)).map((file) => file.slice(domainTests.length, -8)),
      choices: [...new Set([rule, ...observationsBeside(rule.id)].flatMap(({ id }) => differing.get(id) ?? []))]
    }
  })
}

const code = (text: string): string => `\`${text}\``

const link = (label: string, file: string): string => `[${label}](${relative("conformance", file)})`

/** A test runs each walk against our server, so a rule that a walk judges is tested over HTTP. */
const isWalked = ({ explained }: Trace): boolean => explained.state === "checked" && explained.judged !== "observation"

/**
 * The places of its tests: the domain or HTTP; other places only without these. The rule's id finds the exact files,
 * which may move.
 */
const testedIn = (trace: Trace): ReadonlyArray<string> => {
  const { tests } = trace
  const isIn = (folder: string) => tests.some((file) => file.startsWith(folder))
  const found = [
    ...(isIn("packages/domain/") ? ["domain"] : []),
    ...(isWalked(trace) || isIn("packages/deployment/") ? ["HTTP"] : [])
  ]
  return found.length === 0 && tests.length > 0 ? ["elsewhere"] : found
}

const none = "**none**"

const cell = (items: ReadonlyArray<string>): string => (items.length === 0 ? none : items.join(", "))

const domainFiles = new Set(filesOf("packages/domain/src/**/*.ts"))

/** A domain module and its tests. */
const keptBy = (path: string): string => {
  const [file, test] = [`packages/domain/src/${path}.ts`, `${domainTests}${path}.test.ts`]
  const module = basename(path)
  return domainFiles.has(file) ? `${link(module, file)} (${link("tests", test)})` : link(module, test)
}

const checkedBy = ({ explained: { judged, state, walks: names } }: Trace): string => {
  if (state === "elsewhere") return "kept elsewhere"
  if (state === "unchecked") return none
  return judged === "every exchange" ? "every exchange" : cell(names.map(code))
}

const row = (trace: Trace): string => {
  const { choices: own, domain, explained, properties, tests } = trace
  return `| ${[
    explained.id,
    explained.level.toLowerCase(),
    domain.map(keptBy).join(", "),
    properties.map((file) => link(basename(file, ".test.ts"), file)).join(", "),
    explained.judged === "observation" && tests.length === 0 ? "" : cell(testedIn(trace)),
    checkedBy(trace),
    trace.places,
    isWalked(trace) ? cell(explained.faults) : "",
    own.join(", ")
  ].join(" | ")} |`
}

const gap = (what: string, rows: ReadonlyArray<Trace>): string =>
  `- ${what}: ${rows.length === 0 ? "none" : `${rows.length}: ${rows.map(({ explained }) => explained.id).join(" ")}`}`

/**
 * The current table, from the catalogue, the walks, the rows of faults and choices, and the sources of tests.
 */
export const traceability = (): string => {
  const all = traces()
  const isSilence = ({ explained }: Trace) => explained.judged === "observation"
  const isUnchecked = ({ explained }: Trace) => explained.state === "unchecked"
  const [silences, stated] = [all.filter(isSilence), all.filter((trace) => !isSilence(trace))]
  const binding = stated.filter(({ explained }) => explained.state !== "elsewhere")
  const checked = binding.filter(({ explained }) => explained.state === "checked")
  return `${[
    "# Traceability",
    "",
    "Each rule, and the tests, walks, faults and choices that verify it. `npm run selftest -- --traceability` writes",
    "this file from the catalogue, the walks, the rows of faults and choices, `counts.json` and the sources of tests.",
    "",
    "- **domain**: the module of the domain whose tests name the rule. Without one, the transport, the stores or the",
    "  contract keep the rule.",
    "- **properties**: these of the test files have property-based tests.",
    "- **tests**: the places of our tests. HTTP tests are the walks, which `npm run conformance` runs, and the tests that",
    "  name the rule.",
    "- **checked by**: the walk of the suite that judges the rule.",
    "- **places**: the number of places at which the rule can be broken alone, and is judged on the second server. A",
    "  place is a call and a caller, such as `POST /workers` by a personal token. `places/Places.ts` has the table.",
    "- **faults**: the wrong behaviours of the second server on which the rule fails in the recorded self-test.",
    "- **choices**: the choices of the second server in a point that the rule, or a related silence, leaves open.",
    "",
    `Every checked rule is judged on all ${choices.length} choices and fails on none.`,
    "",
    "## What has no link",
    "",
    gap("Rules that bind servers and that no check judges", binding.filter(isUnchecked)),
    gap("Silences that nothing observes", silences.filter(isUnchecked)),
    gap(
      "Checked rules that no fault breaks",
      checked.filter(({ explained }) => explained.faults.length === 0)
    ),
    gap(
      "Rules without a test of ours",
      stated.filter((trace) => testedIn(trace).length === 0)
    ),
    "",
    "## Rules",
    "",
    "| rule | level | domain | properties | tests | checked by | places | faults | choices |",
    "|---|---|---|---|---|---|---|---|---|",
    ...all.map(row)
  ].join("\n")}\n`
}
