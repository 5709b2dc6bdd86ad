import { Effect } from "effect"
import { attempt, type Guarded, listOf, readableTypes, readCall } from "../../calls/GuardedCalls.ts"
import * as Expect from "../../judgement/Expect.ts"
import { control, judge, judgePair } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { isNamed } from "../../places/Endpoints.ts"
import type { PrincipalName } from "../../profile/Principals.ts"
import { type Exchange, statusOf } from "../../wire/Exchange.ts"
import { furtherTokens } from "../rows/Callers.ts"
import { validRules } from "../rows/Row.ts"

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

const lists = walk({
  name: "places/further-tokens",
  judges: [],
  alsoJudges: validRules,
  impact: "read",
  needs: []
})(function* () {
  const good = yield* control(listOf("worker"))
  const them = furtherTokens((yield* Session).profile)
  // two of them at each list of a group that the specification names, in turn
  for (const [turn, entity] of (yield* readableTypes).entries()) {
    if (!isNamed(entity)) continue
    const call = yield* readCall(entity)
    for (const { as, valid } of them.filter((_, index) => index % 2 === turn % 2)) {
      const exchange = yield* attempt(call, as)
      const refused = authenticated(exchange)
      if (valid === "AUT-12") yield* judgePair(valid, { control: good, probe: exchange }, refused)
      else yield* judge(valid, [good.exchange, exchange], refused)
    }
  }
})

/** The list of every group, by two of the further tokens. Other calls are made by one of them. */
export const furtherTokenWalks: ReadonlyArray<Walk> = [lists]
