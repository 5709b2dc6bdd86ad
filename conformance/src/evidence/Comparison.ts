import type { Verdict } from "../engine/Verdict.ts"
import type { Report, RuleReport } from "../report/Report.ts"
import { foundIn } from "../report/Reporting.ts"
import { equals, type Json } from "../wire/Json.ts"

/** One of two results that are held against each other. */
export type Subject = Pick<
  Report["header"],
  "profile" | "deployment" | "target" | "run" | "startedAt" | "suiteVersion" | "catalogueDigest"
>

/** A rule about which two results say different things; null where a result's catalogue does not have it. */
export interface OtherVerdict {
  readonly rule: string
  readonly level: RuleReport["level"]
  readonly text: string
  /** What was found there, whatever a baseline says of it. */
  readonly left: Verdict | null
  readonly right: Verdict | null
  /** Why it was not judged there. */
  readonly leftReasons: ReadonlyArray<string>
  readonly rightReasons: ReadonlyArray<string>
}

/** A silence of the specification that two deployments fill in different ways; empty where nothing was observed. */
export interface OtherObservation {
  readonly rule: string
  readonly question: string
  readonly left: ReadonlyArray<Json>
  readonly right: ReadonlyArray<Json>
}

/** In what two results differ. */
export interface Comparison {
  readonly left: Subject
  readonly right: Subject
  /** How many rules either of them tells of. */
  readonly rules: number
  readonly verdicts: ReadonlyArray<OtherVerdict>
  readonly observations: ReadonlyArray<OtherObservation>
}

const subjectOf = ({ header }: Report): Subject => {
  const { catalogueDigest, deployment, profile, run, startedAt, suiteVersion, target } = header
  return { profile, deployment, target, run, startedAt, suiteVersion, catalogueDigest }
}

/** What stands under an id on either side, in the order of the left one; those that only the right has come last. */
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

/** Holds two results against each other: what is said of each rule, and what was observed where nothing is said. */
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

/** Whether two results say the same, whenever and against whatever they were made. */
export const isSame = ({ observations, verdicts }: Comparison): boolean => verdicts.length + observations.length === 0
