import type { RuleId } from "../catalogue/Catalogue.ts"
import type { Difference } from "../evidence/Difference.ts"
import type { Json } from "../wire/Json.ts"

/** What one walk, or the look at every exchange, found about one rule. */
export interface Finding {
  readonly rule: RuleId
  readonly walk: string
  /** `warn` is for what a rule itself calls a warning, whatever its level. */
  readonly outcome: "pass" | "fail" | "warn" | "blocked" | "inconclusive" | "not-applicable" | "observed" | "error"
  /** What was not as expected; empty unless it failed or is a warning. */
  readonly differences: ReadonlyArray<Difference>
  /** The numbers of the exchanges that it rests on. */
  readonly exchanges: ReadonlyArray<number>
  /** Why it was not judged, in a sentence. */
  readonly reason?: string
  /** What the profile would have to tell or to allow before it could be judged: needs by name, `the ceiling exhaust`. */
  readonly lacks?: ReadonlyArray<string>
  /** What a deployment does where the specification is silent. */
  readonly observed?: Json
}
