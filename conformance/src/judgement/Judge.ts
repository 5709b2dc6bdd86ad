import { Effect } from "effect"
import type { AnswersRuleId, ObservationId, PairRuleId, RuleId } from "../catalogue/Catalogue.ts"
import type { NeedName } from "../profile/Need.ts"
import type { Profile } from "../profile/Profile.ts"
import type { Json } from "../text/Json.ts"
import { type Exchange, isIn, statusOf, unconnected } from "../wire/Exchange.ts"
import { frontOf } from "../wire/Front.ts"
import { Blocked } from "./Blocked.ts"
import type { Difference } from "./Difference.ts"
import { valueAt } from "./Expect.ts"
import { placed, placesOf } from "./Place.ts"
import { Session } from "./Session.ts"

declare const succeeded: unique symbol

/** A successful call as the control of a refused probe. Only `control` makes one. */
export interface Control {
  readonly [succeeded]: true
  readonly exchange: Exchange
}

const isControl = (candidate: { readonly exchange: Exchange }): candidate is Control => isIn(candidate.exchange, 2)

/** Makes a call that must succeed. Blocks the walk if it fails. */
export const control = <E, R>(call: Effect.Effect<Exchange, E, R>): Effect.Effect<Control, E | Blocked, R> =>
  Effect.flatMap(call, (exchange) => {
    const candidate = { exchange }
    return isControl(candidate) ? Effect.succeed(candidate) : Effect.fail(refused(exchange))
  })

/** Blocks a walk because a prerequisite call failed. */
export const refused = (exchange: Exchange): Blocked =>
  new Blocked({ reason: `prerequisite failed: ${inWords(exchange)}`, exchanges: [exchange.number] })

/** Blocks the walk if the deployment refuses a body from the profile. The mistake may be in the profile. */
export const unlessRefused = (exchange: Exchange): Effect.Effect<Exchange, Blocked> =>
  isIn(exchange, 4) ? Effect.fail(refused(exchange)) : Effect.succeed(exchange)

/** Describes the outcome of a call: `POST /openapi/v1/workers answered 400`. Names what answered in front. */
export const inWords = (exchange: Exchange): string => {
  const { answer, request, silence } = exchange
  const { pathname } = new URL(request.url)
  const front = frontOf(exchange)
  const told = answer === null ? `had no answer (${silence})` : `answered ${answer.status}`
  return `${request.method} ${pathname} ${told}${front === undefined ? "" : `, because ${front.cause}`}`
}

/** Ends the walk. The rules that it has not judged yet are blocked. */
export const block = (reason: string, ...evidence: ReadonlyArray<Exchange>): Effect.Effect<never, Blocked> =>
  Effect.fail(new Blocked({ reason, exchanges: evidence.map(({ number }) => number) }))

/**
 * Judges a rule by the responses of a walk. It passes if there are no differences. `breach` is the outcome of a
 * difference: `warn` if the rule calls it a warning.
 */
export const judge = Effect.fnUntraced(function* (
  rule: AnswersRuleId,
  evidence: ReadonlyArray<Exchange>,
  differences: ReadonlyArray<Difference>,
  breach: "fail" | "warn" = "fail"
) {
  const { find, profile } = yield* Session
  yield* find(finding(rule, profile, { evidence, judged: evidence }, differences, breach))
})

/**
 * Judges a rule about a refusal. `probe` differs from the successful control in the one element of the rule. `after`
 * shows that the probe changed nothing. `breach` is the outcome of a difference: `warn` if the rule calls it a warning.
 */
export const judgePair = Effect.fnUntraced(function* (
  rule: PairRuleId,
  pair: {
    readonly control: Control
    readonly probe: Exchange | ReadonlyArray<Exchange>
    readonly after?: Exchange | ReadonlyArray<Exchange>
  },
  differences: ReadonlyArray<Difference>,
  breach: "fail" | "warn" = "fail"
) {
  const { find, profile } = yield* Session
  const evidence = [pair.control.exchange, pair.probe, pair.after ?? []].flat()
  yield* find(finding(rule, profile, { evidence, judged: [pair.probe].flat() }, differences, breach))
})

/** Whether a call without a response may have been executed. A failed or reset connection was not. */
const isUnheard = ({ answer, silence }: Exchange): boolean =>
  answer === null && silence !== "reset" && !unconnected.has(silence)

/**
 * Judges a rule that denies access. Only a breach counts, not the kind of refusal. A probe without a response proves
 * nothing and blocks the rule.
 */
export const judgeNoAccess = Effect.fnUntraced(function* (
  rule: PairRuleId,
  pair: Parameters<typeof judgePair>[1],
  differences: ReadonlyArray<Difference>
) {
  const unheard = [pair.probe].flat().filter(isUnheard)
  const [first] = unheard
  return yield* first === undefined || differences.length > 0
    ? judgePair(rule, pair, differences)
    : blockRule(rule, `prerequisite failed: ${inWords(first)}`, unheard)
})

/** The exchanges of a finding. `judged` are those in question, without controls and later reads. */
interface Evidence {
  readonly evidence: ReadonlyArray<Exchange>
  readonly judged: ReadonlyArray<Exchange>
}

const finding = (
  rule: AnswersRuleId | PairRuleId,
  profile: Profile,
  { evidence, judged }: Evidence,
  differences: ReadonlyArray<Difference>,
  breach: "fail" | "warn" = "fail"
) => ({
  rule,
  outcome: differences.length === 0 ? ("pass" as const) : breach,
  differences: placed(differences, evidence, profile),
  exchanges: [...new Set(evidence.map(({ number }) => number))],
  places: placesOf(judged, profile)
})

/** Records how the deployment behaves where the specification is silent. */
export const observe = Effect.fnUntraced(function* (
  silence: ObservationId,
  observed: Json,
  evidence: ReadonlyArray<Exchange>
) {
  const { find } = yield* Session
  const exchanges = evidence.map(({ number }) => number)
  yield* find({ rule: silence, outcome: "observed", differences: [], exchanges, observed })
})

/** Records that a rule does not apply, with the reason. */
export const notApplicable = Effect.fnUntraced(function* (rule: AnswersRuleId | PairRuleId, reason: string) {
  const { find } = yield* Session
  yield* find({ rule, outcome: "not-applicable", differences: [], exchanges: [], reason })
})

/** Records that the result of a rule is inconclusive. */
export const inconclusive = Effect.fnUntraced(function* (
  rule: AnswersRuleId,
  reason: string,
  evidence: ReadonlyArray<Exchange> = []
) {
  const { find } = yield* Session
  const exchanges = evidence.map(({ number }) => number)
  yield* find({ rule, outcome: "inconclusive", differences: [], exchanges, reason })
})

/** Blocks one rule and continues the walk. */
export const blockRule = Effect.fnUntraced(function* (
  rule: AnswersRuleId | PairRuleId,
  reason: string,
  evidence: ReadonlyArray<Exchange> = []
) {
  const { find } = yield* Session
  yield* find({ rule, outcome: "blocked", differences: [], exchanges: evidence.map(({ number }) => number), reason })
})

/**
 * Blocks one rule because the profile lacks an entry that the rest of the walk does not need. The rule is not
 * applicable if the deployment does not offer the need.
 */
export const lackNeed = Effect.fnUntraced(function* (
  rule: AnswersRuleId | PairRuleId,
  need: NeedName,
  why: string,
  evidence: ReadonlyArray<Exchange> = []
) {
  const { find, profile } = yield* Session
  const isOffered = profile.notOffered?.includes(need) !== true
  yield* find({
    rule,
    outcome: isOffered ? "blocked" : "not-applicable",
    differences: [],
    exchanges: evidence.map(({ number }) => number),
    reason: isOffered ? `needs ${need}: ${why}` : `not offered: ${need}; ${why}`,
    lacks: [need]
  })
})

/**
 * Runs one of several independent parts of a walk. If a part is blocked, its rules are blocked, and the walk continues.
 */
export const walkPart = <R>(
  rules: ReadonlyArray<AnswersRuleId | PairRuleId>,
  steps: Effect.Effect<void, Blocked, R>
): Effect.Effect<void, never, R | Session> =>
  Effect.catchTag(steps, "Blocked", ({ exchanges, lacks, reason }) => {
    const blocked = { outcome: "blocked", differences: [], exchanges, reason, ...(lacks && { lacks }) } as const
    return Effect.flatMap(Session, ({ find }) =>
      Effect.forEach(rules, (rule) => find({ rule, ...blocked }), { discard: true })
    )
  })

/** Runs a part of a walk if any of its rules is selected. */
export const ifAsked = <E, R>(rules: ReadonlyArray<RuleId>, steps: Effect.Effect<void, E, R>) =>
  Effect.flatMap(Session, ({ isAsked }) => (rules.some(isAsked) ? steps : Effect.void))

/** Formats the status and code of a response for observations: `409 ALREADY_LINKED`. */
export const statusAndCode = (exchange: Exchange, code: Json | undefined): string =>
  typeof code === "string"
    ? `${statusOf(exchange)} ${code}`
    : exchange.answer === null
      ? `no answer (${exchange.silence})`
      : `${statusOf(exchange)}`

/** An answer for observations: `409 OWNER_MISMATCH`. */
export const inShort = (exchange: Exchange): string => statusAndCode(exchange, valueAt(exchange, "error.code"))
