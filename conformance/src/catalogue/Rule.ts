import type { NeedName } from "../profile/Need.ts"
import type { Impact } from "./Impact.ts"

/**
 * How binding a rule is: `MUST` the specification states it, `SHOULD` it says "should", "typically" or "default", or the
 * rule is one step inferred (a breach is a warning), `MAY` it allows it, `OBSERVE` it does not decide.
 */
export type Level = "MUST" | "SHOULD" | "MAY" | "OBSERVE"

/** Who keeps a rule. Rules of a client or the console are judged only as far as a server shows them. */
export type Keeper = "server" | "client" | "console"

/** Where a rule is seen. */
export type Surface = "newer" | "token endpoint" | "legacy" | "events" | "both"

/**
 * How a rule is judged.
 * - `pair`: a probe that must be refused beside a control that must succeed, which differ in one element
 * - `answers`: the answers of a walk
 * - `every exchange`: all exchanges of the run, whatever they were made for
 * - `observation`: recorded, never judged
 * - `elsewhere`: not from outside; `keptAt` says where
 */
export type Judged = "pair" | "answers" | "every exchange" | "observation" | "elsewhere"

/** One row of the catalogue: a statement of the specification that a deployment can keep or break. */
export interface Rule {
  /** Stable: `OWN-04`. */
  readonly id: string
  /** The sections of the specification that it comes from. */
  readonly sections: ReadonlyArray<string>
  readonly level: Level
  readonly keptBy: Keeper
  readonly surface: Surface
  /** What is required, or for a silence what is left open. */
  readonly text: string
  readonly judged: Judged
  readonly impact: Impact
  /** What the profile has to tell before the rule can be judged. */
  readonly needs: ReadonlyArray<NeedName>
  /** For a silence: what keeps the rules beside it satisfied. */
  readonly accept?: string
  /** For a rule that is kept elsewhere: where. */
  readonly keptAt?: string
}
