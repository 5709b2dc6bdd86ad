import { randomUUID } from "node:crypto"
import type { Answer, Request } from "./Call.ts"
import * as Jwt from "./Jwt.ts"
import { oddnessOf } from "./Odd.ts"
import type { Place } from "./Place.ts"
import { type Fields, isFields, type User, type World } from "./World.ts"

type At = (point: string, more?: Place) => boolean

/** Seconds. */
const lifetimeOf = ({ chosen }: World): number => chosen("lifetime of legacy tokens", 30 * 24 * 3600)

const json = (status: number, body: unknown, headers: Answer["headers"] = {}): Answer => ({
  status,
  headers: { "content-type": "application/json", date: new Date().toUTCString(), ...headers },
  body: JSON.stringify(body)
})

const refused = (status: number, message: string): Answer => json(status, { message, status })

const unauthorized = (cause: string, at: At): Answer => {
  const hit = (point: string) => at(point, { cause })
  const body: Fields = { field: "authentication", message: "Log in first.", status: 401 }
  if (hit("no field")) delete body["field"]
  if (hit("another field")) body["field"] = "token"
  if (hit("no message")) delete body["message"]
  if (hit("no status in the body")) delete body["status"]
  if (hit("status is a text")) body["status"] = "401"
  if (hit("a 401 is 403")) return json(403, body)
  if (hit("a 401 in the envelope")) return json(401, { error: { code: "UNAUTHORIZED", message: "", requestId: "-" } })
  if (hit("a 401 is text")) return { status: 401, headers: { "content-type": "text/plain" }, body: "Log in first." }
  return json(401, body)
}

/** Issues a token of a user. */
export const issueLegacy = (world: World, user: User, label: string, seconds: number, isRevoked = false) => {
  const iat = Math.floor(Date.now() / 1000)
  const exp = iat + seconds
  const token = Jwt.sign({ exp, iat, sub: user.id, jti: randomUUID() }, world.key)
  world.issued.add(token.split(".")[1] ?? "")
  world.legacyTokens.set(token, { user, label, expiresAt: exp, isRevoked })
  return { token, iat, exp }
}

interface Caller {
  readonly user: User
  readonly scheme: "Basic" | "Bearer"
}

const byPassword = (world: World, encoded: string, at: At): Caller | string => {
  const [email = "", ...rest] = Buffer.from(encoded, "base64").toString().split(":")
  const password = rest.join(":")
  const user = world.users.find((one) => one.email.toLowerCase() === email.toLowerCase())
  if (user === undefined) return "unknown user"
  const near =
    password === ""
      ? "empty"
      : password.toLowerCase() === user.password.toLowerCase()
        ? "another case"
        : user.password.startsWith(password)
          ? "shorter"
          : password.startsWith(user.password)
            ? "longer"
            : "another"
  if (password !== user.password && !at("a wrong password is accepted", { near, user: user.label })) return "password"
  return at("a right password is refused", { user: user.label }) ? "right password" : { user, scheme: "Basic" }
}

const byToken = (world: World, secret: string, at: At): Caller | string => {
  const token = world.legacyTokens.get(secret)
  const [first] = world.users
  if (token === undefined) {
    const newer = world.tenants.some(({ tokens }) => tokens.has(secret))
    const flaw = newer
      ? "token of the newer surface"
      : (Jwt.flawOf(secret, world.key, (one) => world.issued.has(one)) ?? "unknown")
    const part = Jwt.changedPart(secret, world.key, (one) => world.issued.has(one))
    return first !== undefined && at("an invalid token is accepted", { flaw, part })
      ? { user: first, scheme: "Bearer" }
      : flaw
  }
  const caller: Caller = { user: token.user, scheme: "Bearer" }
  if (token.isRevoked) return at("a revoked token is accepted") ? caller : "revoked"
  if (token.expiresAt <= Date.now() / 1000) return at("an expired token is accepted") ? caller : "expired"
  return at("a valid token is refused", { user: token.user.label }) ? "valid" : caller
}

const callerOf = (world: World, { headers, url }: Request, at: At): Caller | string => {
  const header = headers["authorization"]
  const [first] = world.users
  const inQuery = world.legacyTokens.get(url.searchParams.get("token") ?? "")
  if (header === undefined && inQuery !== undefined && at("a token in the query is accepted"))
    return { user: inQuery.user, scheme: "Bearer" }
  if (header === undefined)
    return first !== undefined && at("no credentials are accepted") ? { user: first, scheme: "Bearer" } : "none"
  const [, scheme = "", secret = ""] = /^(\S+) +(\S*)$/.exec(header) ?? []
  if (scheme.toLowerCase() === "basic") return byPassword(world, secret, at)
  return scheme.toLowerCase() === "bearer" ? byToken(world, secret, at) : "scheme"
}

const organization = (user: User): Fields => ({
  is_active: true,
  abn: `5100000000${user.organization % 10}`,
  name: `Organization ${user.organization}`,
  id: user.organization
})

const without = (body: Fields, at: At, place: Place): Fields => {
  const told = { ...body }
  for (const name of Object.keys(body)) {
    if (at("a field is missing", { ...place, name })) delete told[name]
    if (at("a field has another type", { ...place, name }))
      told[name] = typeof body[name] === "number" ? `${body[name]}` : 7
  }
  return told
}

const me = ({ scheme, user }: Caller, at: At): Answer => {
  const place = { scheme, user: user.label }
  const { abn, id, is_active, name } = organization(user)
  const isWhole = scheme === "Bearer" || at("Basic shows the whole organization", place)
  const inner = isWhole ? { is_active, abn, name, id } : { name, id }
  const told = without(inner, at, { ...place, of: "organization" })
  const body: Fields = {
    organization: at("the organization is a list", place) ? [inner] : told,
    surname: "Example",
    first_name: "Ann",
    email: at("another email", place) ? `x${user.email}` : user.email,
    id: user.id
  }
  return json(
    200,
    without({ ...body, ...(scheme === "Bearer" ? { is_verified: user.isVerified } : {}) }, at, { ...place, of: "user" })
  )
}

const exchange = (world: World, { scheme, user }: Caller, id: string, at: At): Answer => {
  const place = { user: user.label, again: world.kept.has(`exchanged ${user.id}`) ? "again" : "first" }
  const way = scheme === "Basic" ? "accepted" : world.chosen("Bearer on the token path", "403")
  if (way !== "accepted") return refused(Number(way), "Use Basic.")
  if (String(user.id) !== id) {
    const isOther = world.users.some((one) => String(one.id) === id)
    if (!at("a wrong user id is accepted", { whose: isOther ? "another user" : "nobody" }))
      return refused(404, "No such user.")
  }
  world.kept.set(`exchanged ${user.id}`, "")
  if (world.chosen("legacy tokens of a user", "many") === "one") {
    for (const one of world.legacyTokens.values()) if (one.user === user) one.isRevoked = true
  }
  const usual = at("a token lasts one hour", place) ? 3600 : lifetimeOf(world)
  const seconds = at("exp is before iat", place) ? -60 : usual
  const { exp, iat, token } = issueLegacy(world, user, user.label, seconds)
  const factor = at("times are milliseconds", place) ? 1000 : 1
  const sent = at("the token has two parts", place) ? token.split(".").slice(0, 2).join(".") : token
  const told = iat + (at("iat is a minute late", place) ? 60 : 0)
  return json(200, without({ exp: exp * factor, iat: told * factor, token: sent }, at, place))
}

const scan = ({ user }: Caller, { body }: Request, at: At): Answer => {
  let read: unknown
  try {
    read = JSON.parse(body)
  } catch {
    return refused(400, "The body is no JSON.")
  }
  const names = ["type", "identifier", "first_name", "surname"]
  if (!isFields(read) || names.some((name) => typeof read[name] !== "string" || read[name] === "")) {
    return refused(400, "The scan lacks a field.")
  }
  if (at("a scan is refused", { user: user.label, odd: oddnessOf(String(read["identifier"])) }))
    return refused(422, "Refused.")
  return json(201, { scan: randomUUID(), outcome: "PENDING" })
}

const organizationOf = (user: User, id: string, at: At): Answer => {
  if (String(user.organization) === id) return json(200, organization(user))
  const place = { user: user.label }
  if (at("another organization is shown", place)) return json(200, { ...organization(user), id: Number(id) })
  return at("another organization is 404", place) ? refused(404, "Unknown.") : refused(403, "Another organization.")
}

interface LegacyRoute {
  readonly method: string
  readonly path: RegExp
  readonly endpoint: string
  /** Whether Basic is accepted. */
  readonly basic?: true
  readonly answer: (world: World, caller: Caller, request: Request, id: string, at: At) => Answer
}

const routes: ReadonlyArray<LegacyRoute> = [
  {
    method: "GET",
    path: /^\/api\/users\/me$/,
    endpoint: "GET users/me",
    basic: true,
    answer: (_, caller, __, ___, at) => me(caller, at)
  },
  {
    method: "POST",
    path: /^\/api\/users\/([^/]+)\/token$/,
    endpoint: "POST users/{id}/token",
    basic: true,
    answer: (world, caller, _, id, at) => exchange(world, caller, id, at)
  },
  {
    method: "GET",
    path: /^\/api\/organizations\/me$/,
    endpoint: "GET organizations/me",
    answer: (_, { user }, __, ___, at) =>
      json(200, without(organization(user), at, { of: "organizations/me", user: user.label }))
  },
  {
    method: "GET",
    path: /^\/api\/organizations\/([^/]+)$/,
    endpoint: "GET organizations/{id}",
    answer: (_, { user }, __, id, at) => organizationOf(user, id, at)
  },
  {
    method: "POST",
    path: /^\/api\/scan$/,
    endpoint: "POST scan",
    answer: (_, caller, request, __, at) => scan(caller, request, at)
  },
  {
    method: "GET",
    path: /^\/api\/constituents$/,
    endpoint: "GET constituents",
    answer: () => json(200, { constituents: [{ name: "Eve Example" }] })
  }
]

const isBarred = ({ scheme, user }: Caller, route: LegacyRoute, at: At): boolean => {
  const place = { user: user.label }
  if (scheme === "Basic" && route.basic === undefined) return !at("Basic is accepted", place)
  if (route.basic !== undefined) return at("a permitted call is 403", place)
  if (!user.isVerified) return !at("an unverified account is accepted", place)
  const isForbidden = !user.mayRead && route.endpoint !== "GET organizations/me"
  return isForbidden ? !at("a permission is not checked", place) : at("a permitted call is 403", place)
}

/** The refusal of a request over plain HTTP, with the faults of a server that carries it out or passes it on. */
const overPlainHttp = (world: World, request: Request, hit: At, at: At): Answer => {
  const [, token = ""] = /^bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "") ?? []
  const isPassedOn = token !== "" && at("plain HTTP is redirected with the token")
  const location = `https://old.stranger.test/${isPassedOn ? `?token=${token}` : ""}`
  const refusal = { status: 301, headers: { location }, body: "" }
  const url = new URL(request.url.href.replace(/^http:/, "https:"))
  if (at("plain HTTP is refused with the data")) {
    const answer = legacy(world, { ...request, url }, hit)
    return answer.status < 300 ? { ...answer, status: 403 } : answer
  }
  return refusal
}

/** A refusal by a decision that the specification leaves open, before the caller is known. */
const refusedEarly = ({ chosen }: World, { body, headers }: Request, { endpoint }: LegacyRoute): Answer | undefined => {
  const [, encoded] = /^basic +(\S+)$/i.exec(headers["authorization"] ?? "") ?? []
  const hasNoPassword = encoded !== undefined && Buffer.from(encoded, "base64").toString().endsWith(":")
  if (hasNoPassword && chosen("a legacy login without a password", "401") === "400") return refused(400, "No password.")
  const isEmptyScan = endpoint === "POST scan" && body === "{}"
  return isEmptyScan && chosen("an empty scan", "401") === "400" ? refused(400, "No scan.") : undefined
}

/** A refusal by a decision that the specification leaves open. */
const refusedCaller = ({ chosen }: World, { scheme, user }: Caller, route: LegacyRoute, at: At): Answer | undefined => {
  const isOtherScheme = scheme === "Basic" && route.basic === undefined
  if (isOtherScheme && chosen("Basic on other legacy paths", "403") === "401") return unauthorized("scheme", at)
  const point =
    route.endpoint === "GET users/me" ? "an unverified user at users/me" : "an unverified user at the token path"
  const isOpen = route.basic !== undefined && !user.isVerified
  if (isOpen && chosen(point, "accepted") !== "accepted") return refused(403, "Verify the account.")
  const isHidden =
    route.endpoint === "GET constituents" && chosen("constituents", "for the organization") === "for nobody"
  return isHidden ? refused(403, "You may not.") : undefined
}

/** The legacy surface, below `/api`. */
export const legacy = (world: World, request: Request, hit: At): Answer => {
  const path = request.url.pathname
  const route = routes.find((one) => one.method === request.method && one.path.test(path))
  const token = routes.find((one) => one.path.test(path))
  const endpoint =
    route?.endpoint ?? (token === undefined ? "none" : `${request.method} ${token.endpoint.split(" ")[1]}`)
  const at: At = (point, more) => hit(point, { endpoint, ...more })
  if (request.url.protocol === "http:" && !at("plain HTTP is served")) return overPlainHttp(world, request, hit, at)
  if (route === undefined) {
    if (token?.endpoint === "POST users/{id}/token" && at("GET on the token path is 405"))
      return refused(405, "Use POST.")
    return refused(404, "Unknown path.")
  }
  if (at("the endpoint is missing")) return refused(404, "Unknown path.")
  const early = refusedEarly(world, request, route)
  if (early !== undefined) return early
  const caller = callerOf(world, request, at)
  if (typeof caller === "string") return unauthorized(caller, at)
  const open = refusedCaller(world, caller, route, at)
  if (open !== undefined) return open
  if (isBarred(caller, route, at)) {
    return at("a 403 is 404", { user: caller.user.label }) ? refused(404, "Unknown.") : refused(403, "You may not.")
  }
  const [, id = ""] = route.path.exec(path) ?? []
  const answer = route.answer(world, caller, request, id, at)
  return at("the body is no JSON") ? { ...answer, body: `)]}',${answer.body}` } : answer
}
