import { Effect, Stream } from "effect"
import { isRuleId } from "../catalogue/RuleIdSchema.ts"
import { judge } from "../engine/Conformance.ts"
import type { Finding } from "../engine/Finding.ts"
import type { Profile } from "../profile/Profile.ts"
import { inLine } from "../report/Told.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { at } from "../wire/Json.ts"
import type { Question } from "./Question.ts"

/** The requests of one trial. */
const budget = 200

/** The result of an answer, tried by the rules that it unlocks. */
export interface Trial {
  readonly passed: ReadonlyArray<string>
  readonly failed: ReadonlyArray<string>
  /** The rules that are still blocked, although their need is met, and why. */
  readonly stopped: ReadonlyArray<string>
  readonly reasons: ReadonlyArray<string>
  readonly requests: number
}

const rulesWith = (findings: ReadonlyArray<Finding>, ...outcomes: ReadonlyArray<Finding["outcome"]>) => [
  ...new Set(findings.filter(({ outcome }) => outcomes.includes(outcome)).map(({ rule }) => rule))
]

const maxMessage = 300

/** The reason of a blocked rule, with the message of the refusal that caused it. */
const reasonOf = ({ exchanges, reason = "" }: Finding, all: ReadonlyMap<number, Exchange>): string => {
  const messages = exchanges.flatMap((number) => {
    const message = at(all.get(number)?.answer?.json, "error.message")
    return typeof message === "string" ? [inLine(message.slice(0, maxMessage))] : []
  })
  return messages[0] === undefined ? reason : `${reason}: ${messages[0]}`
}

/** Judges the rules that an answer unlocks, with few requests. */
export const tryAnswer = Effect.fnUntraced(function* (
  { rules }: Question,
  options: { readonly profile: Profile; readonly ca: string | undefined; readonly journalFile: string }
) {
  const { ca, journalFile, profile } = options
  const findings: Array<Finding> = []
  const exchanges = new Map<number, Exchange>()
  yield* judge({
    profile: { ...profile, run: { ...profile.run, budget } },
    environment: process.env,
    only: new Set(rules.filter(isRuleId)),
    journalFile,
    ...(ca === undefined ? {} : { ca })
  }).pipe(
    Stream.runForEach((event) =>
      Effect.sync(() => {
        if (event.type === "exchange") exchanges.set(event.exchange.number, event.exchange)
        if (event.type === "finding") findings.push(event.finding)
      })
    )
  )
  const stopped = findings.filter(({ lacks, outcome }) => outcome === "blocked" && lacks === undefined)
  const trial: Trial = {
    passed: rulesWith(findings, "pass"),
    failed: rulesWith(findings, "fail", "warn"),
    stopped: [...new Set(stopped.map(({ rule }) => rule))],
    reasons: [...new Set(stopped.map((finding) => reasonOf(finding, exchanges)))],
    requests: exchanges.size
  }
  return trial
})

/** Whether a trial shows that the answer is wrong: most of its rules could not be judged. */
export const isMistaken = ({ failed, passed, stopped }: Trial): boolean =>
  stopped.length > passed.length + failed.length
