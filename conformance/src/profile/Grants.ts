import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import type { Blocked } from "../engine/Blocked.ts"
import * as Expect from "../engine/Expect.ts"
import { block, type Control, control } from "../engine/Judge.ts"
import { readWorkers } from "../engine/Lookup.ts"
import { type Call, Session } from "../engine/Session.ts"
import { sendable } from "../wire/Bearers.ts"
import type { Exchange } from "../wire/Exchange.ts"
import type { Client, Profile } from "./Profile.ts"

/** The id and secret of an OAuth client. */
export interface ClientPair {
  readonly id: string
  readonly secret: string
}

/** Returns a principal with OAuth tokens, or undefined. */
export const oauthPrincipal = ({ principals }: Profile): "admin" | "secondClient" | undefined =>
  "oauth" in principals.admin ? "admin" : principals.secondClient === undefined ? undefined : "secondClient"

/**
 * Returns a valid client, preferably not the run's own: a new token may end an earlier one (OAU-19). Returns undefined
 * if the profile has none.
 */
export const goodClient = ({ principals: { admin, secondClient } }: Profile): Client | undefined =>
  secondClient ?? ("oauth" in admin ? admin.oauth : undefined)

/** Returns a client's id and secret in plain text. */
export const revealed = Effect.fnUntraced(function* ({ clientId, clientSecret }: Client) {
  const { reveal } = yield* Session
  const pair: ClientPair = { id: reveal(clientId), secret: reveal(clientSecret) }
  return pair
})

/** Returns a valid client of the profile. Blocks the walk if there is none. */
export const requireClient = Effect.fnUntraced(function* () {
  const { profile } = yield* Session
  const client = goodClient(profile)
  return yield* client === undefined ? block("the profile has no OAuth client") : revealed(client)
})

/** The form body of §4.2. */
export const clientForm = ({ id, secret }: ClientPair) => ({
  grant_type: "client_credentials",
  client_id: id,
  client_secret: secret
})

/** The form body if a Basic header names the client. */
export const bareForm = { grant_type: "client_credentials" }

const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

const basicOf = (id: string, secret: string): string => `Basic ${Base64.encode(`${id}:${secret}`)}`

/**
 * Returns the Basic headers for an id and a secret. RFC 6749, section 2.3.1, form-encodes both before joining them, and
 * much software does not. There are two headers if the results differ.
 */
export const basicHeaders = ({ id, secret }: ClientPair): readonly [string, ...ReadonlyArray<string>] => {
  const asRead = basicOf(formEncoded(id), formEncoded(secret))
  const asIs = basicOf(id, secret)
  return asRead === asIs ? [asIs] : [asRead, asIs]
}

/** Returns a wrong secret. It differs only in the last character, so that a comparison that stops early is found. */
export const wrongSecret = ({ id, secret }: ClientPair): ClientPair => ({
  id,
  secret: `${secret.slice(0, -1)}${secret.endsWith("x") ? "y" : "x"}`
})

/** Sends a request to the token endpoint, with or without an `Authorization` header. */
export const askGrant = Effect.fnUntraced(function* (
  form: Readonly<Record<string, string>>,
  authorization?: string,
  to?: Call["to"]
) {
  const { send } = yield* Session
  const as = authorization === undefined ? null : { authorization }
  return yield* send({ method: "POST", path: "/oauth/token", as, form, to })
})

/** Returns a successful grant as the control for refusals. Blocks the walk if no token is granted. */
export const goodGrant = Effect.fnUntraced(function* <E, R>(ask: Effect.Effect<Exchange, E, R>) {
  const good: Control = yield* control(ask)
  if (tokenIn(good.exchange) !== undefined) return good
  return yield* block("prerequisite failed: the token endpoint grants no token", good.exchange)
})

/** A refused request must not contain a token. */
export const grantsNothing = (exchange: Exchange): Expect.Met =>
  Expect.valueAt(exchange, "access_token") === undefined ? [] : Expect.absent(exchange, "access_token")

/** Requests a token by Basic with the first encoding that is accepted, else with the last. */
export const askByBasic = Effect.fnUntraced(function* (client: ClientPair) {
  const [first, ...others] = basicHeaders(client)
  let header = first
  let exchange = yield* askGrant(bareForm, header)
  for (const other of others) {
    if (tokenIn(exchange) !== undefined) break
    header = other
    exchange = yield* askGrant(bareForm, header)
  }
  return { header, exchange }
})

/** Returns the token in a response, or undefined. */
export const tokenIn = (exchange: Exchange): string | undefined => {
  const token = Expect.valueAt(exchange, "access_token")
  return exchange.answer?.status === 200 && typeof token === "string" && sendable.test(token) ? token : undefined
}

/** Expects a response with a token. */
export const granted = (exchange: Exchange): Expect.Met => {
  const status = Expect.status(exchange, 200)
  return status.length > 0
    ? status
    : Expect.matches(exchange, "access_token", sendable, "a token that a header carries")
}

/** Expects an error of the token endpoint (§7.2). */
export const refusedWith = (exchange: Exchange, status: number, error: string): Expect.Met => {
  const wrong = Expect.status(exchange, status)
  return wrong.length > 0 ? wrong : Expect.value(exchange, "error", error)
}

/** Returns the control for refusals: a token request of a valid client, or a read if there is none. */
export const orAuthorizedRead = Effect.fnUntraced(function* (): Effect.fn.Return<Exchange, Blocked, Session> {
  const { profile } = yield* Session
  const client = goodClient(profile)
  return yield* client === undefined ? readWorkers() : askGrant(clientForm(yield* revealed(client)))
})
