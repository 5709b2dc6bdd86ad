/**
 * How binding a rule is.
 * - `MUST`: the specification states it.
 * - `SHOULD`: the specification says "should", "typically" or "default", or implies the rule without saying so.
 *   A breach is a warning.
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
  /** `gateway`: the contract of a gateway to a register, which another suite judges. */
  readonly surface: Surface | "gateway"
  /** The requirement; for an observation, the open question. */
  readonly text: string
  readonly judged: Judged
  /** For a silence: the behaviour that keeps the related rules satisfied. */
  readonly accept?: string
  /** For an observation: the rules that limit it or that depend on it. */
  readonly beside?: ReadonlyArray<string>
  /** For a rule that is judged elsewhere: the place. */
  readonly keptAt?: string
}

/** The areas that are not about the newer surface. */
const surfaces: Readonly<Record<string, Surface>> = { LEG: "legacy", OAU: "token endpoint", EVT: "events" }

const row = <const Id extends string, J extends Judged>(
  head: { readonly id: Id; readonly sections: string; readonly level: Level; readonly surface: Surface | undefined },
  judged: J,
  text: string,
  keptBy: Keeper = "server"
) => {
  const { id, level, sections, surface = surfaces[id.slice(0, 3)] ?? "newer" } = head
  return { id, sections: sections.replaceAll("§", "").split(" "), level, keptBy, surface, text, judged }
}

/** Starts a row: `must("OWN-04", "§3 §7.1").byPair("…")`. Without a surface, it is that of most rules of the area. */
const rule =
  (level: Exclude<Level, "OBSERVE">) =>
  <const Id extends string>(id: Id, sections: string, surface?: Surface) => {
    const head = { id, sections, level, surface }
    return {
      byAnswers: (text: string, keptBy?: Keeper) => row(head, "answers", text, keptBy),
      byPair: (text: string) => row(head, "pair", text),
      byEveryExchange: (text: string) => row(head, "every exchange", text),
      /** A rule of callers. */
      elsewhere: (keptAt: string, text: string) => ({ ...row(head, "elsewhere", text, "client"), keptAt })
    }
  }

export const must = rule("MUST")
export const should = rule("SHOULD")
export const may = rule("MAY")

/** Starts a row about an open question: `observe("SIL-01", "§3").recorded("…", { accept: "…", beside: [] })`. */
export const observe = <const Id extends string>(id: Id, sections: string, surface?: Surface) => ({
  recorded: (text: string, more: Pick<Rule, "accept"> & Required<Pick<Rule, "beside">>) => ({
    ...row({ id, sections, level: "OBSERVE", surface }, "observation", text),
    ...more
  })
})
