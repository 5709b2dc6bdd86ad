import { Clock, Effect, Semaphore } from "effect"
import { Blocked } from "../engine/Blocked.ts"
import type { PrincipalName } from "../engine/Session.ts"
import { credentialsOf } from "../profile/Principals.ts"
import type { Client, Profile } from "../profile/Profile.ts"
import { reveal, type Secrets } from "../profile/Secrets.ts"
import type { Exchange } from "./Exchange.ts"
import { statusOf } from "./Exchange.ts"
import { at } from "./Json.ts"
import { originOf, ready, type Send, tokenPath } from "./Sending.ts"

interface Token {
  readonly token: string
  /** Unix milliseconds from which on another is asked for. */
  readonly renewAt: number
}

/** A token is asked for anew when a tenth of its life is left. */
const share = 0.9

/** How long a token is taken to live where its answer does not say (OAU-05 judges that it does). */
const usualSeconds = 60

/** A token that a header carries: no line end, and no letter beyond ASCII (RFC 6749, appendix A.12). */
export const sendable = /^[\x21-\x7e]+$/

/** Walk names of requests that no walk makes. */
export const tokensWalk = "tokens"

/** What the token endpoint's answer comes to: a token, or one sentence that says what was wrong with it. */
const tokenIn = (exchange: Exchange, now: number): Token | string => {
  if (exchange.answer === null) return `the token endpoint did not answer (${exchange.silence})`
  const { json, status } = exchange.answer
  const token = at(json, "access_token")
  if (status === 200 && typeof token === "string" && sendable.test(token)) {
    const seconds = at(json, "expires_in")
    return {
      token,
      renewAt: now + (typeof seconds === "number" && seconds > 0 ? seconds : usualSeconds) * 1000 * share
    }
  }
  const error = at(json, "error")
  // what stands there is told where it is a code: anything may stand there
  const code = typeof error === "string" && /^[\w.-]{1,60}$/.test(error) ? ` ${error}` : ""
  return `the token endpoint answered ${statusOf(exchange)}${code} without an access_token`
}

/** A token that the profile holds, where it can be sent. */
const held = (principal: PrincipalName, token: string): Effect.Effect<string, Blocked> =>
  sendable.test(token)
    ? Effect.succeed(token)
    : Effect.fail(
        new Blocked({ reason: `the token of ${principal} has characters that no header carries`, exchanges: [] })
      )

/** Each principal's bearer token; OAuth clients' are asked for when they are needed, and `learnt` is told of them. */
export const make = Effect.fnUntraced(function* (
  profile: Profile,
  secrets: Secrets,
  send: Send,
  learnt: (principal: PrincipalName, token: string) => Effect.Effect<void>
) {
  const tokens = new Map<PrincipalName, Token>()
  const oneByOne = yield* Semaphore.make(1)

  const grant = Effect.fnUntraced(function* (principal: PrincipalName, client: Client) {
    const origin = originOf(profile, { to: principal === "secondTenant.admin" ? "second tenant" : "tenant" })
    const form = {
      grant_type: "client_credentials",
      client_id: reveal(secrets, client.clientId),
      client_secret: reveal(secrets, client.clientSecret)
    }
    const call = ready({ method: "POST", path: tokenPath, as: null, form }, origin ?? "", undefined)
    const exchange = yield* send(tokensWalk, 0, { ...call, isOwed: true }) // cleaning up may take a new one
    const token = tokenIn(exchange, yield* Clock.currentTimeMillis)
    if (typeof token === "string") {
      return yield* new Blocked({ reason: `no token for ${principal}: ${token}`, exchanges: [exchange.number] })
    }
    yield* learnt(principal, token.token)
    tokens.set(principal, token)
    return token.token
  })

  const renewed = Effect.fnUntraced(function* (principal: PrincipalName, client: Client) {
    const known = tokens.get(principal)
    return known !== undefined && (yield* Clock.currentTimeMillis) < known.renewAt
      ? known.token
      : yield* grant(principal, client)
  })

  return (principal: PrincipalName): Effect.Effect<string | undefined, Blocked> => {
    const credentials = credentialsOf(profile, principal)
    if (credentials === undefined) return Effect.succeed(undefined)
    if ("token" in credentials) return held(principal, reveal(secrets, credentials.token))
    return oneByOne.withPermits(1)(renewed(principal, credentials.oauth))
  }
})

export type BearerOf = Effect.Success<ReturnType<typeof make>>
