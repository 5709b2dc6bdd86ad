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
