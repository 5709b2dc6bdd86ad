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

/** What an OAuth client shows for itself. */
export interface ClientPair {
  readonly id: string
  readonly secret: string
}

/** A principal of the profile whose tokens come from OAuth; undefined where there is none. */
export const oauthPrincipal = ({ principals }: Profile): "admin" | "secondClient" | undefined =>
  "oauth" in principals.admin ? "admin" : principals.secondClient === undefined ? undefined : "secondClient"

/**
 * A client that is good, best not the one that the run itself gets its tokens with: where a new token ends an earlier
 * one (OAU-19), nothing else is to suffer. Undefined where the profile has none.
 */
export const goodClient = ({ principals: { admin, secondClient } }: Profile): Client | undefined =>
  secondClient ?? ("oauth" in admin ? admin.oauth : undefined)

/** A client's id and secret themselves. */
export const revealed = Effect.fnUntraced(function* ({ clientId, clientSecret }: Client) {
  const { reveal } = yield* Session
  const pair: ClientPair = { id: reveal(clientId), secret: reveal(clientSecret) }
  return pair
})

/** The good client of the profile; blocks the walk where there is none. */
export const requireClient = Effect.fnUntraced(function* () {
  const { profile } = yield* Session
  const client = goodClient(profile)
  return yield* client === undefined ? block("the profile has no OAuth client") : revealed(client)
})

/** The body that §4.2 asks for. */
export const clientForm = ({ id, secret }: ClientPair) => ({
  grant_type: "client_credentials",
  client_id: id,
  client_secret: secret
})

/** The body where the client stands in the header. */
export const bareForm = { grant_type: "client_credentials" }

const formEncoded = (text: string): string => new URLSearchParams({ "": text }).toString().slice(1)

const basicOf = (id: string, secret: string): string => `Basic ${Base64.encode(`${id}:${secret}`)}`

/**
 * The `Authorization` headers that say an id and a secret. RFC 6749, section 2.3.1, has both form-encoded before they
 * are joined, and much software joins them as they are: two readings, where the characters make a difference.
 */
export const basicHeaders = ({ id, secret }: ClientPair): readonly [string, ...ReadonlyArray<string>] => {
  const asRead = basicOf(formEncoded(id), formEncoded(secret))
  const asIs = basicOf(id, secret)
  return asRead === asIs ? [asIs] : [asRead, asIs]
}

/** A wrong secret for a client: its own but for the last character, so that a comparison that ends early is seen. */
export const wrongSecret = ({ id, secret }: ClientPair): ClientPair => ({
  id,
  secret: `${secret.slice(0, -1)}${secret.endsWith("x") ? "y" : "x"}`
})

/** A request to the token endpoint, with or without an `Authorization` header. */
export const askGrant = Effect.fnUntraced(function* (
  form: Readonly<Record<string, string>>,
  authorization?: string,
  to?: Call["to"]
) {
  const { send } = yield* Session
  const as = authorization === undefined ? null : { authorization }
  return yield* send({ method: "POST", path: "/oauth/token", as, form, to })
})

/** A grant that carries a token: a refusal is only worth something beside a grant that was made. */
export const goodGrant = Effect.fnUntraced(function* <E, R>(ask: Effect.Effect<Exchange, E, R>) {
  const good: Control = yield* control(ask)
  if (tokenIn(good.exchange) !== undefined) return good
  return yield* block("prerequisite failed: the token endpoint grants no token", good.exchange)
})

/** A grant that is refused must grant nothing either. */
export const grantsNothing = (exchange: Exchange): Expect.Met =>
  Expect.valueAt(exchange, "access_token") === undefined ? [] : Expect.absent(exchange, "access_token")

/** The same client in the header, by the first reading of Basic that is accepted, else by the last. */
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

/** The token that an answer grants; undefined where it grants none. */
export const tokenIn = (exchange: Exchange): string | undefined => {
  const token = Expect.valueAt(exchange, "access_token")
  return exchange.answer?.status === 200 && typeof token === "string" && sendable.test(token) ? token : undefined
}

/** The answer grants a token. */
export const granted = (exchange: Exchange): Expect.Met => {
  const status = Expect.status(exchange, 200)
  return status.length > 0
    ? status
    : Expect.matches(exchange, "access_token", sendable, "a token that a header carries")
}

/** The answer is an error of the token endpoint (§7.2). */
export const refusedWith = (exchange: Exchange, status: number, error: string): Expect.Met => {
  const wrong = Expect.status(exchange, status)
  return wrong.length > 0 ? wrong : Expect.value(exchange, "error", error)
}

/** The request that grants a token to the good client, where there is one: what refusals are held against. */
export const orAuthorizedRead = Effect.fnUntraced(function* (): Effect.fn.Return<Exchange, Blocked, Session> {
  const { profile } = yield* Session
  const client = goodClient(profile)
  return yield* client === undefined ? readWorkers() : askGrant(clientForm(yield* revealed(client)))
})
