import { Schema } from "effect"
import { type RuleId as Id, ruleOf } from "./Catalogue.ts"

export const isRuleId = (text: string): text is Id => ruleOf(text) !== undefined

/** The id of a rule of the catalogue. */
export const RuleId = Schema.String.pipe(Schema.refine(isRuleId, { expected: "the id of a rule of the catalogue" }))
