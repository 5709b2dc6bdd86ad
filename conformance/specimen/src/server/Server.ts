import { type Answer, type Call, noAnswer, Refusal, type Reply, type Request, refusalAs } from "./Call.ts"
import { failure, success, unauthorized } from "./Envelope.ts"
import { formOfBrokenJson, typeOf } from "./Forms.ts"
import { authenticate, authorize, count, impostor, limitHeaders, tooMany } from "./Guard.ts"
import { legacy } from "./Legacy.ts"
import { checkPrivileges } from "./Needs.ts"
import type { Place } from "./Place.ts"
import { checkOwnId, echoOf, formOf, idFor } from "./RequestIds.ts"
import { type Route, routeOf, routes } from "./Routes.ts"
import { inLegacyForm } from "./shown/LegacyResponses.ts"
import { routed } from "./shown/Paths.ts"
import { dressed, inFormOf401, nowhere, nowhereForAll } from "./shown/Responses.ts"
import { tokenEndpoint } from "./TokenEndpoint.ts"
import { type Fields, hosts, isFields, type Tenant, type World } from "./World.ts"
import { webPage } from "./web/WebPages.ts"

const root = "/openapi/v1"

const typeFlaw = (call: Pick<Call, "at">, type: string | undefined): string | undefined => {
  if (type === undefined || /^application\/([\w.-]+\+)?json\b/i.test(type)) return undefined
  if (!/form-urlencoded/i.test(type)) return "refused"
  return call.at("a form is accepted") || call.at("a form is refused and done") ? "form" : "refused"
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
  if (/\[{100}/.test(request.body) && at("a deep body ends the connection"))
    throw new Refusal(noAnswer, "", "no answer", "")
  let read: unknown
  try {
    read = JSON.parse(request.body)
  } catch {
    const place = { json: formOfBrokenJson(request.body) }
    if (at("malformed JSON is an empty body", place)) return {}
    if (at("malformed JSON is 422", place)) throw new Refusal(422, "UNPROCESSABLE", "malformed", "The body is no JSON.")
    if (at("malformed JSON fails", place)) throw new Refusal(500, "PARSER", "malformed", "The body is no JSON.")
    throw new Refusal(400, "BAD_REQUEST", "malformed", "The body is no JSON.")
  }
  if (!isFields(read)) {
    if (at("a body that is no object fails", { json: typeOf(read) })) throw new TypeError("no object")
    throw new Refusal(400, "BAD_REQUEST", "no object", "The body must be a JSON object.")
  }
  return read
}

/** Makes a call whose answer nobody gets. Returns the refusal, if the call is refused. */
const madeAnyway = async (route: Route, call: Call): Promise<unknown> => {
  try {
    await route.answer(call)
    return undefined
  } catch (refusal) {
    return refusal
  }
}

/** The same call on copies of everything stored, so that it changes nothing. */
const onTrial = (call: Call): Call => {
  const resources = [...call.tenant.resources].map(
    ([type, own]) => [type, new Map([...own].map(([id, one]) => [id, { ...one }] as const))] as const
  )
  const { deliveries, secrets } = call.tenant
  const tenant = {
    ...call.tenant,
    resources: new Map(resources),
    secrets: new Map(secrets),
    deliveries: new Map(deliveries),
    audit: []
  }
  return { ...call, tenant, world: { ...call.world, deliver: async () => 200, kept: new Map(call.world.kept) } }
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
    if (call.at("the call is made before the privilege is checked")) await madeAnyway(route, call)
    if (call.at("the resource is sought before the privilege is checked")) {
      const found = await madeAnyway(route, onTrial(call))
      if (found instanceof Refusal && (found.status === 404 || found.reason === "id")) throw found
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

const isBelowGroup = (path: string): boolean =>
  routes.some(({ endpoint }) => path.startsWith(`${endpoint.split(" ")[1]?.split("{")[0]?.replace(/\/$/, "")}/`))

const isForm = ({ headers }: Request): boolean => /form-urlencoded/i.test(headers["content-type"] ?? "")

/** Internal details in the message of a failure, by their names in the table of faults. */
const internals = {
  "a stack": "Cannot read properties of undefined\n    at findRoute (/srv/stranger/dist/routes.js:41:17)",
  "a trace": "Traceback (most recent call last): KeyError",
  "a query": "Failed: SELECT id, fields FROM routes WHERE path = $1",
  "a database state": "The read failed with SQLSTATE 40001.",
  "a file": "Cannot open /etc/stranger/master.key",
  "an address": "connect ECONNREFUSED 10.0.3.17:5432",
  "an internal name": "No answer from routes.default.svc in 5 seconds."
}

/** Fails on an unknown path, in one of the ways of careless servers. */
const breakDown = (at: Call["at"], path: string): void => {
  const fail = (reason: string, message = "Unexpected.") => new Refusal(500, "INTERNAL", reason, message)
  if (at("an unknown path fails", { path })) throw fail("defect")
  if (at("an unknown path fails with a page", { path })) throw fail("page")
  if (at("an unknown path fails without a message", { path })) throw fail("no message")
  for (const [shown, message] of Object.entries(internals))
    if (at("an unknown path fails and shows internals", { path, shown })) throw fail("defect", message)
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
  return {
    ...arrived,
    params,
    token,
    account: token.account,
    requestId,
    body: () => bodyOf(arrived.world, request, arrived.at)
  }
}

const derived = (call: Call, route: Route): void => {
  const isExpanded =
    route.endpoint === "GET /workers/{id}" && call.request.url.searchParams.get("expand") === "credentials"
  if (isExpanded && call.world.chosen("expanded credentials without READ", "refused") === "refused")
    authorize(call.account, "credential", "READ", (point, more) => call.at(point, { ...more, derived: "yes" }))
}

/** Notes whether this caller has called this endpoint before, with success or not. */
const noteTurn = ({ details, request, route, tenant, world }: Arrived): void => {
  const key = `asked ${tenant.name} ${route.endpoint} ${request.headers["authorization"]}`
  details["turn"] = world.seen.has(key) ? "later" : "first"
  world.seen.add(key)
}

/** Whether the limit of a caller is reached. A fault keeps it so after the window. */
const isOver = ({ at, world }: Arrived, { account }: Call["token"], isNow: boolean): boolean => {
  const key = `over ${account.urn}`
  if (isNow) world.kept.set(key, "")
  return isNow ? !at("the limit is not kept") : world.kept.has(key) && at("a limit does not recover")
}

/** Notes the outcome of each call: `success`, or the status and code of a refusal. */
const memoryOf = ({ details, route, world }: Arrived, token: Call["token"], key: string) => {
  const [last, call] = [`after ${token.id} ${route.endpoint}`, `repeat ${key}`]
  const refused = world.kept.get(last)
  details["after"] = refused === undefined || refused === "success" ? (refused ?? "nothing") : "refusal"
  details["repeat"] = world.kept.get(call) ?? "first"
  return {
    refused: details["after"] === "refusal" ? refused : undefined,
    note: (outcome: string) => {
      world.kept.set(last, outcome)
      world.kept.set(
        call,
        outcome !== "success" ? "after a refusal" : details["repeat"] === "first" ? "second" : "later"
      )
    }
  }
}

/** The refusal of the call before, if the server keeps it once for the next call. */
const remembered = (refused: string | undefined, at: Call["at"]): void => {
  if (refused === undefined || !at("a refusal is remembered")) return
  const [status = "", code = ""] = refused.split(" ")
  throw new Refusal(Number(status), code, "remembered", "It was refused before.")
}

/** The first result of a read, if the server keeps it. */
const cached = (world: World, key: string, at: Call["at"], reply: Reply): Reply => {
  if (!at("a read gives an earlier result")) return reply
  const earlier = world.kept.get(`result ${key}`)
  if (earlier === undefined) world.kept.set(`result ${key}`, JSON.stringify(reply))
  return earlier === undefined ? reply : JSON.parse(earlier)
}

const answerTo = async (arrived: Arrived, path: string, others: ReadonlyArray<Route>): Promise<Answer> => {
  const { details, request, route, tenant, world } = arrived
  const at = arrived.at
  const echo = echoOf(world, request, at)
  const requestId = idFor(world, request, at)
  noteTurn(arrived)
  const token = authenticate(world, tenant, request, at)
  if (typeof token === "string") {
    if (at("a call that is refused with 401 is made", { cause: token }))
      await madeAnyway(route, callOf(arrived, impostor(tenant), requestId, path))
    const { headers } = count(tenant.service)
    const base = { ...limitHeaders(headers, at, "401"), ...echo }
    const refused = token === "tenant" ? refusedTenant(world, base, requestId, at) : undefined
    return refused ?? inFormOf401(world, unauthorized(base, token, at))
  }
  details["caller"] = token.label
  details["kind"] = token.kind
  details["following"] = world.kept.has(`refused ${token.id}`) ? "a refusal" : "a success"
  const key = `${request.method} ${request.url.href} ${token.id} ${request.body}`
  details["time"] = world.seen.has(key) ? "again" : "first"
  world.seen.add(key)
  const memory = memoryOf(arrived, token, key)
  const limit = count(token.account)
  const limited = (status: number) => ({ ...limitHeaders(limit.headers, at, String(status)), ...echo })
  try {
    if (isOver(arrived, token, limit.isOver)) {
      if (at("a call beyond the limit is made")) await madeAnyway(route, callOf(arrived, token, requestId, path))
      throw tooMany(limit.headers["x-ratelimit-reset"] ?? "1", at)
    }
    const isLong = request.url.href.length > 8192
    if (isLong && world.chosen("long URLs", "accepted") !== "accepted") {
      throw new Refusal(414, "URI_TOO_LONG", "size", "The URL is too long.")
    }
    checkOwnId(request, at)
    if (route === noRoute || at("the endpoint is missing")) {
      const allow = others.map(({ method }) => method).join(", ")
      const isBan = path.startsWith("/bans") && route === noRoute && request.method !== "GET"
      if (isBan && at("a ban can be changed", { method: request.method })) {
        const status = request.method === "DELETE" ? 204 : request.method === "POST" ? 201 : 200
        return success({ status, data: { id: "ban-first" } }, limited(status), requestId, at)
      }
      const known = isBelowGroup(path) ? "below a group" : "elsewhere"
      if (route === noRoute) breakDown(at, others.length === 0 ? known : "another method")
      if (others.length === 0 || route !== noRoute) throw new Refusal(404, "NOT_FOUND", "path", "Unknown path.")
      throw new Refusal(405, "METHOD", "method", "The path has no such method.", { allow })
    }
    const call = callOf(arrived, token, requestId, path)
    await beforeCheck(route, call)
    derived(call, route)
    remembered(memory.refused, at)
    const reply = request.method === "GET" ? cached(world, key, at, await route.answer(call)) : await route.answer(call)
    if (isForm(request) && at("a form is refused and done"))
      throw new Refusal(415, "MEDIA_TYPE", "media type", "Send JSON.")
    world.kept.delete(`refused ${token.id}`)
    if (route.operation === "CREATE") world.kept.set(`made ${Object(reply.data)["id"]}`, token.label)
    memory.note("success")
    if (request.method === "GET" && at("a read is 304")) return { status: 304, headers: limited(304), body: "" }
    return success(reply, limited(reply.status), requestId, at)
  } catch (error) {
    const refusal = error instanceof Refusal ? error : new Refusal(500, "INTERNAL", "defect", "Unexpected.")
    world.kept.set(`refused ${token.id}`, "")
    memory.note(refusal.reason === "remembered" ? "success" : `${refusal.status} ${refusal.code}`)
    const own = request.headers["x-request-id"]
    const place = { status: String(refusal.status), form: formOf(own ?? "") }
    const id = own !== undefined && at("a refusal adopts the caller's request id", place) ? own : requestId
    const usual = failure(refusal, limited(refusal.status), id, at)
    return refusal.reason === "path" || refusal.reason === "method" ? nowhere(world, refusal, usual) : usual
  }
}

const providerPath = "/oauth/trustline/setup"

/** The refusal of a request over plain HTTP, with the faults of a server that carries it out or passes it on. */
const overPlainHttp = async (world: World, tenant: Tenant, request: Request, at: Call["at"]): Promise<Answer> => {
  const refusal = { status: 426, headers: { "content-type": "text/plain", upgrade: "TLS/1.3" }, body: "Use HTTPS." }
  const [, token] = /^bearer +(\S+)$/i.exec(request.headers["authorization"] ?? "") ?? []
  if (token !== undefined && at("plain HTTP is redirected with the token")) {
    return { status: 307, headers: { location: `https://${tenant.host}${root}?access_token=${token}` }, body: "" }
  }
  if (world.chosen("plain HTTP", "426") === "redirected") {
    return { status: 308, headers: { location: request.url.href.replace("http:", "https:") }, body: "" }
  }
  const url = new URL(request.url.href.replace(/^http:/, "https:"))
  if (at("plain HTTP is refused with the data")) {
    const answer = await newer(world, tenant, { ...request, url })
    return answer.status < 300 ? { ...answer, status: 403 } : answer
  }
  if (at("plain HTTP is refused and done")) await newer(world, tenant, { ...request, url })
  return refusal
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
    query: [...request.url.searchParams.keys()].toSorted().join(" ") || "none",
    endpoint: isToken ? `${request.method} oauth/token` : (route?.endpoint ?? "none")
  }
  const at = (point: string, more: Place = {}) => world.hit(point, place, details, more)
  if (request.url.protocol === "http:" && !at("plain HTTP is served")) return overPlainHttp(world, tenant, request, at)
  if (isToken && request.method === "POST") return tokenEndpoint(world, tenant, request, at)
  if (path === providerPath && at("a provider path grants tokens")) return tokenEndpoint(world, tenant, request, at)
  const page = route === undefined && others.length === 0 ? nowhereForAll(world) : undefined
  if (page !== undefined) return page
  return answerTo({ world, tenant, request, route: route ?? noRoute, at, details }, path, others)
}

const answered = (world: World, request: Request): Answer | Promise<Answer> => {
  const { hostname, pathname } = request.url
  const tenant = world.tenants.find(({ host }) => host === hostname)
  const legacyHost = world.chosen("host of the legacy surface", "its own") === "its own" ? hosts.legacy : hosts.first
  if (hostname === legacyHost && pathname.startsWith("/api/")) {
    const answer = legacy(world, request, (point, more = {}) => world.hit(point, { surface: "legacy" }, more))
    return inLegacyForm(world, request, answer)
  }
  if (tenant !== undefined && (pathname === root || pathname.startsWith(`${root}/`)))
    return newer(world, tenant, request)
  const web = tenant === undefined ? undefined : webPage(world, tenant, request)
  if (web !== undefined) return web
  return { status: 404, headers: { "content-type": "text/plain" }, body: "Nothing here." }
}

/** Answers a request in this process. */
export const answer = (world: World, request: Request): Promise<Answer> =>
  dressed(world, request, () => answered(world, request))
