import { Effect } from "effect"
import type { AnswersRuleId, ObservationId, PairRuleId } from "../catalogue/Catalogue.ts"
import type { Difference } from "../evidence/Difference.ts"
import type { NeedName } from "../profile/Need.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import type { Json } from "../wire/Json.ts"
import { Blocked } from "./Blocked.ts"
import { Session } from "./Session.ts"

declare const succeeded: unique symbol

/** A call that was carried out: what a refused probe is held against. Only `control` makes one. */
export interface Control {
  readonly [succeeded]: true
  readonly exchange: Exchange
}

const isControl = (candidate: { readonly exchange: Exchange }): candidate is Control => isIn(candidate.exchange, 2)

/** Makes a call that has to be carried out; the walk is blocked where it is not. */
export const control = <E, R>(call: Effect.Effect<Exchange, E, R>): Effect.Effect<Control, E | Blocked, R> =>
  Effect.flatMap(call, (exchange) => {
    const candidate = { exchange }
    return isControl(candidate) ? Effect.succeed(candidate) : Effect.fail(refused(exchange))
  })

/** The body in the profile that a call was sent with, where the specification does not show it. */
const bodyOf = ({ answer, request }: Exchange): string => {
  const [, name] = /\/credentials\/[^/]+\/(link|unlink)$/u.exec(new URL(request.url).pathname) ?? []
  return name === undefined || (answer?.status !== 400 && answer?.status !== 422)
    ? ""
    : `; look at ownership.${name} in the profile`
}

/** The call that a walk builds on was not carried out. */
export const refused = (exchange: Exchange): Blocked =>
  new Blocked({ reason: `prerequisite failed: ${inWords(exchange)}${bodyOf(exchange)}`, exchanges: [exchange.number] })

/**
 * A call by a body that only the profile knows: where it is refused, that may be the profile's mistake as well as the
 * deployment's, so the walk is blocked.
 */
export const unlessRefused = (exchange: Exchange): Effect.Effect<Exchange, Blocked> =>
  isIn(exchange, 4) ? Effect.fail(refused(exchange)) : Effect.succeed(exchange)

/** `POST /openapi/v1/workers answered 400`. */
export const inWords = ({ answer, request, silence }: Exchange): string => {
  const { pathname } = new URL(request.url)
  return `${request.method} ${pathname} ${answer === null ? `had no answer (${silence})` : `answered ${answer.status}`}`
}

/** Ends the walk: what it still had to judge is blocked. */
export const block = (reason: string, ...evidence: ReadonlyArray<Exchange>): Effect.Effect<never, Blocked> =>
  Effect.fail(new Blocked({ reason, exchanges: evidence.map(({ number }) => number) }))

/** Judges a rule by the answers of a walk: it passes where nothing differs from what was expected. */
export const judge = Effect.fnUntraced(function* (
  rule: AnswersRuleId,
  evidence: ReadonlyArray<Exchange>,
  differences: ReadonlyArray<Difference>
) {
  const { find } = yield* Session
  yield* find(finding(rule, evidence, differences))
})

/**
 * Judges a rule that says what is refused: `probe` differs from the call that was carried out in the one element that
 * the rule is about. `after` shows that it changed nothing, or what the control did. `breach` is what the differences
 * come to: `warn` where the rule itself calls them a warning.
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
  const { find } = yield* Session
  const evidence = [pair.control.exchange, pair.probe, pair.after ?? []].flat()
  yield* find(finding(rule, evidence, differences, breach))
})

/** Whether a call may have been carried out although no answer came: a refused or reset connection was refused. */
const isUnheard = ({ answer, silence }: Exchange): boolean =>
  answer === null && silence !== "refused" && silence !== "reset"

/**
 * Judges a rule that says what gives no access. Only a breach counts here, not the way in which a probe is refused. A
 * probe whose answer never came shows neither, and blocks the rule.
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

const finding = (
  rule: AnswersRuleId | PairRuleId,
  evidence: ReadonlyArray<Exchange>,
  differences: ReadonlyArray<Difference>,
  breach: "fail" | "warn" = "fail"
) => ({
  rule,
  outcome: differences.length === 0 ? ("pass" as const) : breach,
  differences,
  exchanges: [...new Set(evidence.map(({ number }) => number))]
})

/** Records what a deployment does where the specification is silent. */
export const observe = Effect.fnUntraced(function* (
  silence: ObservationId,
  observed: Json,
  evidence: ReadonlyArray<Exchange>
) {
  const { find } = yield* Session
  const exchanges = evidence.map(({ number }) => number)
  yield* find({ rule: silence, outcome: "observed", differences: [], exchanges, observed })
})

/** The rule has nothing to judge here, and that is no lack: it says why. */
export const notApplicable = Effect.fnUntraced(function* (rule: AnswersRuleId | PairRuleId, reason: string) {
  const { find } = yield* Session
  yield* find({ rule, outcome: "not-applicable", differences: [], exchanges: [], reason })
})

/** The rule was judged, and what was seen decides nothing. */
export const inconclusive = Effect.fnUntraced(function* (
  rule: AnswersRuleId,
  reason: string,
  evidence: ReadonlyArray<Exchange> = []
) {
  const { find } = yield* Session
  const exchanges = evidence.map(({ number }) => number)
  yield* find({ rule, outcome: "inconclusive", differences: [], exchanges, reason })
})

/** One rule cannot be judged while the walk goes on. */
export const blockRule = Effect.fnUntraced(function* (
  rule: AnswersRuleId | PairRuleId,
  reason: string,
  evidence: ReadonlyArray<Exchange> = []
) {
  const { find } = yield* Session
  yield* find({ rule, outcome: "blocked", differences: [], exchanges: evidence.map(({ number }) => number), reason })
})

/**
 * One rule needs more of the profile than its walk does. It is blocked, or not applicable where the deployment does not
 * offer the need.
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
 * Judges one thing among several: where that cannot be gone on with, these rules are blocked by it and the walk goes on
 * to the next.
 */
export const apart = <R>(
  rules: ReadonlyArray<AnswersRuleId | PairRuleId>,
  steps: Effect.Effect<void, Blocked, R>
): Effect.Effect<void, never, R | Session> =>
  Effect.catchTag(steps, "Blocked", ({ exchanges, reason }) =>
    Effect.flatMap(Session, ({ find }) =>
      Effect.forEach(rules, (rule) => find({ rule, outcome: "blocked", differences: [], exchanges, reason }), {
        discard: true
      })
    )
  )

/** The status and code of an answer, as observations say them: `409 ALREADY_LINKED`. */
export const statusAndCode = (exchange: Exchange, code: Json | undefined): string =>
  typeof code === "string"
    ? `${statusOf(exchange)} ${code}`
    : exchange.answer === null
      ? `no answer (${exchange.silence})`
      : `${statusOf(exchange)}`
