import { Clock, Effect, Semaphore } from "effect"
import { Blocked } from "../judgement/Blocked.ts"
import { bareForm, basicHeaders, clientForm } from "../profile/ClientForms.ts"
import type { PrincipalName } from "../profile/Principals.ts"
import { credentialsOf } from "../profile/Principals.ts"
import type { Client, Profile } from "../profile/Profile.ts"
import { originOf, tokenPath } from "../profile/Roots.ts"
import { at } from "../text/Json.ts"
import type { Exchange } from "../wire/Exchange.ts"
import { shapeIn, statusOf } from "../wire/Exchange.ts"
import { insteadOf } from "../wire/Front.ts"
import type { Handles } from "../wire/Handles.ts"
import { isLost } from "../wire/Lost.ts"
import type { SecretShape } from "../wire/SecretShape.ts"
import { ready, type Send } from "./Sending.ts"

interface Token {
  readonly token: string
  /** The Unix time in milliseconds from which a new token is requested. */
  readonly renewAt: number
}

/** A token is renewed when a tenth of its lifetime remains. */
const share = 0.9

/** The assumed lifetime of a token without `expires_in` (OAU-05 requires it). */
const usualSeconds = 60

/** The walk name of token requests outside any walk. */
export const tokensWalk = "tokens"

/** The token in the token endpoint's answer, or a sentence that explains why there is none. */
const tokenIn = (exchange: Exchange, now: number): Token | string => {
  if (exchange.answer === null) return `the token endpoint did not answer (${exchange.silence})`
  const { json, status } = exchange.answer
  const token = at(json, "access_token")
  if (status === 200 && typeof token === "string" && shapeIn(exchange, token).isSendable) {
    const seconds = at(json, "expires_in")
    return {
      token,
      renewAt: now + (typeof seconds === "number" && seconds > 0 ? seconds : usualSeconds) * 1000 * share
    }
  }
  const front = insteadOf(exchange)
  if (front !== undefined) return `${front.cause}; it answered ${status} at the token endpoint`
  const error = at(json, "error")
  // shows the error only if it is a code, because any text may be there
  const code = typeof error === "string" && /^[\w.-]{1,60}$/.test(error) ? ` ${error}` : ""
  return `the token endpoint answered ${statusOf(exchange)}${code} without an access_token`
}

/** A token from the profile, if a header can carry it. */
const held = (principal: PrincipalName, token: string, { isSendable }: SecretShape): Effect.Effect<string, Blocked> =>
  isSendable
    ? Effect.succeed(token)
    : Effect.fail(
        new Blocked({ reason: `the token of ${principal} has characters that a header cannot carry`, exchanges: [] })
      )

/** The handle of each principal's bearer token. OAuth tokens are requested when needed. */
export const make = Effect.fnUntraced(function* (
  profile: Profile,
  { rename, reveal, shapeOf }: Pick<Handles, "rename" | "reveal" | "shapeOf">,
  send: Send
) {
  const tokens = new Map<PrincipalName, Token>()
  const oneByOne = yield* Semaphore.make(1)

  const ofProfile = (principal: PrincipalName, reference: string) => {
    const token = reveal(reference)
    return held(principal, token, shapeOf(token))
  }

  /** The OAuth rules judge an endpoint that grants nothing. A personal token then judges the other rules. */
  const instead = (principal: PrincipalName) => {
    const own = principal === "admin" ? credentialsOf(profile, "personalToken") : undefined
    return own !== undefined && "token" in own ? ofProfile("personalToken", own.token) : undefined
  }

  const grant = Effect.fnUntraced(function* (principal: PrincipalName, client: Client) {
    const origin = originOf(profile, { to: principal === "secondTenant.admin" ? "second tenant" : "tenant" })
    const [id, secret] = [reveal(client.clientId), reveal(client.clientSecret)]
    const pair = { id, secret, isPlain: shapeOf(id).isPlain && shapeOf(secret).isPlain }
    const ask = Effect.fnUntraced(function* (form: Readonly<Record<string, string>>, basic?: string) {
      const call = ready({ method: "POST", path: tokenPath, as: null, form }, origin ?? "", basic)
      const exchange = yield* send(tokensWalk, 0, { ...call, isOwed: true }) // clean-up may need a new one
      return { exchange, token: tokenIn(exchange, yield* Clock.currentTimeMillis) }
    })
    const inBody = yield* ask(clientForm(pair))
    const isHeard = inBody.exchange.answer !== null && !isLost(inBody.exchange)
    let { token } = inBody
    // OAU-01 judges the refusal of a client in the body. The other rules still need a token.
    for (const header of isHeard ? basicHeaders(pair) : []) {
      if (typeof token === "string") ({ token } = yield* ask(bareForm, header))
    }
    // a 401 may come from a wrong secret in the profile: then nothing is judged
    const other = isHeard && statusOf(inBody.exchange) !== 401 ? instead(principal) : undefined
    const isHeld = typeof token === "string" && other !== undefined
    if (isHeld) token = { token: yield* other, renewAt: Infinity }
    if (typeof token === "string") {
      const [reason, { number }] = [inBody.token, inBody.exchange]
      return yield* new Blocked({ reason: `no token for ${principal}: ${String(reason)}`, exchanges: [number] })
    }
    const known = { ...token, token: isHeld ? token.token : rename(`token of ${principal}`, token.token) }
    tokens.set(principal, known)
    return known.token
  })

  /** The token that was granted last, unless it has to be renewed. */
  const granted = (principal: PrincipalName) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const known = tokens.get(principal)
      return known !== undefined && now < known.renewAt ? known.token : undefined
    })

  const renewed = Effect.fnUntraced(function* (principal: PrincipalName, client: Client) {
    return (yield* granted(principal)) ?? (yield* oneByOne.withPermits(1)(granting(principal, client)))
  })

  /** Another walk may have renewed the token while this one waited. */
  const granting = Effect.fnUntraced(function* (principal: PrincipalName, client: Client) {
    return (yield* granted(principal)) ?? (yield* grant(principal, client))
  })

  return (principal: PrincipalName): Effect.Effect<string | undefined, Blocked> => {
    const credentials = credentialsOf(profile, principal)
    if (credentials === undefined) return Effect.succeed(undefined)
    if ("token" in credentials) return ofProfile(principal, credentials.token)
    return renewed(principal, credentials.oauth)
  }
})

export type BearerOf = Effect.Success<ReturnType<typeof make>>
