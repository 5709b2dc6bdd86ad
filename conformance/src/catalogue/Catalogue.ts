import { bearer } from "./Bearer.ts"
import { bulkOwnership } from "./BulkOwnership.ts"
import { credentials } from "./Credentials.ts"
import { deletion } from "./Deletion.ts"
import { envelopes } from "./Envelopes.ts"
import { events } from "./Events.ts"
import { legacy } from "./Legacy.ts"
import { oauthToken } from "./OAuthToken.ts"
import { ownership } from "./Ownership.ts"
import { privileges } from "./Privileges.ts"
import { rateLimits } from "./RateLimits.ts"
import { requestIds } from "./RequestIds.ts"
import type { Rule } from "./Rule.ts"
import { silences } from "./Silences.ts"
import { transport } from "./Transport.ts"
import { verification } from "./Verification.ts"
import { workers } from "./Workers.ts"

/** All rules and silences, by area. Ids are never renumbered or reused. */
export const catalogue = [
  ...transport,
  ...legacy,
  ...oauthToken,
  ...bearer,
  ...privileges,
  ...requestIds,
  ...envelopes,
  ...workers,
  ...credentials,
  ...ownership,
  ...bulkOwnership,
  ...verification,
  ...deletion,
  ...events,
  ...rateLimits,
  ...silences
] as const satisfies ReadonlyArray<Rule>

type Row = (typeof catalogue)[number]

export type RuleId = Row["id"]
/** Rules that are judged by a refused probe and a successful control. */
export type PairRuleId = Extract<Row, { readonly judged: "pair" }>["id"]
/** Rules that are judged by the responses of a walk. */
export type AnswersRuleId = Extract<Row, { readonly judged: "answers" }>["id"]
/** Rules that are judged by every exchange of a run. */
type ExchangeRuleId = Extract<Row, { readonly judged: "every exchange" }>["id"]
/** Rules that the suite judges in one of these ways. */
export type JudgedRuleId = PairRuleId | AnswersRuleId | ExchangeRuleId
/** Rows that are recorded and never judged. */
export type ObservationId = Extract<Row, { readonly judged: "observation" }>["id"]

const byId: ReadonlyMap<string, Rule> = new Map(catalogue.map((rule) => [rule.id, rule]))

/** Returns the rule with an id, or undefined. */
export const ruleOf = (id: string): Rule | undefined => byId.get(id)

/** Returns the observations that a rule limits or that depend on it. */
export const observationsBeside = (id: string): ReadonlyArray<Rule> =>
  catalogue.filter((row: Rule) => row.beside?.includes(id) === true)

/** Returns the area of a rule: `OWN` for `OWN-04`. */
export const areaOf = (id: string): string => id.slice(0, id.indexOf("-"))

/** All areas, in order. */
export const areas: ReadonlyArray<string> = [...new Set(catalogue.map(({ id }) => areaOf(id)))]
