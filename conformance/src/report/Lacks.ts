import { type Need, needs } from "../profile/Need.ts"
import type { Report, RuleReport } from "./Report.ts"

/** Something without which rules stayed blocked. */
export interface Lack {
  readonly name: string
  readonly text: string
  /** Lines of a profile that would tell it; empty where no line can. */
  readonly lines: ReadonlyArray<string>
  readonly rules: ReadonlyArray<RuleReport>
}

const known: Readonly<Record<string, Need>> = needs

const ceiling = /^the ceiling ([\w-]+)$/

const toldOf = (name: string): Pick<Lack, "text" | "lines"> => {
  const need = known[name]
  if (need !== undefined) return { text: need.text, lines: need.lines }
  const [, impact] = ceiling.exec(name) ?? []
  return impact === undefined
    ? { text: "something that no profile of this release can tell", lines: [] }
    : { text: `leave to go as far as ${impact}`, lines: [`"run": { "ceiling": "${impact}" }`] }
}

/** What would have the blocked rules judged; what unblocks most stands first. */
export const lacksOf = ({ rules }: Pick<Report, "rules">): ReadonlyArray<Lack> => {
  const byLack = new Map<string, Array<RuleReport>>()
  for (const rule of rules) {
    if (rule.verdict !== "blocked") continue
    for (const name of rule.lacks) byLack.set(name, [...(byLack.get(name) ?? []), rule])
  }
  return [...byLack]
    .map(([name, blocked]) => ({ name, ...toldOf(name), rules: blocked }))
    .toSorted((left, right) => right.rules.length - left.rules.length)
}

/** The id of a lack in a page. */
export const lackId = (name: string): string => `lack-${name.replaceAll(/[^\w]+/g, "-")}`
