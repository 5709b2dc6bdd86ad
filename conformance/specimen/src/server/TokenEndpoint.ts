import { randomUUID } from "node:crypto"
import type { Answer, Request } from "./Call.ts"
import { count, limitHeaders } from "./Guard.ts"
import * as Jwt from "./Jwt.ts"
import type { Place } from "./Place.ts"
import { account, type Client, type Fields, isFields, type Tenant, type World } from "./World.ts"

type At = (point: string, more?: Place) => boolean

/** Seconds. */
const lifetimeOf = ({ chosen }: World): number => chosen("lifetime of access tokens", 3600)

interface GrantRequest {
  readonly by: "body" | "Basic" | "nothing"
  /** The header beside a client in the body. */
  readonly beside: Pick<GrantRequest, "id" | "secret"> | undefined
  readonly id: string
  readonly secret: string
}

const basicOf = (header: string | undefined): Pick<GrantRequest, "id" | "secret"> | undefined => {
  const [, encoded] = /^basic +(\S+)$/i.exec(header ?? "") ?? []
  if (encoded === undefined) return undefined
  const [id = "", ...rest] = Buffer.from(encoded, "base64").toString().split(":")
  return { id, secret: rest.join(":") }
}

/** The client of a request. The body wins. */
const askedIn = ({ headers }: Request, form: URLSearchParams, at: At): GrantRequest => {
  const basic = basicOf(headers["authorization"])
  const [id, secret] = [form.get("client_id"), form.get("client_secret")]
  const isBoth = basic !== undefined && id !== null && secret !== null
  if (isBoth && at("Basic wins over the body")) return { by: "Basic", beside: undefined, ...basic }
  if (id !== null && secret !== null) return { by: "body", beside: basic, id, secret }
  if (basic !== undefined) return { by: "Basic", beside: undefined, ...basic }
  return { by: "nothing", beside: undefined, id: id ?? "", secret: secret ?? "" }
}

/** How a request names its client, in the table of faults. */
const formOf = ({ beside, by }: GrantRequest): Place => ({ by, beside: beside === undefined ? "nothing" : "Basic" })

const nearOf = (secret: string, right: string): string => {
  if (secret === "") return "empty"
  if (secret.toLowerCase() === right.toLowerCase()) return "another case"
  if (secret.trim() === right) return "padded"
  if (right.startsWith(secret)) return "shorter"
  if (secret.startsWith(right)) return "longer"
  return secret.length === right.length ? "same length" : "far"
}

/** The client, or the cause of the refusal. */
const clientOf = ({ clients }: Tenant, world: World, tenant: Tenant, asked: GrantRequest, at: At): Client | string => {
  const known = clients.get(asked.id)
  const place = formOf(asked)
  if (known === undefined) {
    const other = world.tenants.find((one) => one !== tenant && one.clients.has(asked.id))?.clients.get(asked.id)
    if (other !== undefined && at("another tenant's client is granted", place)) return other
    const first = clients.values().next().value
    if (first !== undefined && asked.by !== "nothing" && at("an unknown client is granted", place)) return first
    return "unknown"
  }
  const near = nearOf(asked.secret, known.secret)
  if (known.secret !== asked.secret) return at("a wrong secret is granted", { ...place, near }) ? known : "secret"
  if (known.isRevoked) return at("a revoked client is granted", place) ? known : "revoked"
  return at("a valid client is refused", { ...place, client: known.label }) ? "valid" : known
}

/** A refusal. Its place has the cause and how the client is named. */
const refused = (status: number, error: string, headers: Answer["headers"], at: At, place: Place): Answer => {
  const description = "The request is refused."
  const hit = (point: string) => at(point, place)
  const name = hit("another error name") ? "invalid_request" : error
  const body: Fields = { error_description: description, error: name }
  if (hit("no error_description")) delete body["error_description"]
  if (hit("no error name")) delete body["error"]
  if (hit("a refusal is a page"))
    return { status, headers: { ...headers, "content-type": "text/html" }, body: `<h1>${description}</h1>` }
  if (hit("a refusal has a token")) body["access_token"] = randomUUID()
  const enveloped = { error: { code: "INVALID_ARGUMENT", message: description, requestId: randomUUID() } }
  return {
    status: hit("another status of a refusal") ? (status === 401 ? 400 : 401) : status,
    headers: { ...headers, "content-type": "application/json" },
    body: hit("a refusal in the envelope") ? JSON.stringify(enveloped) : JSON.stringify(body)
  }
}

/** The status and the error name of a refusal that the server has chosen. */
const refusedAs = (form: string, at: At, place: Place): Answer => {
  const [status, name = ""] = form.split(" ")
  return refused(Number(status), name, {}, at, place)
}

/** The response to a request without a whole client in its body; undefined if it is looked up as usual. */
const refusedForm = ({ chosen }: World, form: URLSearchParams, asked: GrantRequest, at: At): Answer | undefined => {
  const { by } = asked
  const [hasId, hasSecret] = [form.has("client_id"), form.has("client_secret")]
  if (by === "Basic" && hasId !== hasSecret && chosen("a part of a client beside Basic", "ignored") !== "ignored") {
    return refused(401, "invalid_client", {}, at, { ...formOf(asked), cause: "part of a client" })
  }
  if (by !== "nothing" || hasId) return undefined
  const way = chosen("a grant to no client", "401")
  return way === "401" ? undefined : refusedAs(way, at, { ...formOf(asked), cause: "no client" })
}

/** Whether another tenant has the client. */
const isForeign = (world: World, tenant: Tenant, { id, secret }: GrantRequest): boolean =>
  world.tenants.some((other) => other !== tenant && other.clients.get(id)?.secret === secret)

/** The caching of a grant, and its further fields. */
const moreOf = ({ chosen }: World): { readonly fields: Fields; readonly cache: string } =>
  chosen("further fields of a grant", false)
    ? { fields: { scope: "everything" }, cache: "private, no-store, max-age=0" }
    : { fields: {}, cache: "no-store" }

const refusedClient = ({ chosen }: World, asked: GrantRequest, cause: string, at: At): Answer => {
  const isAlways = chosen("challenge of the token endpoint", "to Basic") === "always"
  const challenge = at("the challenge has another realm", { cause })
    ? 'Basic realm="oauth"'
    : at("the challenge is Bearer", { cause })
      ? 'Bearer realm="service-oauth"'
      : 'Basic realm="service-oauth"'
  const isChallenged = (isAlways || asked.by === "Basic") && !at("a failed Basic has no challenge", { cause })
  const told = isAlways ? `${challenge}, charset="UTF-8"` : challenge
  const headers: Answer["headers"] = isChallenged ? { "www-authenticate": told } : {}
  return refused(401, "invalid_client", headers, at, { ...formOf(asked), cause })
}

/** Issues a token of the service account. */
export const issue = (world: World, tenant: Tenant, label: string, seconds: number, fault: At): string => {
  const now = Math.floor(Date.now() / 1000)
  const token = Jwt.sign({ sub: tenant.service.urn, iat: now, exp: now + seconds, jti: randomUUID() }, world.key)
  world.issued.add(token.split(".")[1] ?? "")
  const own = fault("a client has fewer privileges", { client: label })
    ? account(new Set(["worker:READ", "credential:READ"]))
    : fault("a client has an account of its own", { client: label })
      ? account("all")
      : tenant.service
  const ends = fault("a token ends at once", { client: label }) ? 0 : now + seconds
  tenant.tokens.set(token, { id: randomUUID(), kind: "oauth", label, account: own, expiresAt: ends, isRevoked: false })
  return token
}

const grantedTo = (world: World, tenant: Tenant, client: Client, asked: GrantRequest, at: At): Answer => {
  const time = world.kept.has(`granted ${client.id}`) ? "again" : "first"
  world.kept.set(`granted ${client.id}`, "")
  const hit = (point: string) => at(point, { ...formOf(asked), client: client.label, time })
  if (hit("a new token ends the earlier ones")) {
    for (const one of tenant.tokens.values()) if (one.label === client.label) one.isRevoked = true
  }
  const lifetime = lifetimeOf(world)
  const { cache, fields } = moreOf(world)
  const token = issue(world, tenant, client.label, lifetime, at)
  const body: Fields = {
    ...fields,
    expires_in: hit("expires_in is a text")
      ? String(lifetime)
      : hit("expires_in is 0")
        ? 0
        : hit("expires_in is half an hour")
          ? lifetime / 2
          : lifetime,
    token_type: hit("another token_type") ? "JWT" : "Bearer",
    [hit("the token has another name") ? "token" : "access_token"]: hit("the token is cut")
      ? token.split(".").slice(0, 2).join(".")
      : token
  }
  if (hit("no expires_in")) delete body["expires_in"]
  if (hit("no token_type")) delete body["token_type"]
  if (hit("a refresh token is granted")) body["refresh_token"] = randomUUID()
  const status = hit("a grant is 201") ? 201 : 200
  const cached = hit("a grant is stored for an hour") ? "max-age=3600" : cache
  const sent: Record<string, string> = { "content-type": "application/json", "cache-control": cached }
  if (hit("a grant does not speak of caches")) delete sent["cache-control"]
  return {
    status,
    headers: sent,
    body: JSON.stringify(hit("a grant in the envelope") ? { data: body, meta: {} } : body)
  }
}

const counter = account("all")

/** A form that a careless server reads out of JSON. */
const fromJson = (text: string): URLSearchParams => {
  try {
    const read: unknown = JSON.parse(text)
    const form = new URLSearchParams()
    for (const [name, value] of Object.entries(isFields(read) ? read : {})) form.set(name, String(value))
    return form
  } catch {
    return new URLSearchParams()
  }
}

const answerTo = (world: World, tenant: Tenant, request: Request, at: At): Answer => {
  const isForm = /^application\/x-www-form-urlencoded\b/i.test(request.headers["content-type"] ?? "")
  if (!isForm && !at("JSON is read as a form")) return refused(400, "invalid_request", {}, at, { cause: "JSON" })
  const form = isForm ? new URLSearchParams(request.body) : fromJson(request.body)
  const asked = askedIn(request, form, at)
  const grant = form.get("grant_type")
  const name = grant ?? "missing"
  const isOther = grant !== "client_credentials"
  const otherGrant = () => refused(400, "unsupported_grant_type", {}, at, { ...formOf(asked), cause: `grant ${name}` })
  if (isOther && world.chosen("first check of the token endpoint", "the client") === "the grant") return otherGrant()
  const early = refusedForm(world, form, asked, at)
  if (early !== undefined) return early
  const found = clientOf(tenant, world, tenant, asked, at)
  const { beside } = asked
  const isHelped = typeof found === "string" && beside !== undefined && at("a right header helps a wrong body")
  const client = isHelped ? clientOf(tenant, world, tenant, { ...asked, ...beside }, at) : found
  if (typeof client === "string") {
    const way = isForeign(world, tenant, asked) ? world.chosen("clients of another tenant", "401") : "401"
    return way === "401"
      ? refusedClient(world, asked, client, at)
      : refusedAs(way, at, { ...formOf(asked), cause: client })
  }
  if (isOther && !at("another grant is granted", { grant: name, by: asked.by })) return otherGrant()
  return grantedTo(world, tenant, client, asked, at)
}

/** `POST oauth/token`. */
export const tokenEndpoint = (world: World, tenant: Tenant, request: Request, at: At): Answer => {
  const { headers } = count(counter)
  const answer = answerTo(world, tenant, request, at)
  return { ...answer, headers: { ...answer.headers, ...limitHeaders(headers, at, String(answer.status)) } }
}
