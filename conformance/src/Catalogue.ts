import { own } from "./catalogue/Ownership.ts"
import type { Rule } from "./Rule.ts"

/** Every rule and every silence of the specification, in its order. */
export const catalogue = [...own] as const satisfies ReadonlyArray<Rule>

type Row = (typeof catalogue)[number]

export type RuleId = Row["id"]
/** The rules that a refused probe beside a control judges. */
export type PairRuleId = Extract<Row, { readonly judged: "pair" }>["id"]
/** The rules that the answers of a walk judge. */
export type AnswersRuleId = Extract<Row, { readonly judged: "answers" }>["id"]
/** The rules that every exchange of a run is judged by. */
export type ExchangeRuleId = Extract<Row, { readonly judged: "every exchange" }>["id"]
/** What is recorded and never judged. */
export type ObservationId = Extract<Row, { readonly judged: "observation" }>["id"]

const byId: ReadonlyMap<string, Rule> = new Map(catalogue.map((rule) => [rule.id, rule]))

/** The rule of an id; undefined where there is none. */
export const ruleOf = (id: string): Rule | undefined => byId.get(id)
