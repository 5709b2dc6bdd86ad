import { areaOf, catalogue, type RuleId, ruleOf } from "../catalogue/Catalogue.ts"
import type { Impact } from "../catalogue/Impact.ts"
import { besides } from "../catalogue/Neighbours.ts"
import type { Judged, Level, Rule } from "../catalogue/Rule.ts"
import { rulesOf, type Walk } from "../engine/Walk.ts"
import type { ExchangeRule } from "../exchanges/ExchangeRule.ts"
import { type NeedName, needs } from "../profile/Need.ts"

/** What judges the rules, and what was seen to break them. */
export interface Checks {
  readonly walks: ReadonlyArray<Pick<Walk, "name" | "judges" | "alsoJudges" | "needs">>
  readonly exchangeRules: ReadonlyArray<Pick<ExchangeRule, "rule">>
  /** Deployments that each break some rules on purpose, and on which the suite was seen to say so. */
  readonly mutants: ReadonlyArray<{ readonly name: string; readonly kills: ReadonlyArray<RuleId> }>
}

/** Whether this release says anything about a rule. */
export type State = "checked" | "unchecked" | "elsewhere"

/** A rule as the list shows it. */
export interface Listed {
  readonly id: string
  readonly level: Level
  readonly sections: ReadonlyArray<string>
  readonly state: State
  readonly judged: Judged
  readonly text: string
  readonly accept?: string
  readonly keptAt?: string
}

/** A need, with the lines of a profile that would meet it; empty where no profile can yet. */
export interface NeedExplained {
  readonly name: NeedName
  readonly text: string
  readonly lines: ReadonlyArray<string>
}

/** All there is to know about one rule. */
export interface Explanation extends Listed {
  readonly howJudged: string
  readonly impact: Impact
  readonly needs: ReadonlyArray<NeedExplained>
  /** The names of the walks that judge it. */
  readonly walks: ReadonlyArray<string>
  /** The names of the mutants that break it. */
  readonly mutants: ReadonlyArray<string>
  /** For a rule the silences beside it, for a silence the rules. */
  readonly beside: ReadonlyArray<{ readonly id: string; readonly text: string; readonly accept?: string }>
}

/** Which rules a list shows; all that is given has to hold. */
export interface Filters {
  /** `OWN`, in any letter case. */
  readonly area?: string
  readonly level?: Level
  /** Those that the server keeps and no check of this release speaks about. */
  readonly unchecked?: boolean
  /** Those that are recorded and never judged. */
  readonly silent?: boolean
}

const judges = (rule: Rule, { exchangeRules, walks }: Checks): boolean =>
  exchangeRules.some((one) => one.rule === rule.id) || walksOf(rule, walks).length > 0

const walksOf = <W extends Pick<Walk, "judges">>(rule: Rule, walks: ReadonlyArray<W>): ReadonlyArray<W> =>
  walks.filter((walk) => rulesOf(walk).some((id) => id === rule.id))

const stateOf = (rule: Rule, checks: Checks): State =>
  rule.judged === "elsewhere" ? "elsewhere" : judges(rule, checks) ? "checked" : "unchecked"

const listed = (rule: Rule, checks: Checks): Listed => ({
  id: rule.id,
  level: rule.level,
  sections: rule.sections,
  state: stateOf(rule, checks),
  judged: rule.judged,
  text: rule.text,
  ...(rule.accept === undefined ? {} : { accept: rule.accept }),
  ...(rule.keptAt === undefined ? {} : { keptAt: rule.keptAt })
})

/** The rules of the catalogue, in its order, that the filters let through. */
export const list = (filters: Filters, checks: Checks): ReadonlyArray<Listed> =>
  catalogue
    .map((rule) => listed(rule, checks))
    .filter(
      ({ id, judged, level, state }) =>
        (filters.area === undefined || areaOf(id) === filters.area.toUpperCase()) &&
        (filters.level === undefined || level === filters.level) &&
        (filters.unchecked !== true || state === "unchecked") &&
        (filters.silent !== true || judged === "observation")
    )

const ways: Readonly<Record<Judged, string>> = {
  pair: "By a call that has to be refused, beside one that is carried out and differs in one element.",
  answers: "By what the calls of a walk answer.",
  "every exchange": "By every exchange of the run, whatever it was made for.",
  observation: "Not at all: what the deployment does is recorded.",
  elsewhere: "Not from outside: it binds those who call, or the console."
}

const needOf = (name: NeedName): NeedExplained => {
  const need = Object.entries(needs).find(([known]) => known === name)?.[1]
  return need === undefined
    ? { name, text: "something that no profile of this release can tell", lines: [] }
    : { name, text: need.text, lines: need.lines }
}

const besideOf = (rule: Rule): Explanation["beside"] => {
  const own = Object.entries(besides).find(([id]) => id === rule.id)?.[1] ?? []
  const others = Object.entries(besides).filter(([, rules]) => rules.some((id) => id === rule.id))
  return [...own, ...others.map(([id]) => id)]
    .map((id) => ruleOf(id))
    .filter((one) => one !== undefined)
    .map(({ accept, id, text }) => ({ id, text, ...(accept === undefined ? {} : { accept }) }))
}

/** All about one rule. */
export const explain = (rule: Rule, checks: Checks): Explanation => {
  const walks = walksOf(rule, checks.walks)
  return {
    ...listed(rule, checks),
    howJudged: ways[rule.judged],
    impact: rule.impact,
    needs: [...new Set([...rule.needs, ...walks.flatMap((walk) => walk.needs)])].map(needOf),
    walks: walks.map(({ name }) => name),
    mutants: checks.mutants.filter(({ kills }) => kills.some((id) => id === rule.id)).map(({ name }) => name),
    beside: besideOf(rule)
  }
}
