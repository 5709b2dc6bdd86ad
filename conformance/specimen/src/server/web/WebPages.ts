import type { Answer, Request } from "../Call.ts"
import type { Place } from "../Place.ts"
import { type Fields, isFields, random, type Tenant, type World } from "../World.ts"
import { flawOf, requestUrl } from "./Saml.ts"
import { isCode } from "./Totp.ts"

// The web application, as far as people log in to it.

type At = (point: string, more?: Place) => boolean

const json = (status: number, body: Fields): Answer => ({
  status,
  headers: { "content-type": "application/json", "cache-control": "no-store" },
  body: JSON.stringify(body)
})

const goTo = (location: string, headers: Answer["headers"] = {}): Answer => ({
  status: 303,
  headers: { ...headers, location },
  body: ""
})

const fieldsOf = ({ body }: Request): Fields => {
  try {
    const read: unknown = JSON.parse(body)
    return isFields(read) ? read : {}
  } catch {
    return {}
  }
}

const added = (ids: Set<string>): string => {
  const id = `n${random(16)}`
  ids.add(id)
  return id
}

/** The cookie of a new session. */
const cookie = ({ web }: World): Answer["headers"] => ({
  "set-cookie": `sid=${added(web.sessions)}; Path=/; Secure; HttpOnly; SameSite=Lax`
})

const withPassword = (world: World, request: Request, at: At): Answer => {
  const { email, password } = fieldsOf(request)
  const isRight = email === world.web.email && password === world.web.password
  if (!isRight) return json(403, { problem: "Wrong email or password." })
  const ticket = added(world.web.tickets)
  if (!at("a password alone logs in")) return json(200, { ticket })
  return { ...json(200, { ticket }), headers: { "content-type": "application/json", ...cookie(world) } }
}

const withCode = (world: World, request: Request, at: At): Answer => {
  const { code, ticket } = fieldsOf(request)
  const { key, tickets } = world.web
  const text = String(code)
  const isRight =
    (at("any six digits are a code") && /^\d{6}$/.test(text)) ||
    (at("a code lasts two hours") && isCode(key, text, { past: 240 })) ||
    isCode(key, text, at("codes change every minute") ? { seconds: 60 } : {})
  if (!isRight || !tickets.delete(String(ticket))) return json(403, { problem: "Wrong code." })
  return { status: 204, headers: cookie(world), body: "" }
}

const askProvider = (world: World, { url }: Request, at: At): Answer => {
  const page = { status: 200, headers: { "content-type": "text/html" }, body: "<p>Log in elsewhere.</p>" }
  return at("a SAML login sends no request") ? page : goTo(requestUrl(url.origin, added(world.web.asked), at))
}

const fromProvider = (world: World, { body, url }: Request, at: At): Answer => {
  const form = new URLSearchParams(body)
  const { asked, email } = world.web
  const isAsked = (id: string) => asked.delete(id) && form.get("RelayState") === id
  const flaw = flawOf(form.get("SAMLResponse") ?? "", { origin: url.origin, isAsked, email })
  const isIn = flaw === undefined ? !at("a SAML response logs nobody in") : at("a SAML response is taken", { flaw })
  return isIn ? goTo("/account", cookie(world)) : json(403, { problem: "The login failed." })
}

const account = ({ web }: World, { headers }: Request): Answer => {
  const [, id = ""] = /(?:^|; )sid=([^;]+)/.exec(headers["cookie"] ?? "") ?? []
  return web.sessions.has(id) ? json(200, { email: web.email }) : json(401, { problem: "Log in." })
}

const pages: Readonly<Record<string, (world: World, request: Request, at: At) => Answer>> = {
  "POST /session": withPassword,
  "POST /session/code": withCode,
  "GET /session/saml": askProvider,
  "POST /session/saml/answer": fromProvider,
  "GET /account": account
}

/** The answer of the web application of the first tenant; undefined for an unknown page. */
export const webPage = (world: World, tenant: Tenant, request: Request): Answer | undefined => {
  const endpoint = `${request.method} ${request.url.pathname}`
  const isHere = tenant.name === "first" && request.url.protocol === "https:"
  return isHere
    ? pages[endpoint]?.(world, request, (point, more = {}) => world.hit(point, { surface: "web", endpoint, ...more }))
    : undefined
}
