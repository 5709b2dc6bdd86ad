import { Effect } from "effect"
import { newGrantTo, requireClient, revealed, tokenIn } from "../../calls/Grants.ts"
import { isShown, listOf } from "../../calls/GuardedCalls.ts"
import { opened, readWorkers } from "../../calls/Lookup.ts"
import { readPathsOf } from "../../calls/ReadPaths.ts"
import { hasNoCode, saysUnauthorized } from "../../exchanges/Refusals.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judge, judgePair, observe } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { basicHeaders } from "../../profile/ClientForms.ts"
import { goodClient } from "../../profile/Principals.ts"
import { isObject, type Json } from "../../text/Json.ts"
import { type Exchange, statusOf } from "../../wire/Exchange.ts"
import { forgeriesOf, jwtOf } from "../../wire/Jwt.ts"

/** Refused as unauthenticated. */
const unauthorized = (exchange: Exchange): Expect.Met => Expect.status(exchange, 401)

/** Judges the texts of 401 answers. The rules that expect a 401 judge the other answers. */
const judgeTexts = Effect.fnUntraced(function* (refusals: ReadonlyArray<Exchange>) {
  const seen = refusals.filter((exchange) => statusOf(exchange) === 401)
  if (seen.length === 0) return yield* block("no call was answered 401", ...refusals)
  yield* judge("AUT-06", seen, seen.flatMap(saysUnauthorized))
  yield* judge("AUT-07", seen, seen.flatMap(hasNoCode))
  return seen
})

const keysOf = (json: Json | undefined): Json => (isObject(json) ? Object.keys(json).sort() : null)

/** Reads of workers and credentials without credentials. */
const absent = walk({
  name: "bearer/absent",
  judges: ["AUT-01", "AUT-06", "AUT-07", "SIL-10"],
  impact: "read",
  needs: []
})(function* () {
  const { profile, send } = yield* Session
  const refusals: Array<Exchange> = []
  // another walk makes every call without credentials
  for (const { call, entity } of readPathsOf(profile).filter((one) => isShown(one.entity))) {
    const good = yield* control(listOf(entity))
    const refused = yield* send({ ...call, as: null })
    refusals.push(refused)
    yield* judgePair("AUT-01", { control: good, probe: refused }, unauthorized(refused))
  }
  const [first] = yield* judgeTexts(refusals)
  const { headers, json } = first?.answer ?? {}
  const observed = { keys: keysOf(json), "www-authenticate": headers?.["www-authenticate"] ?? null }
  yield* observe("SIL-10", observed, refusals.slice(0, 1))
})

/** The admin's token with other schemes than Bearer, and a client's raw id and secret. */
const prefix = walk({ name: "bearer/prefix", judges: ["AUT-02", "AUT-03"], impact: "read", needs: [] })(function* () {
  const { bearer, profile, send } = yield* Session
  const token = (yield* bearer("admin")) ?? ""
  const ask = (authorization: string) => send({ method: "GET", path: "/workers?pageSize=1", as: { authorization } })
  const good = yield* control(readWorkers())
  const client = goodClient(profile)
  const basic = client === undefined ? [] : basicHeaders(yield* revealed(client)).slice(0, 1)
  const refused = yield* Effect.forEach([token, `Basic ${token}`, `Token ${token}`, ...basic], ask)
  yield* judgePair("AUT-02", { control: good, probe: refused }, refused.flatMap(unauthorized))
  const accepted = yield* Effect.forEach(["bearer", "BEARER", "BeArEr"], (word) => ask(`${word} ${token}`))
  yield* judge("AUT-03", [good.exchange, ...accepted], accepted.flatMap(opened))
})

/** Noise, and forgeries of valid tokens: of a JWT and of an opaque one, where both exist. */
const malformed = walk({ name: "bearer/malformed", judges: ["AUT-04", "AUT-06", "AUT-07"], impact: "read", needs: [] })(
  function* () {
    const { bearer, send } = yield* Session
    const ask = (authorization: string) => send({ method: "GET", path: "/workers?pageSize=1", as: { authorization } })
    const own = yield* bearer("admin")
    const good = yield* control(readWorkers())
    const noise = yield* Effect.forEach(["Bearer", "Bearer conformance", "Bearer con.form.ance"], ask)
    yield* judgePair("AUT-04", { control: good, probe: noise }, noise.flatMap(unauthorized))
    yield* judgeTexts(noise)
    for (const token of yield* ofEachKind) {
      const accepted = token === own ? good : yield* control(readWorkers({ token }))
      const refused = yield* Effect.forEach(forgeriesOf(token), (forgery) => ask(`Bearer ${forgery.token}`))
      yield* judgePair("AUT-04", { control: accepted, probe: refused }, refused.flatMap(unauthorized))
      yield* judgeTexts(refused)
    }
  }
)

/** A valid JWT and a valid opaque token, as far as the profile has them. */
const ofEachKind = Effect.gen(function* () {
  const { bearer } = yield* Session
  const tokens = [yield* bearer("admin"), yield* bearer("secondClient"), yield* bearer("personalToken")].filter(
    (token) => token !== undefined
  )
  const isJwt = (token: string) => jwtOf(token) !== undefined
  return [tokens.find(isJwt), tokens.find((token) => !isJwt(token))].filter((token) => token !== undefined)
})

const expired = walk({ name: "bearer/expired", judges: ["AUT-05"], impact: "read", needs: ["expired token"] })(
  function* () {
    const { profile } = yield* Session
    if (profile.principals.expiredToken === undefined) return yield* judgeShortLived
    const good = yield* control(readWorkers())
    const refused = yield* readWorkers("expiredToken")
    yield* judgePair("AUT-05", { control: good, probe: refused }, unauthorized(refused))
  }
)

/** Without an expired token in the profile, a new token is used before and after its expiry. */
const judgeShortLived = Effect.gen(function* () {
  const { wait } = yield* Session
  const { exchange } = (yield* newGrantTo(yield* requireClient())).good
  const token = tokenIn(exchange) ?? ""
  const good = yield* control(readWorkers({ token }))
  const seconds = Expect.valueAt(exchange, "expires_in")
  if (typeof seconds !== "number" || !(yield* wait(seconds + 1))) {
    return yield* block("the token lives longer than the profile says", exchange)
  }
  const refused = yield* readWorkers({ token })
  yield* judgePair("AUT-05", { control: good, probe: refused }, unauthorized(refused))
})

/** AUT: bearer authentication on the newer surface. */
export const bearerWalks: ReadonlyArray<Walk> = [absent, prefix, malformed, expired]
