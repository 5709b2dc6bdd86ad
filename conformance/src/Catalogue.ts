import { bearer } from "./catalogue/Bearer.ts"
import { bulkOwnership } from "./catalogue/BulkOwnership.ts"
import { credentials } from "./catalogue/Credentials.ts"
import { deletion } from "./catalogue/Deletion.ts"
import { envelopes } from "./catalogue/Envelopes.ts"
import { events } from "./catalogue/Events.ts"
import { legacy } from "./catalogue/Legacy.ts"
import { oauthToken } from "./catalogue/OAuthToken.ts"
import { ownership } from "./catalogue/Ownership.ts"
import { privileges } from "./catalogue/Privileges.ts"
import { rateLimits } from "./catalogue/RateLimits.ts"
import { requestIds } from "./catalogue/RequestIds.ts"
import { silences } from "./catalogue/Silences.ts"
import { transport } from "./catalogue/Transport.ts"
import { verification } from "./catalogue/Verification.ts"
import { workers } from "./catalogue/Workers.ts"
import type { Rule } from "./Rule.ts"

/** Every rule and every silence of the specification, area by area. Ids are never renumbered or used again. */
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

/** The area of a rule: `OWN` of `OWN-04`. */
export const areaOf = (id: string): string => id.slice(0, id.indexOf("-"))

/** The areas, in order. */
export const areas: ReadonlyArray<string> = [...new Set(catalogue.map(({ id }) => areaOf(id)))]
