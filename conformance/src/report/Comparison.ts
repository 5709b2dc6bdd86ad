import type { Verdict } from "../engine/Verdict.ts"
import { equals, type Json } from "../text/Json.ts"
import type { Report, RuleReport } from "./Report.ts"
import { foundIn } from "./Reporting.ts"

/** One of two compared results. */
export type Subject = Pick<
  Report["header"],
  "profile" | "deployment" | "target" | "run" | "startedAt" | "suiteVersion" | "catalogueDigest"
>

/** A rule with different verdicts; null if a catalogue lacks the rule. */
export interface OtherVerdict {
  readonly rule: string
  readonly level: RuleReport["level"]
  readonly text: string
  /** The verdict without the baseline. */
  readonly left: Verdict | null
  readonly right: Verdict | null
  /** Why the rule was not judged. */
  readonly leftReasons: ReadonlyArray<string>
  readonly rightReasons: ReadonlyArray<string>
}

/** A silence with different observations; empty if nothing was observed. */
export interface OtherObservation {
  readonly rule: string
  readonly question: string
  readonly left: ReadonlyArray<Json>
  readonly right: ReadonlyArray<Json>
}

/** The differences of two results. */
export interface Comparison {
  readonly left: Subject
  readonly right: Subject
  /** The number of rules in either result. */
  readonly rules: number
  readonly verdicts: ReadonlyArray<OtherVerdict>
  readonly observations: ReadonlyArray<OtherObservation>
}

const subjectOf = ({ header }: Report): Subject => {
  const { catalogueDigest, deployment, profile, run, startedAt, suiteVersion, target } = header
  return { profile, deployment, target, run, startedAt, suiteVersion, catalogueDigest }
}

/** Pairs items by id, in the order of the left list. Items that only the right list has come last. */
const paired = <A>(
  left: ReadonlyArray<A>,
  right: ReadonlyArray<A>,
  idOf: (one: A) => string
): ReadonlyArray<readonly [left: A | undefined, right: A | undefined]> => {
  const [lefts, rights] = [left, right].map((some) => new Map(some.map((one) => [idOf(one), one])))
  return [...new Set([...left, ...right].map(idOf))].map((id) => [lefts?.get(id), rights?.get(id)])
}

const isSameSet = (left: ReadonlyArray<Json>, right: ReadonlyArray<Json>): boolean =>
  left.length === right.length && left.every((one) => right.some((other) => equals(one, other)))

/** Compares the verdicts and observations of two results. */
export const compare = (left: Report, right: Report): Comparison => {
  const rules = paired(left.rules, right.rules, ({ id }) => id)
  const silences = paired(left.observations, right.observations, ({ rule }) => rule)
  return {
    left: subjectOf(left),
    right: subjectOf(right),
    rules: rules.length,
    verdicts: rules.flatMap(([one, other]) => {
      const known = one ?? other
      const [here, there] = [one, other].map((rule) => (rule === undefined ? null : foundIn(rule)))
      if (known === undefined || here === undefined || there === undefined || here === there) return []
      const { id, level, text } = known
      return {
        ...{ rule: id, level, text, left: here, right: there },
        ...{ leftReasons: one?.reasons ?? [], rightReasons: other?.reasons ?? [] }
      }
    }),
    observations: silences.flatMap(([one, other]) => {
      const known = one ?? other
      const [here, there] = [one?.observed ?? [], other?.observed ?? []]
      if (known === undefined || isSameSet(here, there)) return []
      return { rule: known.rule, question: known.question, left: here, right: there }
    })
  }
}

/** Whether two results have the same verdicts and observations. */
export const isSame = ({ observations, verdicts }: Comparison): boolean => verdicts.length + observations.length === 0
