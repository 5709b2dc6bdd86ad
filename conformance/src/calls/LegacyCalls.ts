import { Effect } from "effect"
import * as Expect from "../judgement/Expect.ts"
import { block, control } from "../judgement/Judge.ts"
import { type Call, Session } from "../judgement/Session.ts"
import { basicOf as basicHeaderOf } from "../profile/ClientForms.ts"
import type { Login } from "../profile/LegacySurface.ts"
import { limitsOf } from "../profile/Limits.ts"
import { fill } from "../profile/Template.ts"
import { isObject, type Json } from "../text/Json.ts"
import { type Exchange, shapeIn, statusOf } from "../wire/Exchange.ts"

/** An `Authorization` header; null sends none. */
export type Caller = { readonly authorization: string } | null

/** A call of the legacy surface (§4.1). */
export const call = Effect.fnUntraced(function* (
  method: string,
  path: string,
  as: Caller,
  more: Pick<Call, "json" | "to"> = {}
) {
  const { send } = yield* Session
  return yield* send({ surface: "legacy", method, path, as, ...more })
})

/** `GET users/me`. */
export const readMe = (as: Caller, more: Pick<Call, "to"> = {}) => call("GET", "/users/me", as, more)

/** `GET organizations/me`. */
export const readOrganization = (as: Caller, more: Pick<Call, "to"> = {}) => call("GET", "/organizations/me", as, more)

/** `GET constituents`. */
export const readConstituents = (as: Caller, more: Pick<Call, "to"> = {}) => call("GET", "/constituents", as, more)

/** `POST scan`: the profile's scan under a new name, or an empty body. */
export const scan = Effect.fnUntraced(function* (
  as: Caller,
  more: Readonly<Record<string, Json>> = {},
  to: Pick<Call, "to"> = {}
) {
  const { profile, unique } = yield* Session
  const template = profile.legacy?.scan
  const name = yield* unique
  const body = template === undefined ? {} : fill(template, { unique: name, name: `Conformance ${name}` })
  return yield* call("POST", "/scan", as, { json: isObject(body) ? { ...body, ...more } : body, ...to })
})

/** The handles of the name and password of a login. */
export const revealed = Effect.fnUntraced(function* ({ password, username }: Login) {
  const { reveal } = yield* Session
  return { username: reveal(username), password: reveal(password) }
})

/** The Basic header of §5.1. */
export const basicOf = ({ password, username }: Login): Exclude<Caller, null> => ({
  authorization: basicHeaderOf(username, password)
})

export const bearerOf = (token: string): Exclude<Caller, null> => ({ authorization: `Bearer ${token}` })

/** The path at which a user obtains tokens. */
export const tokenPathOf = (id: number): string => `/users/${id}/token`

/** The id that an answer of `users/me` shows; undefined if it is not an integer. */
export const idIn = (exchange: Exchange): number | undefined => {
  const id = Expect.valueAt(exchange, "id")
  return typeof id === "number" && Number.isInteger(id) ? id : undefined
}

/** The token in an answer; undefined if a header cannot carry it. */
export const tokenIn = (exchange: Exchange): string | undefined => {
  const token = Expect.valueAt(exchange, "token")
  return typeof token === "string" && shapeIn(exchange, token).isSendable ? token : undefined
}

/** The profile's legacy user, with all permissions. Blocks the walk if the profile has none. */
export const requireUser = Effect.fnUntraced(function* () {
  const { profile } = yield* Session
  const user = profile.legacy?.user
  return yield* user === undefined ? block("the profile has no legacy user") : revealed(user)
})

/** Reads `users/me` by name and password and returns the id. Blocks the walk if the answer has no id. */
export const introduce = Effect.fnUntraced(function* (login: Login, more: Pick<Call, "to"> = {}) {
  const basic = basicOf(login)
  const me = yield* control(readMe(basic, more))
  const id = idIn(me.exchange)
  if (id === undefined) return yield* block("prerequisite failed: users/me shows no integer id", me.exchange)
  return { basic, me, id }
})

/** Obtains a token as in §5.1; blocks the walk if none is granted. */
export const logIn = Effect.fnUntraced(function* (login: Login, more: Pick<Call, "to"> = {}) {
  const { basic, id, me } = yield* introduce(login, more)
  const issued = yield* control(call("POST", tokenPathOf(id), basic, more))
  const token = tokenIn(issued.exchange)
  if (token === undefined) return yield* block("prerequisite failed: the token path gives no token", issued.exchange)
  return { basic, id, me, issued, token, bearer: bearerOf(token) }
})

/**
 * Logs the profile's user in: once for all walks. A walk that obtains a token of this user itself must come before
 * these, because a new token may end the earlier ones (LEG-24).
 */
export const logInUser = Effect.fnUntraced(function* () {
  const { profile, share } = yield* Session
  const { secondsInAll, secondsToWait } = limitsOf(profile)
  const user = yield* requireUser()
  const login = yield* share("legacy-login", logIn(user))
  const [iat, exp] = ["iat", "exp"].map((name) => Expect.valueAt(login.issued.exchange, name))
  // another token could expire before the last walk
  const isLong = typeof iat === "number" && typeof exp === "number" && exp - iat > secondsInAll + secondsToWait
  return isLong ? login : yield* logIn(user)
})

/** Reads the user with the token of the log-in, as the control of refusals. Walks share it. */
export const readMine = (bearer: Parameters<typeof readMe>[0]) =>
  Effect.flatMap(Session, ({ share }) => share("legacy-read", readMe(bearer)))

/** The one 401 of §5.1 and §7.3. */
export const unauthorized = (exchange: Exchange): Expect.Met => {
  const wrong = Expect.status(exchange, 401)
  return wrong.length > 0
    ? wrong
    : [
        ...Expect.value(exchange, "status", 401),
        ...Expect.type(exchange, "message", "string"),
        ...Expect.value(exchange, "field", "authentication")
      ]
}

/** The body has fields of these types. `within` is the dotted path of their parent object, with a trailing dot. */
export const fields = (
  exchange: Exchange,
  types: Readonly<Record<string, Parameters<typeof Expect.type>[2]>>,
  within = ""
): Expect.Met => Object.entries(types).flatMap(([name, type]) => Expect.type(exchange, `${within}${name}`, type))

/** None of these statuses; `5xx` stands for all from 500 to 599. */
export const isNone = (exchange: Exchange, ...refused: ReadonlyArray<string>): Expect.Met => {
  const status = String(statusOf(exchange))
  const isMeant = (one: string) => (one.endsWith("xx") ? one[0] === status[0] : one === status)
  return refused.some(isMeant)
    ? Expect.difference(exchange, "status", "status", `any but ${refused.join(", ")}`, statusOf(exchange))
    : Expect.answered(exchange)
}

/**
 * Refused with one of these statuses. Without a scan body in the profile, a scan may be refused for its empty body
 * first, so any refusal counts.
 */
export const refusedAs = Effect.fnUntraced(function* (exchange: Exchange, ...allowed: ReadonlyArray<number>) {
  const { profile } = yield* Session
  const isScan = new URL(exchange.request.url).pathname.endsWith("/scan")
  return isScan && profile.legacy?.scan === undefined ? isNone(exchange, "2xx") : Expect.status(exchange, ...allowed)
})

/** The names of the body's fields, for observations. */
export const keysOf = ({ answer }: Exchange): Json =>
  isObject(answer?.json) ? Object.keys(answer.json).toSorted() : answer?.json === undefined ? "no JSON" : "no object"

/** The keys of error bodies by status, which SIL-18 records. */
export const errorKeys = (exchanges: ReadonlyArray<Exchange>): Json =>
  Object.fromEntries(
    exchanges
      .filter((exchange) => statusOf(exchange) >= 400 && statusOf(exchange) !== 401)
      .map((exchange) => [String(statusOf(exchange)), keysOf(exchange)])
  )
