import { keyIn, responseOf } from "@wcs/conformance/walks/access/Saml"
import type { Answer } from "@wcs/specimen/server/Call"
import { issueLegacy } from "@wcs/specimen/server/Legacy"
import type { Hit } from "@wcs/specimen/server/Place"
import { type Route, routes } from "@wcs/specimen/server/Routes"
import { answer } from "@wcs/specimen/server/Server"
import { setting } from "@wcs/specimen/server/Setting"
import { type Fields, hosts, isFields, type World } from "@wcs/specimen/server/World"
import { consumerOf, provider, providerKeys } from "@wcs/specimen/server/web/Saml"
import { type Ask, formsOf, ownerLookups, readBy, refusedOwners, uuid } from "./ExerciseForms.ts"

// Calls every endpoint of the second server in many ways: every caller, wrong tokens, request ids, wrong and odd
// bodies, other tenants and repeated calls. It shows that the place of a fault can be reached. It judges nothing.

interface Sent {
  readonly method: string
  readonly path: string
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly host?: string
  readonly scheme?: string
}

type Send = (sent: Sent) => Promise<{ readonly answer: Answer; readonly data: Fields }>

const dataOf = (text: string): Fields => {
  try {
    const read: unknown = JSON.parse(text)
    return isFields(read) && isFields(read["data"]) ? read["data"] : {}
  } catch {
    return {}
  }
}

const withoutJwt = (token: string): ReadonlyArray<string> => {
  const [header = "", payload = "", signature = ""] = token.split(".")
  const changed = Buffer.from(JSON.stringify({ sub: "me" })).toString("base64url")
  return [
    "nonsense",
    `${header}.${payload}`,
    `${header}.${changed}.${signature}`,
    `${header}.${payload}.${signature.slice(1)}A`,
    `${header}.${payload}.${signature.slice(0, -1)}${signature.endsWith("A") ? "B" : "A"}`,
    `${header}.${payload}.${signature.slice(0, 20)}`,
    `${Buffer.from('{"alg":"none"}').toString("base64url")}.${payload}.${signature}`,
    `${header}.${payload}.`
  ]
}

/** Texts like an opaque token. */
const nearTo = (token: string): ReadonlyArray<string> => [
  token.toUpperCase(),
  `${token}x`,
  token.slice(0, -1),
  `${token.slice(0, -1)}${token.endsWith("0") ? "1" : "0"}`
]

/** The number that makes every name of a run unique. */
let names = 0
const unique = (): string => {
  names += 1
  return `name-${names}`
}

const bodies: Readonly<Record<string, (ids: Ids) => Fields>> = {
  "/workers": () => ({ identity: { displayName: "Ann" }, source: { externalId: unique() } }),
  "/applicants": () => ({ fullName: "Ann", email: "ann@example.org", source: { externalId: unique() } }),
  "/credentials": ({ applicant, worker }) => ({ what: "wwc", workerId: worker, applicantId: applicant }),
  "/exemptions": ({ worker }) => ({ worker, grounds: unique() }),
  "/recruitment-checks": ({ applicant }) => ({ applicant, package: "standard-first" }),
  "/fetch-requests": ({ worker }) => ({ worker }),
  "/compliance-checks": () => ({ code: unique(), title: "A check" }),
  "/webhooks": () => ({ target: "https://hook.example/", topics: "credential.verified" }),
  "/my/tokens": () => ({ label: unique() }),
  "/my/clients": () => ({ label: unique() })
}

interface Ids {
  readonly worker: string
  readonly applicant: string
  readonly other: string
}

const bodyOf = ({ endpoint, method }: Route, ids: Ids): Fields | undefined => {
  const path = endpoint.split(" ")[1] ?? ""
  const reference = { type: "worker", id: ids.worker }
  if (path.endsWith("}/link") || path.endsWith("/unlink")) return { owner: reference }
  if (path.endsWith("}/transfer")) return { from: reference, to: { type: "worker", id: ids.other } }
  if (path === "/credentials/transfer") return { from: reference, to: { type: "worker", id: ids.other } }
  if (path === "/credentials/link") return { from: reference, target: { type: "worker", id: ids.other } }
  if (path.endsWith("/verify")) return { forceRefresh: true }
  if (path === "/fetch-requests/batch") return { requests: [{ worker: ids.worker }, { worker: "nobody" }] }
  if (method === "GET" || method === "DELETE" || path.includes("/rotate") || path.startsWith("/oauth")) return undefined
  const made = bodies[path.replace("/{id}", "")]?.(ids)
  return path.startsWith("/compliance-checks/") ? { title: "Another" } : made
}

const collectionOf = ({ endpoint }: Route): string => (endpoint.split(" ")[1] ?? "").replace(/\/(by-id|\{id\}).*$/, "")

/** The callers to try. The walks of the suite try every privilege. */
const isTried = (label: string): boolean =>
  !label.startsWith("limited") || /nothing|again|^limited to worker:UPDATE$/.test(label)

/** Calls everything. `hit` is told of every place that the server comes to. */
export const exercise = async (hit: Hit): Promise<void> => {
  const world: World = { ...setting().world, hit, deliver: async (url) => (url.includes("fails") ? 500 : 200) }
  const send: Send = async ({ body, headers = {}, host = hosts.first, method, path, scheme = "https" }) => {
    const text = typeof body === "string" ? body : body === undefined ? "" : JSON.stringify(body)
    const url = new URL(`${scheme}://${host}${path.startsWith("/api") ? "" : "/openapi/v1"}${path}`)
    const answered = await answer(world, { method, url, headers, body: text })
    return { answer: answered, data: dataOf(answered.body) }
  }
  for (const { clients, host } of world.tenants)
    for (const client of clients.values()) await tokenOf(send, host, client)
  for (const tenant of world.tenants) {
    const host = tenant.host
    const [client] = tenant.clients.values()
    const basic = `Basic ${Buffer.from(`${client?.id}:${client?.secret}`).toString("base64")}`
    const oauth = await tokenOf(send, host, client)
    const admin = { authorization: `Bearer ${oauth}` }
    const make = async (path: string, ids: Ids): Promise<string> =>
      String((await send({ method: "POST", path, host, headers: admin, body: bodies[path]?.(ids) })).data["id"])
    const none: Ids = { worker: "", applicant: "", other: "" }
    const ids: Ids = {
      worker: await make("/workers", none),
      applicant: await make("/applicants", none),
      other: await make("/workers", none)
    }
    const otherTenant = world.tenants.find((one) => one !== tenant)
    const callers = [...tenant.tokens].flatMap(([secret, { label }]) => (isTried(label) ? [secret] : []))
    const others = [...tenant.tokens].flatMap(([secret, { label }]) => (isTried(label) ? [] : [secret]))
    const [legacyToken = ""] = world.legacyTokens.keys()
    const keep = new Set(Object.values(ids))
    const foreign = [...(otherTenant?.tokens.keys() ?? [])].filter(
      (_, index, all) => index < 2 || index >= all.length - 2
    )
    const personal = [...tenant.tokens].find(([, { label }]) => label === "personal")?.[0] ?? oauth
    for (const route of routes) {
      for (const all of tenant.resources.values()) {
        for (const id of all.keys()) if (!keep.has(id) && !/^(ban|standard)-/.test(id)) all.delete(id)
      }
      const at = (id: string) => (route.endpoint.split(" ")[1] ?? "").replace("{id}", id).replace("{id}", "delivery")
      const fresh = async () => (route.endpoint.includes("{id}") ? make(collectionOf(route), ids) : "")
      const call = async (more: Partial<Sent> = {}) =>
        send({ method: route.method, path: at(await fresh()), host, headers: admin, body: bodyOf(route, ids), ...more })
      const with_ = (authorization: string) => call({ headers: { authorization } })
      for (const secret of [
        ...callers,
        oauth,
        ...foreign,
        ...withoutJwt(oauth),
        ...nearTo(personal),
        legacyToken,
        "state-1"
      ]) {
        await with_(`Bearer ${secret}`)
        await call({ headers: { authorization: `Bearer ${secret}` }, path: at("wkr_000000000000000000000000") })
      }
      for (const secret of others) await with_(`Bearer ${secret}`)
      for (const secret of [oauth, personal]) {
        for (const prefix of ["bearer ", "BEARER ", "BeArEr ", "", "Token "]) await with_(`${prefix}${secret}`)
      }
      await with_(basic)
      for (const _ of [1, 2]) await call({ headers: {} })
      await call({ scheme: "http" })
      await call({ headers: { ...admin, "x-request-id": uuid }, body: "{" })
      const type = { "content-type": "application/x-www-form-urlencoded" }
      await call({ headers: { ...admin, ...type }, body: "identity.displayName=Ann&title=x" })
      await twice(send, host, [oauth, personal], route, at, fresh, bodyOf(route, ids))
      if (tenant === world.tenants[0]) {
        await formsOf(askBy(send, host, oauth), route, async () => at(await fresh()), bodyOf(route, ids))
      }
      await send({
        method: route.method,
        path: at(`${(await fresh()).slice(0, -4)}zzzz`),
        host,
        headers: admin,
        body: bodyOf(route, ids)
      })
    }
  }
  const callers = world.tenants.flatMap(({ host, tokens }) => {
    const own = [...tokens].filter(([, { label }]) => /^(personal|first client|admin of)/.test(label))
    return own.map(([secret]) => [host, secret] as const)
  })
  await byOthers(send, world)
  for (const [host, secret] of callers) {
    const ask = askBy(send, host, secret)
    const post = (path: string, body: Fields = {}) => ask("POST", path, body)
    await hooks(post)
    await owners(
      post,
      () => post("/workers", { identity: { displayName: "Ann" } }),
      () => post("/applicants", { fullName: "A", email: "a@b.c" })
    )
  }
  for (const { host } of world.tenants) await send({ method: "POST", path: "/oauth/token", host, scheme: "http" })
  await legacyCalls(send, world)
  await samlResponses(world)
}

/** Logins through the identity provider that fail for another reason than their signature. */
const samlResponses = async (world: World): Promise<void> => {
  const origin = `https://${hosts.first}`
  const key = keyIn(providerKeys().privateKey)
  if (key === undefined) throw new Error("the identity provider has a key")
  for (const [isAsked, now, nameId] of [
    [false, Date.now(), world.web.email],
    [true, 0, world.web.email],
    [true, Date.now(), "eve@stranger.example"]
  ] as const) {
    const url = new URL(`${origin}/session/saml`)
    const { headers } = await answer(world, { method: "GET", url, headers: {}, body: "" })
    const id = new URL(headers["location"] ?? "").searchParams.get("RelayState") ?? ""
    const login = { start: "/session/saml", identityProvider: { ...provider, key: "" }, user: { nameId } }
    const request = { id: isAsked ? id : "none", issuer: origin, consumerUrl: consumerOf(origin) }
    const form = new URLSearchParams({
      SAMLResponse: responseOf({ request, login, now }, key, "honest"),
      RelayState: id
    })
    await answer(world, { method: "POST", url: new URL(consumerOf(origin)), headers: {}, body: `${form}` })
  }
}

const askBy =
  (send: Send, host: string, secret: string): Ask =>
  async (method, path, body, headers = {}) => {
    const by = { authorization: `Bearer ${secret}`, ...headers }
    return String((await send({ method, path, body, host, headers: by })).data["id"] ?? "")
  }

/** Each client and a personal token use what the others made. */
const byOthers = async (send: Send, world: World): Promise<void> => {
  const [tenant] = world.tenants
  if (tenant === undefined) return
  const { host } = tenant
  const personal = [...tenant.tokens].find(([, { label }]) => label === "personal")?.[0] ?? ""
  const granted = [...tenant.clients.values()].filter(({ isRevoked }) => !isRevoked)
  const secrets = [personal, ...(await Promise.all(granted.map((client) => tokenOf(send, host, client))))]
  const asks = secrets.map((secret) => askBy(send, host, secret))
  const nobody = [...tenant.tokens].find(([, { label }]) => label === "limited to nothing")?.[0] ?? ""
  for (const query of ["/workers?externalId=x", "/credentials?ownerExternalId=x"]) {
    await askBy(send, host, nobody)("GET", query)
  }
  for (const ask of asks) {
    for (const type of ["worker", "applicant"] as const) await refusedOwners(ask, type)
    await ownerLookups(ask)
    for (const other of asks) {
      const none: Ids = { worker: "", applicant: "", other: "" }
      for (const path of ["/workers", "/applicants", "/credentials"]) {
        const id = await ask("POST", path, { ...bodies[path]?.(none), workerId: undefined, applicantId: undefined })
        const method = path === "/workers" ? "PUT" : "PATCH"
        await ask(method, `${path}/${id}`, { identity: { displayName: "B" }, phone: "1", holder: "B" })
        await readBy(other, path, id)
      }
    }
  }
}

const tokenOf = async (
  send: Send,
  host: string,
  client: { readonly id: string; readonly secret: string } | undefined
) => {
  const headers = { "content-type": "application/x-www-form-urlencoded" }
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: client?.id ?? "",
    client_secret: client?.secret ?? ""
  })
  const { answer: granted } = await send({ method: "POST", path: "/oauth/token", host, headers, body: form.toString() })
  return String(JSON.parse(granted.body).access_token ?? "")
}

/** Sends each call twice, by both kinds of token. */
const twice = async (
  send: Send,
  host: string,
  callers: ReadonlyArray<string>,
  { method }: Route,
  at: (id: string) => string,
  fresh: () => Promise<string>,
  body: Fields | undefined
): Promise<void> => {
  for (const secret of callers) {
    const headers = { authorization: `Bearer ${secret}`, "idempotency-key": unique() }
    const path = at(await fresh())
    for (const _ of [1, 2]) await send({ method, path, host, headers, body })
    for (const query of ["order=colour", "order=Created"])
      await send({ method, path: `${path}?${query}`, host, headers })
  }
}

/** Webhooks of which one is registered after the events, and verifications. */
const hooks = async (post: (path: string, body?: Fields) => Promise<string>): Promise<void> => {
  const body = { target: "https://fails.example/", topics: "credential.verified" }
  for (const _ of [1, 2]) {
    await post("/webhooks", body)
    await post(`/credentials/${await post("/credentials", { what: "wwc" })}/verify`, { forceRefresh: true })
  }
}

/** Every pair of operations on each slot, from every start, and batches of several sizes. */
const owners = async (
  post: (path: string, body?: Fields) => Promise<string>,
  worker: () => Promise<string>,
  applicant: () => Promise<string>
): Promise<void> => {
  for (const type of ["worker", "applicant"]) {
    const otherType = type === "worker" ? "applicant" : "worker"
    const makers = [type, type, otherType, otherType]
    const made = makers.map(async (one) => ({ type: one, id: await (one === "worker" ? worker : applicant)() }))
    const [x, y, other, another] = await Promise.all(made)
    const steps = [
      ["link", { owner: x }],
      ["link", { owner: y }],
      ["unlink", { owner: x }],
      ["unlink", { owner: y }],
      ["transfer", { from: x, to: y }],
      ["transfer", { from: y, to: x }],
      ["link", { owner: other }],
      ["link", { owner: another }],
      ["unlink", { owner: other }]
    ] as const
    const starts = [{}, { [`${type}Id`]: x?.id }, { [`${type}Id`]: x?.id, [`${otherType}Id`]: other?.id }]
    for (const owned of starts) {
      for (const first of steps) {
        for (const second of steps) {
          const id = await post("/credentials", { what: "first-aid", ...owned })
          for (const [operation, body] of [first, second]) await post(`/credentials/${id}/${operation}`, body)
        }
      }
    }
    const ids: Array<string> = []
    for (let index = 0; index < 501; index += 1) ids.push(await post("/credentials", { what: "first-aid" }))
    for (const size of [501, 500, 5]) {
      for (const _ of [1, 2]) {
        await post("/credentials/link", { target: x, credentialIds: ids.slice(0, size) })
        await post("/credentials/transfer", { from: x, to: y, credentialIds: ids.slice(0, size) })
      }
    }
    await post("/credentials/link", { target: x, credentialIds: ["unknown", "nobody", ...ids.slice(0, 3), "nothing"] })
    await post("/credentials/transfer", {
      from: x,
      to: y,
      credentialIds: ["unknown", "nobody", ...ids.slice(0, 3), "nothing"]
    })
    await post("/credentials/link", { target: other, from: y })
    await post("/credentials/transfer", { from: y, to: x })
    await post("/credentials/transfer", { from: y, to: x })
  }
}

const legacyCalls = async (send: Send, world: World): Promise<void> => {
  const scan = { type: "wwc", identifier: "1", first_name: "A", surname: "B" }
  const [newer] = [...(world.tenants[0]?.tokens.keys() ?? [])].toReversed()
  const tokens = [...world.legacyTokens.keys(), newer ?? ""]
  for (const user of world.users) {
    const valid = issueLegacy(world, user, user.label, 3600).token
    tokens.push(valid, ...withoutJwt(valid))
  }
  const basics = world.users.map(({ email, password }) => Buffer.from(`${email}:${password}`).toString("base64"))
  for (const [method, path] of [
    ["GET", "/api/users/me"],
    ...world.users.map(({ id }) => ["POST", `/api/users/${id}/token`]),
    ["GET", "/api/organizations/me"],
    ["GET", "/api/organizations/42"],
    ["POST", "/api/scan"],
    ["GET", "/api/constituents"]
  ] as const) {
    const about = { method: method ?? "", path: path ?? "", host: hosts.legacy, body: scan }
    for (const authorization of [...basics.map((one) => `Basic ${one}`), ...tokens.map((one) => `Bearer ${one}`)]) {
      await send({ ...about, headers: { authorization } })
    }
    await send(about)
    await send({ ...about, scheme: "http" })
    await send({ ...about, path: `${path}?token=${tokens[0]}` })
  }
}
