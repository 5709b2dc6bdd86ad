import type { NeedName } from "../profile/Need.ts"
import type { Impact } from "./Impact.ts"

/**
 * How binding a rule is.
 * - `MUST`: the specification states it.
 * - `SHOULD`: the specification says "should", "typically" or "default", or implies the rule in one step. A breach is a
 *   warning.
 * - `MAY`: the specification allows it.
 * - `OBSERVE`: the specification does not decide.
 */
export type Level = "MUST" | "SHOULD" | "MAY" | "OBSERVE"

/** The party that keeps a rule. Rules of a client or the console are judged only if a server shows the behaviour. */
export type Keeper = "server" | "client" | "console"

/** The surface on which a rule is visible. */
export type Surface = "newer" | "token endpoint" | "legacy" | "events" | "both"

/**
 * How a rule is judged.
 * - `pair`: a probe must be refused and a control must succeed; they differ in one element
 * - `answers`: by the responses of a walk
 * - `every exchange`: by all exchanges of the run
 * - `observation`: recorded, never judged
 * - `elsewhere`: not judged from outside; `keptAt` names the place
 */
export type Judged = "pair" | "answers" | "every exchange" | "observation" | "elsewhere"

/** One row of the catalogue: a statement of the specification that a deployment can keep or break. */
export interface Rule {
  /** Stable, such as `OWN-04`. */
  readonly id: string
  /** The sections of the specification that state it. */
  readonly sections: ReadonlyArray<string>
  readonly level: Level
  readonly keptBy: Keeper
  readonly surface: Surface
  /** The requirement; for a silence, the open question. */
  readonly text: string
  readonly judged: Judged
  readonly impact: Impact
  /** The profile entries without which the rule cannot be judged. */
  readonly needs: ReadonlyArray<NeedName>
  /** For a silence: the behaviour that keeps the related rules satisfied. */
  readonly accept?: string
  /** For a rule that is judged elsewhere: the place. */
  readonly keptAt?: string
}
