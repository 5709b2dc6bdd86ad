import { areaOf, catalogue, observationsBeside, type RuleId, ruleOf } from "../catalogue/Catalogue.ts"
import type { Judged, Level, Rule } from "../catalogue/Rule.ts"
import type { ExchangeRule } from "../exchanges/ExchangeRule.ts"
import { impactOf, rulesOf, type Walk } from "../judgement/Walk.ts"
import type { Impact } from "../profile/Impact.ts"
import { type NeedName, needs } from "../profile/Need.ts"

/** The checks of the rules, and the faults that break them. */
export interface Checks {
  readonly walks: ReadonlyArray<Omit<Walk, "steps">>
  readonly exchangeRules: ReadonlyArray<Pick<ExchangeRule, "rule" | "needs">>
  /** Wrong behaviours of a server, on which the suite was seen to fail these rules. */
  readonly faults: ReadonlyArray<{ readonly name: string; readonly rule: RuleId }>
}

/** Whether this release judges a rule. */
export type State = "checked" | "unchecked" | "elsewhere"

/** A rule in the list. */
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

/** A need and the profile lines that meet it; without lines if no profile can. */
export interface NeedExplained {
  readonly name: NeedName
  readonly text: string
  readonly lines: ReadonlyArray<string>
}

/** The explanation of one rule. */
export interface Explanation extends Listed {
  readonly howJudged: string
  readonly impact: Impact
  readonly needs: ReadonlyArray<NeedExplained>
  readonly walks: ReadonlyArray<string>
  readonly faults: ReadonlyArray<string>
  /** The related silences of a rule, or the related rules of a silence. */
  readonly beside: ReadonlyArray<{ readonly id: string; readonly text: string; readonly accept?: string }>
}

/** Filters of a list. A rule must match all of them. */
export interface Filters {
  /** An area such as `OWN`, case-insensitive. */
  readonly area?: string
  readonly level?: Level
  /** Only rules of the server that this release does not check. */
  readonly unchecked?: boolean
  /** Only observations. */
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

/** Returns the rules that match the filters, in the order of the catalogue. */
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
  pair: "By two calls that differ in one element: one must be refused, the other must succeed.",
  answers: "By the responses to the calls of a walk.",
  "every exchange": "By every exchange of the run.",
  observation: "Not judged: the behaviour of the deployment is recorded.",
  elsewhere: "Not judged from outside: the rule binds callers or the console."
}

const needOf = (name: NeedName): NeedExplained => {
  const need = Object.entries(needs).find(([known]) => known === name)?.[1]
  return need === undefined
    ? { name, text: "not supported by the profiles of this release", lines: [] }
    : { name, text: need.text, lines: need.lines }
}

const besideOf = (rule: Rule): Explanation["beside"] => {
  const own = (rule.beside ?? []).flatMap((id) => ruleOf(id) ?? [])
  return [...own, ...observationsBeside(rule.id)].map(({ accept, id, text }) => ({
    id,
    text,
    ...(accept === undefined ? {} : { accept })
  }))
}

export const explain = (rule: Rule, checks: Checks): Explanation => {
  const walks = walksOf(rule, checks.walks)
  const everywhere = checks.exchangeRules.filter((one) => one.rule === rule.id)
  const alsoNeeded = walks.flatMap(({ alsoNeeds = {} }) =>
    Object.entries(alsoNeeds).flatMap(([id, needs]) => (id === rule.id ? needs : []))
  )
  return {
    ...listed(rule, checks),
    howJudged: ways[rule.judged],
    impact: impactOf(rule.id, walks),
    needs: [...new Set([...everywhere, ...walks].flatMap(({ needs = [] }) => needs).concat(alsoNeeded))].map(needOf),
    walks: walks.map(({ name }) => name),
    faults: [...new Set(checks.faults.filter((fault) => fault.rule === rule.id).map(({ name }) => name))],
    beside: besideOf(rule)
  }
}
