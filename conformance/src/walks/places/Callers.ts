import { Effect } from "effect"
import { everyCall } from "../../calls/EveryCall.ts"
import {
  attempt,
  type Guarded,
  listOf,
  makeableTypes,
  readableTypes,
  readCall,
  type Target
} from "../../calls/GuardedCalls.ts"
import { turnedAway } from "../../calls/PlainHttp.ts"
import * as Expect from "../../judgement/Expect.ts"
import { apart, control, judgePair } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { oauthPrincipal, type PrincipalName } from "../../profile/Principals.ts"
import { type Exchange, isIn, statusOf } from "../../wire/Exchange.ts"
import { forgeriesOf } from "../../wire/Jwt.ts"
import { hasWord } from "../../wire/Words.ts"
import { judgeTrials, lendGround, makeGround, namesOf, type Trial } from "./Trials.ts"

/** Callers that must be refused at every call, and the rule that says so. */
interface Stranger {
  readonly rule: "AUT-01" | "AUT-02" | "AUT-04" | "AUT-05" | "AUT-12" | "TRN-02"
  /** One for each call in turn, so that every form is tried somewhere. */
  readonly forms: ReadonlyArray<Exclude<Call["as"], undefined>>
  readonly to?: "plain"
  /** Over plain HTTP: a valid caller, whose token no answer must pass on. It is sent only if nobody gets a 401. */
  readonly valid?: { readonly as: PrincipalName; readonly token: string }
}

const nobody: Stranger = { rule: "AUT-01", forms: [null] }

/** Callers with invalid tokens, as far as the profile has them and their rules are selected. */
const invalidTokens = Effect.gen(function* () {
  const { bearer, isAsked, profile } = yield* Session
  const { expiredToken, revokedToken } = profile.principals
  const token = (yield* bearer("admin")) ?? ""
  const as = (authorization: string) => ({ authorization })
  const all: ReadonlyArray<Stranger | undefined> = [
    { rule: "AUT-02", forms: [as(token), as(`Basic ${token}`), as(`Token ${token}`)] },
    { rule: "AUT-04", forms: forgeriesOf(token).map((forgery) => as(`Bearer ${forgery.token}`)) },
    expiredToken === undefined ? undefined : { rule: "AUT-05", forms: ["expiredToken"] },
    revokedToken === undefined ? undefined : { rule: "AUT-12", forms: ["revokedToken.revoked"] }
  ]
  return all.filter((stranger) => stranger !== undefined).filter(({ rule }) => isAsked(rule))
})

/**
 * Callers over plain HTTP; none if nothing listens there, because then each call has the same result. A 401 may be the
 * surface's own; only a valid token can tell. Prefers an OAuth token, which expires soon: a network observer may read
 * it.
 */
const overPlainHttp = Effect.gen(function* () {
  const { bearer, isAsked, profile, send } = yield* Session
  if (!isAsked("TRN-02") || profile.newer.plainHttpUrl?.startsWith("http://") !== true) return []
  const reached = yield* send({ method: "GET", path: "/workers?pageSize=1", as: null, to: "plain" })
  if (reached.answer === null) return []
  const as = oauthPrincipal(profile) ?? "admin"
  const valid = { as, token: (yield* bearer(as)) ?? "" }
  return [{ rule: "TRN-02", forms: [null], to: "plain", valid } satisfies Stranger]
})

/** A call and the exchange in which a stranger made it. */
interface Made {
  readonly stranger: Stranger
  readonly call: Guarded
  readonly exchange: Exchange
}

/** Refused with a 401; over plain HTTP in any way. */
const refusalOf = ({ exchange, stranger: { rule, valid } }: Made): Expect.Met =>
  rule === "TRN-02" ? turnedAway(exchange, valid?.token ?? "") : Expect.status(exchange, 401)

/** Makes a call as a stranger. */
const askAs = Effect.fnUntraced(function* ({ forms, to, valid }: Stranger, call: Guarded, place: number) {
  const change = to === undefined ? {} : { to }
  const exchange = yield* attempt(call, forms[place % forms.length] ?? null, change)
  return valid === undefined || statusOf(exchange) !== 401 ? exchange : yield* attempt(call, valid.as, change)
})

/** Calls that the deployment has: a read of one resource is documented only for credentials. */
const offered = Effect.fnUntraced(function* ({ entity, resource }: Target, made: ReadonlyArray<Made>) {
  const isItemRead = ({ call }: Made) =>
    entity !== "credential" && call.operation === "READ" && hasWord(call.call.path, encodeURIComponent(resource.id))
  const doubted = made.filter((one) => isItemRead(one) && refusalOf(one).length > 0)
  const [first] = doubted
  if (first === undefined || isIn(yield* attempt(first.call, "admin"), 2)) return made
  return made.filter((one) => !doubted.includes(one))
})

/** Makes every call of a target as a stranger. */
const trialOf =
  (stranger: Stranger): Trial =>
  ({ before: { control: good }, stage }) =>
    Effect.gen(function* () {
      const made = yield* Effect.forEach(yield* everyCall(stage), (call, place) =>
        Effect.map(askAs(stranger, call, place), (exchange): Made => ({ stranger, call, exchange }))
      )
      const creates = made.filter(({ call, exchange }) => call.operation === "CREATE" && isIn(exchange, 4))
      return {
        names: namesOf(made.map(({ call }) => call)),
        creates: stranger === nobody ? creates.map(({ call }) => call) : [],
        judge: Effect.fnUntraced(function* ({ kept, reads, strays }) {
          const judged = yield* offered(stage, made)
          const pair = { control: good, probe: judged.map(({ exchange }) => exchange), after: reads }
          yield* judgePair(stranger.rule, pair, [...judged.flatMap(refusalOf), ...kept, ...strays])
        })
      }
    })

/** Lists of groups in which nothing can be created, as each stranger. */
const judgeList = Effect.fnUntraced(function* (entity: string, them: ReadonlyArray<Stranger>) {
  const call = yield* readCall(entity)
  const good = yield* control(listOf(entity))
  for (const stranger of them) {
    const exchange = yield* askAs(stranger, call, 0)
    yield* judgePair(stranger.rule, { control: good, probe: exchange }, refusalOf({ stranger, call, exchange }))
  }
})

const strangers = walk({
  name: "places/strangers",
  judges: ["AUT-01"],
  alsoJudges: ["AUT-02", "AUT-04", "AUT-05", "AUT-12", "TRN-02"],
  impact: "mutate-own",
  needs: []
})(function* () {
  yield* control(listOf("worker"))
  const { isAsked } = yield* Session
  const nobodies = [nobody].filter(({ rule }) => isAsked(rule))
  const them = [...nobodies, ...(yield* invalidTokens), ...(yield* overPlainHttp)]
  const made = yield* makeableTypes
  for (const entity of made) {
    const ground = lendGround(entity)
    const steps = Effect.flatMap(ground, (lent) => judgeTrials(lent, makeGround(entity), them.map(trialOf)))
    yield* apart(["AUT-01"], Effect.asVoid(steps))
  }
  for (const entity of yield* readableTypes) {
    if (!made.includes(entity)) yield* apart(["AUT-01"], judgeList(entity, them))
  }
})

/** Every call of every group, by callers that must be refused. */
export const callerWalks: ReadonlyArray<Walk> = [strangers]
