import { randomUUID } from "node:crypto"
import { type Answer, type Call, Refusal, type Request, refusalAs } from "./Call.ts"
import { failure, success, unauthorized } from "./Envelope.ts"
import { dressed, inFormOf401, nowhere, nowhereForAll } from "./shown/Responses.ts"
import { authenticate, authorize, count, limitHeaders, tooMany } from "./Guard.ts"
import { legacy } from "./Legacy.ts"
import { inLegacyForm } from "./shown/LegacyResponses.ts"
import { checkPrivileges } from "./Needs.ts"
import { routed } from "./shown/Paths.ts"
import type { Place } from "./Place.ts"
import { type Route, routeOf } from "./Routes.ts"
import { tokenEndpoint } from "./TokenEndpoint.ts"
import { type Fields, hosts, isFields, type Tenant, type World } from "./World.ts"

const root = "/openapi/v1"

/** The form of a request id that the caller sends. */
export const formOf = (id: string): string => {
  if (/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(id)) return "UUID"
  if (/^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$/.test(id)) return "UUID in capitals"
  if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/.test(id)) return "ULID"
  if (/^[0-7][0-9A-HJKMNP-TV-Z]{25}$/i.test(id)) return "ULID in lower case"
  if (/^[0-9a-fA-F-]{36}$/.test(id)) return "misplaced hyphens"
  if (/^\{.*\}$/.test(id)) return "braces"
  if (/^[0-9a-fA-F]{32}$/.test(id)) return "no hyphens"
  if (/^[0-9a-zA-Z]+$/.test(id)) {
    return id.length === 26
      ? "26 wrong letters"
      : id.length === 25
        ? "25 characters"
        : id.length === 27
          ? "27 characters"
          : "another word"
  }
  return "other text"
}

const isEchoed = (form: string): boolean => form.startsWith("UUID") || form.startsWith("ULID")

const echoOf = ({ headers }: Request, at: Call["at"]): Answer["headers"] => {
  const id = headers["x-request-id"]
  if (id === undefined) return {}
  const form = formOf(id)
  if (!isEchoed(form)) return at("a malformed request id is echoed", { form }) ? { "x-client-request-id": id } : {}
  if (at("a request id is not echoed", { form })) return {}
  return { "x-client-request-id": at("an echo is in lower case", { form }) ? `${id.toLowerCase()}-` : id }
}

const idFor = (world: World, { headers }: Request, at: Call["at"]): string => {
  const own = headers["x-request-id"]
  if (own !== undefined && at("the caller's request id is adopted", { form: formOf(own) })) return own
  const last = world.kept.get("request id")
  const id = last !== undefined && at("a request id is used again") ? last : randomUUID()
  world.kept.set("request id", id)
  return id
}

const typeFlaw = (call: Pick<Call, "at">, type: string | undefined): string | undefined => {
  if (type === undefined || /^application\/([\w.-]+\+)?json\b/i.test(type)) return undefined
  return /form-urlencoded/i.test(type) && call.at("a form is accepted") ? "form" : "refused"
}

const nested = (form: URLSearchParams): Fields => {
  const body: Fields = {}
  for (const [path, value] of form) {
    const parts = path.split(/[.[\]]+/).filter((part) => part !== "")
    let into = body
    for (const part of parts.slice(0, -1)) {
      const inner = isFields(into[part]) ? into[part] : {}
      into[part] = inner
      into = inner
    }
    into[parts.at(-1) ?? ""] = value
  }
  return body
}

/** Reads the JSON body of a call. */
const bodyOf = ({ chosen }: World, request: Request, at: Call["at"]): Fields => {
  const flaw = typeFlaw({ at }, request.headers["content-type"])
  if (flaw === "form") return nested(new URLSearchParams(request.body))
  if (flaw !== undefined && request.body !== "") {
    throw refusalAs(chosen("refusal of another media type", "415 MEDIA_TYPE"), "Send JSON.", "media type")
  }
  if (request.body === "") return {}
  let read: unknown
  try {
    read = JSON.parse(request.body)
  } catch {
    if (at("malformed JSON is an empty body")) return {}
    if (at("malformed JSON is 422")) throw new Refusal(422, "UNPROCESSABLE", "malformed", "The body is no JSON.")
    if (at("malformed JSON fails")) throw new Refusal(500, "PARSER", "malformed", "The body is no JSON.")
    throw new Refusal(400, "BAD_REQUEST", "malformed", "The body is no JSON.")
  }
  if (!isFields(read)) throw new Refusal(400, "BAD_REQUEST", "no object", "The body must be a JSON object.")
  return read
}

/** The echo of a request id in the letter case that the server has chosen. */
const inCase = ({ chosen }: World, echo: Answer["headers"]): Answer["headers"] => {
  const id = echo["x-client-request-id"]
  if (id === undefined || chosen("letter case of an echo", "as sent") === "as sent") return echo
  return { "x-client-request-id": id === id.toLowerCase() ? id.toUpperCase() : id.toLowerCase() }
}

/** The refusal of another tenant's token; undefined if the server answers as to an unknown one. */
const refusedTenant = (
  { chosen }: World,
  base: Answer["headers"],
  requestId: string,
  at: Call["at"]
): Answer | undefined => {
  const form = chosen("tokens of another tenant", "401")
  if (form === "401") return undefined
  if (form !== "421") return failure(refusalAs(form, "The request is refused.", "tenant"), base, requestId, at)
  return { status: 421, headers: { ...base, "content-type": "text/plain" }, body: "Misdirected request." }
}

/** Does the work that faults move before the check of the privilege. */
const beforeCheck = async (route: Route, call: Call): Promise<void> => {
  try {
    checkPrivileges(call, route)
    return
  } catch (refusal) {
    if (call.at("the body is checked before the privilege")) call.body()
    if (call.at("the call is made before the privilege is checked"))
      await Promise.resolve(route.answer(call)).catch(() => undefined)
    if (call.at("the resource is sought before the privilege is checked")) {
      const trial = { ...call, tenant: { ...call.tenant, resources: new Map(call.tenant.resources) } }
      await Promise.resolve(route.answer(trial)).catch((found: unknown) => {
        if (found instanceof Refusal && (found.status === 404 || found.reason === "id")) throw found
      })
    }
    throw refusal
  }
}

/** Stands for an unknown path, and for a method that a path does not have. */
const noRoute: Route = {
  endpoint: "none",
  method: "",
  path: /^$/,
  fixed: 0,
  type: "",
  operation: "READ",
  answer: () => ({ status: 404 })
}

interface Arrived {
  readonly world: World
  readonly tenant: Tenant
  readonly request: Request
  readonly route: Route
  readonly at: Call["at"]
  readonly details: Record<string, string>
}

const callOf = (arrived: Arrived, token: Call["token"], requestId: string, path: string): Call => {
  const { request, route } = arrived
  const params = (route.path.exec(path) ?? []).slice(1).map((part) => {
    try {
      return decodeURIComponent(part)
    } catch {
      return part
    }
  })
  return { ...arrived, params, token, account: token.account, requestId, body: () => bodyOf(arrived.world, request, arrived.at) }
}

const derived = (call: Call, route: Route): void => {
  const isExpanded =
    route.endpoint === "GET /workers/{id}" && call.request.url.searchParams.get("expand") === "credentials"
  if (isExpanded && call.world.chosen("expanded credentials without READ", "refused") === "refused")
    authorize(call.account, "credential", "READ", (point, more) => call.at(point, { ...more, derived: "yes" }))
}

const answerTo = async (arrived: Arrived, path: string, others: ReadonlyArray<Route>): Promise<Answer> => {
  const { details, request, route, tenant, world } = arrived
  const at = arrived.at
  const echo = inCase(world, echoOf(request, at))
  const requestId = idFor(world, request, at)
  const token = authenticate(world, tenant, request, at)
  if (typeof token === "string") {
    const { headers } = count(tenant.service)
    const base = { ...limitHeaders(headers, at, "401"), ...echo }
    const refused = token === "tenant" ? refusedTenant(world, base, requestId, at) : undefined
    return refused ?? inFormOf401(world, unauthorized(base, token, at))
  }
  details["caller"] = token.label
  details["kind"] = token.kind
  const key = `${request.method} ${request.url.href} ${token.id} ${request.body}`
  details["time"] = world.seen.has(key) ? "again" : "first"
  world.seen.add(key)
  const limit = count(token.account)
  const limited = (status: number) => ({ ...limitHeaders(limit.headers, at, String(status)), ...echo })
  try {
    if (limit.isOver && !at("the limit is not kept")) throw tooMany(limit.headers["x-ratelimit-reset"] ?? "1", at)
    if (route === noRoute || at("the endpoint is missing")) {
      const allow = others.map(({ method }) => method).join(", ")
      const isBan = path.startsWith("/bans") && route === noRoute && request.method !== "GET"
      if (isBan && at("a ban can be changed", { method: request.method })) {
        const status = request.method === "DELETE" ? 204 : request.method === "POST" ? 201 : 200
        return success({ status, data: { id: "ban-first" } }, limited(status), requestId, at)
      }
      if (others.length === 0 || route !== noRoute) throw new Refusal(404, "NOT_FOUND", "path", "Unknown path.")
      throw new Refusal(405, "METHOD", "method", "The path has no such method.", { allow })
    }
    const isLong = request.url.href.length > 8192
    if (isLong && world.chosen("long URLs", "accepted") !== "accepted") {
      throw new Refusal(414, "URI_TOO_LONG", "size", "The URL is too long.")
    }
    const call = callOf(arrived, token, requestId, path)
    await beforeCheck(route, call)
    derived(call, route)
    const reply = await route.answer(call)
    if (route.operation === "CREATE") world.kept.set(`made ${Object(reply.data)["id"]}`, token.label)
    return success(reply, limited(reply.status), requestId, at)
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, "INTERNAL", "defect", "Unexpected.")
    const usual = failure(refusal, limited(refusal.status), requestId, at)
    return refusal.reason === "path" || refusal.reason === "method" ? nowhere(world, refusal, usual) : usual
  }
}

const newer = (world: World, tenant: Tenant, sent: Request): Answer | Promise<Answer> => {
  const [method, path] = routed(world, sent, sent.url.pathname.slice(root.length))
  const request = { ...sent, method }
  const isToken = path === "/oauth/token"
  const { others, route } = routeOf(method, path)
  const details: Record<string, string> = {}
  const place = {
    surface: "newer",
    host: tenant.name,
    endpoint: isToken ? `${request.method} oauth/token` : (route?.endpoint ?? "none")
  }
  const at = (point: string, more: Place = {}) => world.hit(point, { ...place, ...details, ...more })
  if (request.url.protocol === "http:" && !at("plain HTTP is served")) {
    if (world.chosen("plain HTTP", "426") === "redirected") {
      return { status: 308, headers: { location: request.url.href.replace("http:", "https:") }, body: "" }
    }
    return { status: 426, headers: { "content-type": "text/plain", upgrade: "TLS/1.3" }, body: "Use HTTPS." }
  }
  if (isToken && request.method === "POST") return tokenEndpoint(world, tenant, request, at)
  const page = route === undefined && others.length === 0 ? nowhereForAll(world) : undefined
  if (page !== undefined) return page
  return answerTo({ world, tenant, request, route: route ?? noRoute, at, details }, path, others)
}

const answered = (world: World, request: Request): Answer | Promise<Answer> => {
  const { hostname, pathname } = request.url
  const tenant = world.tenants.find(({ host }) => host === hostname)
  const legacyHost = world.chosen("host of the legacy surface", "its own") === "its own" ? hosts.legacy : hosts.first
  if (hostname === legacyHost && pathname.startsWith("/api/")) {
    const answer = legacy(world, request, (point, more = {}) => world.hit(point, { surface: "legacy", ...more }))
    return inLegacyForm(world, request, answer)
  }
  if (tenant !== undefined && (pathname === root || pathname.startsWith(`${root}/`)))
    return newer(world, tenant, request)
  return { status: 404, headers: { "content-type": "text/plain" }, body: "Nothing here." }
}

/** Answers a request in this process. */
export const answer = (world: World, request: Request): Promise<Answer> =>
  dressed(world, request, () => answered(world, request))
