import { Effect, Schema } from "effect"
import {
  askByBasic,
  askGrant,
  granted,
  refusedWith,
  requireClient,
  revealed,
  tokenIn,
  wrongSecret
} from "../../calls/Grants.ts"
import { opened, readWorkers } from "../../calls/Lookup.ts"
import { grantDifferences, isLifetime } from "../../exchanges/Tokens.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, judge } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { bareForm, basicHeaders, type ClientPair, clientForm } from "../../profile/ClientForms.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { oauthClientWalks } from "./OAuthClients.ts"
import { oauthRefusalWalks } from "./OAuthRefusals.ts"

/** An answer with a token. */
interface Granted {
  readonly exchange: Exchange
  readonly token: string
}

/** `<service>_oauth_` followed by at least one character. */
export const isClientId = Effect.fnUntraced(function* (
  exchange: Exchange,
  id: string,
  where = "client_id of the request"
) {
  const { recordValue } = yield* Session
  const isRight = yield* recordValue("client id", Schema.Boolean, ({ open }) => /^.+_oauth_./.test(open(id)))
  return isRight ? [] : Expect.difference(exchange, "wrong-value", where, "begins with <service>_oauth_", id)
})

const grantedBy = (exchange: Exchange): ReadonlyArray<Granted> => {
  const token = tokenIn(exchange)
  return token === undefined ? [] : [{ exchange, token }]
}

/** Judges every answer that grants a token. */
const judgeAnswers = Effect.fnUntraced(function* (grants: ReadonlyArray<Granted>, client: ClientPair) {
  const { profile } = yield* Session
  const exchanges = grants.map(({ exchange }) => exchange)
  const about = ["OAU-03", "OAU-04", "OAU-06", "OAU-16", "OAU-24"] as const
  for (const rule of about) yield* judge(rule, exchanges, grantDifferences(rule, exchanges, profile))
  const wrong = yield* Effect.forEach(exchanges.slice(0, 1), (exchange) => isClientId(exchange, client.id))
  yield* judge("OAU-17", exchanges, wrong.flat())
})

/** Judges the tokens: the newest, used repeatedly (OAU-05), and the oldest beside it (OAU-19). */
const judgeTokens = Effect.fnUntraced(function* (eldest: Granted, newest: Granted) {
  const read = yield* readWorkers({ token: newest.token })
  const still = yield* readWorkers({ token: eldest.token })
  const again = yield* readWorkers({ token: newest.token })
  const differences = [...isLifetime(newest.exchange), ...opened(read), ...opened(again)]
  yield* judge("OAU-05", [newest.exchange, read, again], differences)
  yield* judge("OAU-19", [eldest.exchange, newest.exchange, read, still], [...opened(read), ...opened(still)])
})

/** Refused as for a wrong id or secret, which the profile may have. */
const isUnknownClient = (exchange: Exchange): boolean => refusedWith(exchange, 401, "invalid_client").length === 0

const granting = walk({
  name: "oauth/grant",
  judges: [
    ...(["OAU-01", "OAU-02", "OAU-03", "OAU-04", "OAU-05", "OAU-06", "OAU-07"] as const),
    ...(["OAU-16", "OAU-17", "OAU-19", "OAU-24"] as const)
  ],
  impact: "read",
  needs: ["OAuth client"]
})(function* () {
  const client = yield* requireClient()
  const byBody = yield* askGrant(clientForm(client))
  const byBasic = yield* askByBasic(client)
  if ([byBody, byBasic.exchange].every(isUnknownClient)) {
    return yield* block("the token endpoint knows no such client; look at its id and secret in the profile", byBody)
  }
  yield* judge("OAU-01", [byBody], granted(byBody))
  yield* judge("OAU-02", [byBasic.exchange], granted(byBasic.exchange))
  const [wrongHeader] = basicHeaders(yield* wrongSecret(client))
  const byBoth = yield* askGrant(clientForm(client), wrongHeader)
  yield* judge("OAU-07", [byBoth], granted(byBoth))

  const grants = [byBody, byBasic.exchange, byBoth].flatMap(grantedBy)
  const [eldest] = grants
  if (eldest === undefined) return yield* block("no token was granted", byBody, byBasic.exchange)
  yield* judgeAnswers(grants, client)
  const newest = grants.length > 1 ? grants.at(-1) : grantedBy(yield* askAgain(client, eldest.exchange))[0]
  if (newest === undefined) return yield* block("no second token was granted", byBody, byBasic.exchange, byBoth)
  yield* judgeTokens(eldest, newest)
  yield* judgeOthers(client) // last, because a grant may end earlier tokens
})

/** The profile's other clients: one in the header, and the second tenant's in the body. */
const judgeOthers = Effect.fnUntraced(function* (client: ClientPair) {
  const { profile } = yield* Session
  const { admin, secondClient } = profile.principals
  const own = ["oauth" in admin ? [admin.oauth] : [], secondClient ?? []].flat()
  const [other] = (yield* Effect.forEach(own, revealed)).filter(({ id }) => id !== client.id)
  if (other !== undefined) {
    const { exchange } = yield* askByBasic(other)
    yield* judge("OAU-02", [exchange], granted(exchange))
    const grants = grantedBy(exchange).map((one) => one.exchange)
    if (grants.length > 0) yield* judge("OAU-16", grants, grantDifferences("OAU-16", grants, profile))
  }
  const theirs = profile.secondTenant?.admin
  if (theirs === undefined || !("oauth" in theirs)) return
  const exchange = yield* askGrant(clientForm(yield* revealed(theirs.oauth)), undefined, "second tenant")
  yield* judge("OAU-01", [exchange], granted(exchange))
})

/** Repeats the request. */
const askAgain = Effect.fnUntraced(function* (client: ClientPair, { request }: Exchange) {
  const authorization = request.headers.find(([name]) => name === "Authorization")?.[1]
  return yield* authorization === undefined ? askGrant(clientForm(client)) : askGrant(bareForm, authorization)
})

/** OAU: the token endpoint, and the tokens that it grants. */
export const oauthTokenWalks: ReadonlyArray<Walk> = [granting, ...oauthRefusalWalks, ...oauthClientWalks]
