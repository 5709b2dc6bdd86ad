import type { Difference } from "@wcs/conformance/judgement/Difference"
import * as Expect from "@wcs/conformance/judgement/Expect"
import { block, inWords } from "@wcs/conformance/judgement/Judge"
import { type Call, Session } from "@wcs/conformance/judgement/Session"
import type { Walk } from "@wcs/conformance/judgement/Walk"
import { basicOf } from "@wcs/conformance/profile/ClientForms"
import { type Exchange, isIn, statusOf } from "@wcs/conformance/wire/Exchange"
import * as CredentialType from "@wcs/domain/holding/CredentialType"
import { Answer, type Question } from "@wcs/register/GatewayContract"
import { Effect, Option, Schema } from "effect"
import type { WalkRuleId } from "./Catalogue.ts"
import { secretReference, type Target } from "./Target.ts"

/** A query as JSON. Rules also send incomplete ones. */
export type Asked = typeof Question.Type

/** The `Authorization` header with this secret. */
export const authorizationWith = ({ user }: Target, secret: string): string =>
  user === undefined ? `Bearer ${secret}` : basicOf(user, secret)

/** Sends a request to the gateway. The query is JSON unless `more` replaces it. */
export const ask = Effect.fnUntraced(function* (target: Target, json: unknown, more: Partial<Call> = {}) {
  const { reveal, send } = yield* Session
  const authorization = authorizationWith(target, reveal(secretReference))
  const exchange = yield* send({
    method: "POST",
    path: target.url,
    surface: "web",
    as: { authorization },
    json,
    ...more
  })
  // a missing answer breaks a rule of its own, and says nothing about the others
  return exchange.answer === null ? yield* block(inWords(exchange), exchange) : exchange
})

/** Whether an answer says nothing about a card: a redirect, or the register is busy or away. */
const isAway = (exchange: Exchange): boolean => isIn(exchange, 3) || isIn(exchange, 5) || statusOf(exchange) === 429

/** Sends a query. Blocks the walk if the register does not answer now. */
export const query = (target: Target, asked: Asked) =>
  Effect.flatMap(ask(target, asked), (exchange) =>
    isAway(exchange) ? block(inWords(exchange), exchange) : Effect.succeed(exchange)
  )

/** Records that a rule is kept or broken. */
export const judge = Effect.fnUntraced(function* (
  rule: WalkRuleId,
  evidence: ReadonlyArray<Exchange>,
  differences: ReadonlyArray<Difference>
) {
  const { find } = yield* Session
  const outcome = differences.length === 0 ? "pass" : "fail"
  yield* find({ rule, outcome, differences, exchanges: evidence.map(({ number }) => number) })
})

/** The answer of a 200; undefined if its body breaks the contract, which is judged everywhere. */
export const answerIn = ({ answer }: Exchange): typeof Answer.Type | undefined =>
  answer?.status === 200 ? Option.getOrUndefined(decode(answer.json)) : undefined

const decode = Schema.decodeUnknownOption(Answer)

/** An answered query, and what is expected of the answer. */
export interface Judged {
  readonly exchange: Exchange
  readonly differences: (answer: typeof Answer.Type, exchange: Exchange) => ReadonlyArray<Difference>
  /** A refusal keeps the rule, too. */
  readonly mayRefuse?: boolean
}

/** Judges a rule about what answers say. Bodies that break the contract are judged elsewhere. */
export const judgeAnswers = Effect.fnUntraced(function* (rule: WalkRuleId, judged: ReadonlyArray<Judged>) {
  const evidence = judged.map(({ exchange }) => exchange)
  const differences = judged.flatMap(({ differences: of, exchange, mayRefuse = false }) => {
    const answer = answerIn(exchange)
    if (answer !== undefined) return of(answer, exchange)
    return mayRefuse ? [] : Expect.status(exchange, 200)
  })
  if (differences.length === 0 && evidence.every((one) => statusOf(one) === 200 && answerIn(one) === undefined)) {
    return yield* block("no answer has a body of the contract", ...evidence)
  }
  yield* judge(rule, evidence, differences)
})

/** Records that a rule cannot be judged without known cards. */
export const lackSamples = Effect.fnUntraced(function* (...rules: ReadonlyArray<WalkRuleId>) {
  const { find } = yield* Session
  const reason = "needs known cards: name a file of them by --samples"
  for (const rule of rules) {
    yield* find({ rule, outcome: "blocked", differences: [], exchanges: [], reason, lacks: ["known cards"] })
  }
})

/** Records that a rule does not apply to the known cards. */
export const notApplicable = Effect.fnUntraced(function* (rule: WalkRuleId, reason: string) {
  const { find } = yield* Session
  yield* find({ rule, outcome: "not-applicable", differences: [], exchanges: [], reason })
})

/** A query that the gateway answers: about a known card, or about a made-up one. */
export const anyQuery = Effect.fnUntraced(function* (target: Target) {
  const [sample] = target.samples
  if (sample !== undefined) return sample.question
  const [type] = yield* servedTypes(target)
  return type === undefined
    ? yield* block("the gateway answers no made-up query: name known cards by --samples")
    : madeUp(type)
})

/** The differences of an answer from an earlier one to the same query. Further fields may differ. */
export const unlike = (earlier: Exchange, later: Exchange): ReadonlyArray<Difference> => [
  ...Expect.same(later, "status", statusOf(earlier), statusOf(later)),
  ...["statusDetail", "expiryDate", "matched"].flatMap((field) =>
    Expect.same(later, `body.${field}`, Expect.valueAt(earlier, field), Expect.valueAt(later, field))
  )
]

/** Makes a walk of rules of the contract. */
export const walk = (
  name: string,
  judges: ReadonlyArray<WalkRuleId>,
  steps: () => Effect.gen.Return<void, Effect.Error<Walk["steps"]>, Session>
): Walk<WalkRuleId> => ({ name, judges, impact: "read", needs: [], steps: Effect.gen(steps) })

/** Made-up numbers in the formats of the catalogue. */
const madeUpNumbers: Readonly<Record<string, string>> = {
  WWCC_NSW: "WWC9999999E",
  BLUE_CARD_QLD: "99999999/9",
  AHPRA_REGISTRATION: "ZZZ9999999999"
}

/** A complete query about a card that no register knows. */
export const madeUp = (credentialType: string): Asked => ({
  credentialType,
  jurisdiction: CredentialType.find(credentialType)?.jurisdiction ?? null,
  identifier: madeUpNumbers[credentialType] ?? "99999999",
  issueNumber: null,
  cardType: null,
  expiryDate: CredentialType.asksForExpiryDate(credentialType) ? "2030-05-31" : null,
  holder: { firstName: "Noone", middleName: null, lastName: "Madeupperson", birthDate: "1931-01-31", otherNames: [] },
  issuingCountry: credentialType === "RIGHT_TO_WORK" ? "NZ" : null
})

/** A query with nothing but the type. It tests the address and the secret of a gateway without any personal data. */
export const aboutNobody = (credentialType: string): Asked => ({
  ...{ credentialType, jurisdiction: null, identifier: null, issueNumber: null, cardType: null, expiryDate: null },
  holder: { firstName: null, middleName: null, lastName: null, birthDate: null, otherNames: [] },
  issuingCountry: null
})

/** The types that registers are asked about. */
const askedTypes = CredentialType.catalogue.filter(({ manual, verifiable }) => verifiable && !manual)

/** The types that the gateway serves: those of the known cards, else those whose made-up query is answered. */
export const servedTypes = Effect.fnUntraced(function* (target: Target) {
  const { share } = yield* Session
  if (target.samples.length > 0) return [...new Set(target.samples.map(({ question }) => question.credentialType))]
  return yield* share(
    "served types",
    Effect.gen(function* () {
      const served: Array<string> = []
      for (const { code } of askedTypes) {
        const { answer } = yield* ask(target, madeUp(code))
        if (answer?.status === 200) served.push(code)
      }
      return served
    })
  )
})
