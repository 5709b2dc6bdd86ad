import type { Json } from "../text/Json.ts"
import type { Difference } from "./Difference.ts"

/** The result of one walk, or of the check of every exchange, for one rule. */
export interface Finding<Id extends string = string> {
  readonly rule: Id
  readonly walk: string
  /** `warn` is for breaches that a rule itself calls a warning, at any level. */
  readonly outcome: "pass" | "fail" | "warn" | "blocked" | "inconclusive" | "not-applicable" | "observed" | "error"
  /** The differences from the expected response; empty unless the outcome is `fail` or `warn`. */
  readonly differences: ReadonlyArray<Difference>
  /** The numbers of the exchanges that support the finding. */
  readonly exchanges: ReadonlyArray<number>
  /** Where the rule was judged: the places of the calls in question, without their controls. */
  readonly places?: ReadonlyArray<string>
  /** Why the rule was not judged, in one sentence. */
  readonly reason?: string
  /** The missing needs by name, or the missing permission: `the ceiling exhaust`. */
  readonly lacks?: ReadonlyArray<string>
  /** The observed behaviour for a silence of the specification. */
  readonly observed?: Json
}
