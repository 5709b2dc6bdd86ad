import type { Level } from "../catalogue/Rule.ts"
import type { Impact } from "../profile/Impact.ts"
import { alternatives } from "../profile/Need.ts"
import type { Explanation, Listed, State } from "./Explain.ts"

/** Wraps a text at 100 columns with an indent of two. */
const fold = (text: string): ReadonlyArray<string> =>
  (text.match(/\S.{0,97}(?=\s|$)|\S+/g) ?? []).map((line) => `  ${line}`)

const effects: Readonly<Record<Impact, string>> = {
  read: "The walk reads, and requests tokens.",
  create: "The walk creates its own resources and deletes them afterwards.",
  "mutate-own": "The walk creates its own resources, changes them and deletes them afterwards.",
  irreversible: "The walk makes changes that cannot be undone.",
  exhaust: "The walk uses up a rate limit."
}

const states: Readonly<Record<State, string>> = {
  checked: "checked",
  unchecked: "not checked by this release",
  elsewhere: "kept elsewhere"
}

const sectionsOf = ({ sections }: Listed): string => sections.map((section) => `§${section}`).join(" ")

const part = (title: string, lines: ReadonlyArray<string>): ReadonlyArray<string> =>
  lines.length === 0 ? [] : ["", title, ...lines]

const itemOf = ({ accept, id, text }: Explanation["beside"][number]): ReadonlyArray<string> =>
  fold(`${id}  ${text}${accept === undefined ? "" : ` (Accepted: ${accept}.)`}`)

const needLines = (needs: Explanation["needs"]): ReadonlyArray<string> =>
  needs.flatMap(({ lines, name, text }) => [
    ...fold(`${name}: ${text}`),
    ...alternatives(lines).map((line) => `    ${line}`)
  ])

/** Formats one rule for a terminal. */
export const explanationText = (explained: Explanation): string =>
  [
    `${explained.id}  ${explained.level}  ${sectionsOf(explained)}  ${states[explained.state]}`,
    ...part("Rule", fold(explained.text)),
    ...part("Accepted", explained.accept === undefined ? [] : fold(explained.accept)),
    ...part("Kept at", explained.keptAt === undefined ? [] : fold(explained.keptAt)),
    ...part("How it is judged", fold(explained.howJudged)),
    ...part(
      "Effect on the deployment",
      explained.state === "elsewhere" ? [] : fold(`${explained.impact}: ${effects[explained.impact]}`)
    ),
    ...part("Profile entries that it needs", needLines(explained.needs)),
    ...part(
      "Walks that judge it",
      explained.walks.flatMap((name) => fold(name))
    ),
    ...part(
      "Faults that break it",
      explained.faults.flatMap((name) => fold(name))
    ),
    ...part("Related", explained.beside.flatMap(itemOf)),
    ""
  ].join("\n")

const levels: ReadonlyArray<Level> = ["MUST", "SHOULD", "MAY", "OBSERVE"]

/** `23 rules: 18 MUST, 4 SHOULD, 1 OBSERVE; 20 checked, 3 unchecked`. */
const countLine = (rules: ReadonlyArray<Listed>): string => {
  const count = (label: string, matching: number) => (matching === 0 ? [] : [`${matching} ${label}`])
  const byLevel = levels.flatMap((level) => count(level, rules.filter((rule) => rule.level === level).length))
  const byState = (["checked", "unchecked", "elsewhere"] as const).flatMap((state) =>
    count(state, rules.filter((rule) => rule.state === state).length)
  )
  return `${rules.length} ${rules.length === 1 ? "rule" : "rules"}: ${byLevel.join(", ")}; ${byState.join(", ")}`
}

const lineOf = (rule: Listed): string =>
  `${rule.id}  ${rule.level.padEnd(7)}  ${rule.state.padEnd(9)}  ${sectionsOf(rule).padEnd(14)}  ${rule.text}`

/** Formats the list for a terminal: one line per rule, and the counts. */
export const listText = (rules: ReadonlyArray<Listed>): string =>
  rules.length === 0 ? "No rule matches.\n" : `${[...rules.map(lineOf), "", countLine(rules)].join("\n")}\n`
