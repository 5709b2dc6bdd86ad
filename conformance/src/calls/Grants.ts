import { Effect } from "effect"
import type { Blocked } from "../judgement/Blocked.ts"
import * as Expect from "../judgement/Expect.ts"
import { block, type Control, control } from "../judgement/Judge.ts"
import { type Call, Session } from "../judgement/Session.ts"
import { bareForm, basicHeaders, type ClientPair, clientForm } from "../profile/ClientForms.ts"
import { goodClient } from "../profile/Principals.ts"
import type { Client } from "../profile/Profile.ts"
import { type Exchange, shapeIn } from "../wire/Exchange.ts"
import { swapped } from "../wire/Jwt.ts"
import { readWorkers } from "./Lookup.ts"

/** Returns the handles of a client's id and secret. */
export const revealed = Effect.fnUntraced(function* ({ clientId, clientSecret }: Client) {
  const { reveal, shapeOf } = yield* Session
  const [id, secret] = [reveal(clientId), reveal(clientSecret)]
  const pair: ClientPair = { id, secret, isPlain: shapeOf(id).isPlain && shapeOf(secret).isPlain }
  return pair
})

/** Returns a valid client of the profile. Blocks the walk if there is none. */
export const requireClient = Effect.fnUntraced(function* () {
  const { profile } = yield* Session
  const client = goodClient(profile)
  return yield* client === undefined ? block("the profile has no OAuth client") : revealed(client)
})

/** Returns another text. It differs only in the last character, so that a comparison that stops early is found. */
export const otherEnding = (text: string): string => `${text.slice(0, -1)}${text.endsWith("x") ? "y" : "x"}`

/** Returns a wrong secret. */
export const wrong = Effect.fnUntraced(function* (secret: string) {
  const { derive } = yield* Session
  const [other = ""] = yield* derive("another", secret, (text) => [otherEnding(text)])
  return other
})

/** Returns the client with a wrong secret. */
export const wrongSecret = (client: ClientPair) =>
  Effect.map(wrong(client.secret), (secret): ClientPair => ({ ...client, secret }))

/** Returns texts that resemble a secret: longer, shorter, and in the other letter case. */
export const neighboursOf = Effect.fnUntraced(function* (secret: string) {
  const { derive } = yield* Session
  return yield* derive("neighbour", secret, (text) =>
    [`${text}x`, text.slice(0, -1), swapped(text)].filter((one) => one !== text && one !== "")
  )
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

/** A successful grant, and how the client was named in its request: in the body, or in a Basic header. */
export interface Grant {
  readonly good: Control
  /** Sends another form, with the client named in the same way. */
  readonly ask: (form: Readonly<Record<string, string>>) => ReturnType<typeof askGrant>
  readonly isByBody: boolean
}

/**
 * Requests a token with the client in the body, else in a Basic header. A deployment that breaks OAU-01 is then still
 * judged by the other rules. Blocks the walk if no token is granted.
 */
export const newGrantTo = Effect.fnUntraced(function* (client: ClientPair) {
  const { grant_type: _, ...named } = clientForm(client)
  const inBody = yield* askGrant(clientForm(client))
  if (tokenIn(inBody) !== undefined) {
    const grant: Grant = {
      good: yield* control(Effect.succeed(inBody)),
      ask: (form) => askGrant({ ...form, ...named }),
      isByBody: true
    }
    return grant
  }
  const { exchange, header } = yield* askByBasic(client)
  if (tokenIn(exchange) === undefined) yield* goodGrant(Effect.succeed(inBody))
  const grant: Grant = {
    good: yield* goodGrant(Effect.succeed(exchange)),
    ask: (form) => askGrant(form, header),
    isByBody: false
  }
  return grant
})

/** Like `newGrantTo`, as the control of refusals: walks share the token request. */
export const grantTo = (client: ClientPair): Effect.Effect<Grant, Blocked, Session> =>
  Effect.flatMap(Session, ({ share }) => share(`grant-to-${client.id}`, newGrantTo(client)))

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
  return exchange.answer?.status === 200 && typeof token === "string" && shapeIn(exchange, token).isSendable
    ? token
    : undefined
}

/** Expects a response with a token. */
export const granted = (exchange: Exchange): Expect.Met => {
  const status = Expect.status(exchange, 200)
  return status.length > 0
    ? status
    : Expect.shaped(exchange, "access_token", ({ isSendable }) => isSendable, "a token that a header carries")
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
  return client === undefined ? yield* readWorkers() : (yield* grantTo(yield* revealed(client))).good.exchange
})
