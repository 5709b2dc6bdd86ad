import { Effect } from "effect"
import { attempt, type Guarded, listOf, readableTypes, readCall } from "../../calls/GuardedCalls.ts"
import * as Expect from "../../judgement/Expect.ts"
import { type Control, control, judge, judgePair } from "../../judgement/Judge.ts"
import { type Call, Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import { wellFormed } from "../../wire/CallersId.ts"
import { type Exchange, statusOf } from "../../wire/Exchange.ts"

/** The rules that say that a further token is valid. */
export const furtherRules = ["AUT-11", "AUT-12", "AUT-15"] as const

/** A valid token beside the usual ones, and the rule that says that it is valid. */
export interface Further {
  readonly as: PrincipalName
  readonly rule: (typeof furtherRules)[number]
}

/** The further valid tokens of the profile. */
export const furtherTokens = Effect.map(Session, ({ profile: { principals } }): ReadonlyArray<Further> => {
  const { enrolledToken, revokedToken, rotated } = principals
  const all: ReadonlyArray<Further & { readonly token: string | undefined }> = [
    { as: "enrolledToken", rule: "AUT-15", token: enrolledToken },
    { as: "rotated.old", rule: "AUT-11", token: rotated?.old },
    { as: "revokedToken.living", rule: "AUT-12", token: revokedToken?.living },
    { as: "rotated.new", rule: "AUT-11", token: rotated?.new }
  ]
  // one token may stand for two
  return all.filter(
    ({ token }, index) => token !== undefined && all.findIndex((other) => other.token === token) === index
  )
})

/** Spellings of the prefix (§5.2). */
const prefixes = ["bearer", "BEARER", "BeArEr"]

/** A number of the call's endpoint, the same for every target. */
const numberOf = ({ call: { method, path }, entity }: Guarded): number => {
  const last = (path.split("?")[0] ?? "").split("/").at(-1) ?? ""
  const name = `${entity} ${method} ${/^[a-z-]+$/.test(last) ? last : "{id}"}`
  return [...name].reduce((sum, char) => sum + (char.codePointAt(0) ?? 0), 0)
}

/** The header of a principal with another spelling of the prefix. Three `shift`s try each spelling at each endpoint. */
export const speltAs = Effect.fnUntraced(function* (call: Guarded, as: PrincipalName, shift: number) {
  const { bearer } = yield* Session
  const prefix = prefixes[(numberOf(call) + shift) % prefixes.length]
  return { headers: { Authorization: `${prefix} ${(yield* bearer(as)) ?? ""}` } }
})

/** Accepted as a token, with any privileges. */
export const authenticated = (exchange: Exchange): Expect.Met =>
  statusOf(exchange) === 401
    ? Expect.difference(exchange, "status", "status", "any but 401", 401)
    : Expect.answered(exchange)

const judgeFurther = ({ rule }: Further, good: Control, exchange: Exchange) =>
  rule === "AUT-12"
    ? judgePair(rule, { control: good, probe: exchange }, authenticated(exchange))
    : judge(rule, [good.exchange, exchange], authenticated(exchange))

/**
 * Sends a call that must be refused for every caller, as one of the further tokens in turn. The privileges of
 * their users are unknown: if one is denied, the admin sends the call.
 */
export const attemptInTurn = Effect.fnUntraced(function* (
  call: Guarded,
  turn: number,
  good: Control,
  change: Partial<Call> = {}
) {
  const them = yield* furtherTokens
  const headers = { "X-Request-Id": wellFormed(yield* (yield* Session).unique) }
  const sent = { headers, ...change }
  const further = them[turn % Math.max(1, them.length)]
  if (further === undefined) return yield* attempt(call, "admin", sent)
  const exchange = yield* attempt(call, further.as, sent)
  yield* judgeFurther(further, good, exchange)
  return [401, 403].includes(statusOf(exchange)) ? yield* attempt(call, "admin", sent) : exchange
})

const lists = walk({
  name: "places/further-tokens",
  judges: [],
  alsoJudges: ["AUT-11", "AUT-12", "AUT-15"],
  impact: "read",
  needs: []
})(function* () {
  const good = yield* control(listOf("worker"))
  const them = yield* furtherTokens
  // two of them at each list, in turn
  for (const [turn, entity] of (yield* readableTypes).entries()) {
    const call = yield* readCall(entity)
    for (const further of them.filter((_, index) => index % 2 === turn % 2)) {
      yield* judgeFurther(further, good, yield* attempt(call, further.as))
    }
  }
})

/** The list of every group, by two of the further tokens. Other calls are made by one of them. */
export const furtherTokenWalks: ReadonlyArray<Walk> = [lists]
