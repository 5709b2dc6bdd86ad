import { keyIn, responseOf } from "@wcs/conformance/walks/access/Saml"
import type { Answer } from "@wcs/specimen/server/Call"
import { issueLegacy } from "@wcs/specimen/server/Legacy"
import type { Hit } from "@wcs/specimen/server/Place"
import { type Route, routes } from "@wcs/specimen/server/Routes"
import { answer } from "@wcs/specimen/server/Server"
import { setting } from "@wcs/specimen/server/Setting"
import { type Fields, hosts, isFields } from "@wcs/specimen/server/World"
import { consumerOf, provider, providerKeys } from "@wcs/specimen/server/web/Saml"
import { type Ask, formsOf, ownerLookups, readBy, refusedOwners } from "./ExerciseForms.ts"

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

const uuid = "5f0c2b9e-7a41-4c1d-9d0a-3f2e1b6c8d70"
const requestIds = [
  uuid,
  uuid.toUpperCase(),
  "01ARZ3NDEKTSV4RRFFQ69G5FAV",
  `-${uuid.slice(1)}`,
  `{${uuid}}`,
  uuid.replaceAll("-", ""),
  "01ARZ3NDEKTSV4RRFFQ69G5FAU",
  "01ARZ3NDEKTSV4RRFFQ69G5FA",
  "01ARZ3NDEKTSV4RRFFQ69G5FAVA",
  "hello",
  "a b"
]

const odd = ["\u0000x", "\u{1F600}", "x".repeat(300), "o'x", "<x>", "\u00e9", "e\u0301", "50%_x", " padded "]

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
  const made = setting(async (url) => (url.includes("fails") ? 500 : 200), hit)
  const { world } = made
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
      for (const id of requestIds) {
        await call({ headers: { ...admin, "x-request-id": id } })
        await call({ headers: { ...admin, "x-request-id": id }, body: "{" })
      }
      const type = { "content-type": "application/x-www-form-urlencoded" }
      await call({ headers: { ...admin, ...type }, body: "identity.displayName=Ann&title=x" })
      for (const secret of [oauth, personal]) await call({ headers: { authorization: `Bearer ${secret}` }, body: "{" })
      await twice(send, host, [oauth, personal], route, at, fresh, bodyOf(route, ids))
      await wrongBodies(send, { host, headers: admin, method: route.method }, at, fresh, bodyOf(route, ids))
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
  await crossing(send, callers)
  await byOthers(send, world)
  await grants(send, world)
  await legacyCalls(send, world)
  for (const [host, secret] of callers) await outsideOfTheHeader(send, host, secret)
  await samlResponses(world)
}

const outsideOfTheHeader = async (send: Send, host: string, secret: string): Promise<void> => {
  const about = { method: "GET", path: "/workers", host }
  await send({ ...about, path: `/workers?access_token=${secret}` })
  await send({ ...about, headers: { "x-api-key": secret } })
  await send({ ...about, headers: { cookie: `access_token=${secret}` } })
  await send({ ...about, method: "POST", body: { access_token: secret } })
}

/** Logins through the identity provider that fail for another reason than their signature. */
const samlResponses = async (world: ReturnType<typeof setting>["world"]): Promise<void> => {
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
const byOthers = async (send: Send, world: ReturnType<typeof setting>["world"]): Promise<void> => {
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
  { endpoint, method }: Route,
  at: (id: string) => string,
  fresh: () => Promise<string>,
  body: Fields | undefined
): Promise<void> => {
  for (const secret of callers) {
    const headers = { authorization: `Bearer ${secret}`, "idempotency-key": unique() }
    const path = at(await fresh())
    for (const _ of [1, 2]) await send({ method, path, host, headers, body: endpoint === "" ? undefined : body })
    await send({ method, path: `${path}?order=colour`, host, headers })
    await send({ method, path: `${path}?order=Created`, host, headers })
    await send({ method, path: `${path}?pageSize=1`, host, headers })
    await send({ method, path: `${path}?pageSize=2`, host, headers })
  }
}

/** Leaves out, replaces and adds fields. */
const wrongBodies = async (
  send: Send,
  about: Pick<Sent, "host" | "headers" | "method">,
  at: (id: string) => string,
  fresh: () => Promise<string>,
  body: Fields | undefined
): Promise<void> => {
  if (body === undefined) return
  const path = at(await fresh())
  const same = (changed: Fields) => send({ ...about, path, body: changed })
  await same({})
  await same({ ...body, id: "wkr_mine" })
  for (const name of Object.keys(body)) {
    const { [name]: _, ...rest } = body
    await same(rest)
    for (const value of odd) await same({ ...body, [name]: value })
    for (const value of odd) {
      const inner = isFields(body[name]) ? body[name] : undefined
      if (inner === undefined) continue
      for (const key of Object.keys(inner)) await same({ ...body, [name]: { ...inner, [key]: value } })
    }
    const wrong = [
      undefined,
      7,
      {},
      { type: "worker" },
      { id: "x" },
      { type: "team", id: "x" },
      { type: "Worker", id: "x" }
    ]
    for (const value of [...wrong, { type: "worker", id: "" }, { type: "applicant", id: "x" }])
      await same({ ...body, [name]: value })
  }
}

/** Calls about resources of the other tenant, lookups, ownership, batches and verifications. */
const crossing = async (send: Send, tenants: ReadonlyArray<readonly [host: string, secret: string]>): Promise<void> => {
  const made: Array<readonly [string, string]> = []
  for (const [host, secret] of tenants) {
    const about = { host, headers: { authorization: `Bearer ${secret}` } }
    const post = async (path: string, body: Fields = {}) =>
      String((await send({ ...about, method: "POST", path, body })).data["id"])
    const worker = (externalId: string) =>
      post("/workers", { identity: { displayName: "Ann" }, source: { externalId } })
    const applicant = (externalId: string) =>
      post("/applicants", { fullName: "A", email: "a@b.c", source: { externalId } })
    for (const externalId of ["lookup-one-of-many", ...odd]) {
      const [w, a] = [await worker(externalId), await applicant(`${externalId}-a`)]
      const credential = await post("/credentials", { what: "wwc", workerId: w, applicantId: a })
      made.push(["/credentials", credential], ["/workers", w], ["/applicants", a])
      const heir = { type: "worker", id: await worker(unique()) }
      const moved = await post("/credentials", { what: "first-aid", workerId: w })
      await post(`/credentials/${moved}/transfer`, { from: { type: "worker", id: w }, to: heir })
      await send({ ...about, method: "GET", path: `/credentials?ownerExternalId=${encodeURIComponent(externalId)}` })
      const asked = [
        externalId,
        externalId.slice(0, 18),
        externalId.slice(2),
        `${externalId}x`,
        ` ${externalId}`,
        externalId.slice(3, -2)
      ]
      const more = [
        externalId.normalize("NFC"),
        externalId.normalize("NFD"),
        externalId.replaceAll("-", ""),
        "lookup*",
        externalId.toUpperCase()
      ]
      for (const value of [
        ...asked,
        ...more,
        "lookup-one-of-mine",
        `${externalId}-a`,
        `${externalId}-a`.slice(2),
        `${externalId}-`,
        `${externalId}-ab`,
        ` ${externalId}-a`
      ]) {
        for (const path of ["/workers?externalId=", "/credentials?ownerExternalId="]) {
          await send({ ...about, method: "GET", path: `${path}${encodeURIComponent(value)}` })
        }
      }
      for (const correlationId of [externalId, "string", "String", unique().padEnd(50, "x")]) {
        for (const forceRefresh of [true, false, undefined])
          await post(`/credentials/${credential}/verify`, { correlationId, forceRefresh })
      }
      await post(`/credentials/${credential}/verify`)
    }
    made.push(["/webhooks", await hooks(send, about, post)])
  }
  for (const [host, secret] of tenants) {
    const about = { host, headers: { authorization: `Bearer ${secret}` } }
    const post = async (path: string, body: Fields = {}) =>
      String((await send({ ...about, method: "POST", path, body })).data["id"])
    const worker = () => post("/workers", { identity: { displayName: "Ann" } })
    await owners(post, worker, () => post("/applicants", { fullName: "A", email: "a@b.c" }))
  }
  for (const [host, secret] of tenants) {
    for (const [path, id] of made) {
      for (const route of routes.filter(({ endpoint }) => endpoint.includes(`${path}/{id}`))) {
        const body = { owner: { type: "worker", id }, identity: { displayName: "x" } }
        await send({
          method: route.method,
          path: (route.endpoint.split(" ")[1] ?? "").replace("{id}", id),
          host,
          headers: { authorization: `Bearer ${secret}` },
          body
        })
      }
    }
  }
}

const hooks = async (
  send: Send,
  about: Pick<Sent, "host" | "headers">,
  post: (path: string, body?: Fields) => Promise<string>
) => {
  const body = { target: "https://fails.example/", topics: "credential.verified" }
  const [hook] = [await post("/webhooks", body), await post("/webhooks", body)]
  await post(`/webhooks/${hook}/rotate`)
  await post(`/webhooks/${hook}/rotate`)
  for (const _ of [1, 2]) {
    await post(`/credentials/${await post("/credentials", { what: "wwc" })}/verify`, { forceRefresh: true })
  }
  await send({ ...about, method: "GET", path: `/webhooks/${hook}` })
  await post("/exemptions", {
    worker: await post("/workers", { identity: { displayName: "A" } }),
    grounds: "x",
    from: "2",
    until: "1"
  })
  return hook ?? ""
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

const grants = async (send: Send, world: ReturnType<typeof setting>["world"]): Promise<void> => {
  const clients = world.tenants.flatMap((tenant) => [...tenant.clients.values()])
  for (const { host } of world.tenants) {
    for (const client of [...clients, { id: "stranger_oauth_nobody", secret: "x" }]) {
      const { id, secret } = client
      const near = [
        secret,
        secret.toUpperCase(),
        secret.slice(0, -1),
        `${secret}x`,
        "",
        `${secret.slice(0, -1)}z`,
        ` ${secret}`,
        "far"
      ]
      for (const tried of near) {
        const usual = ["client_credentials", "password", "authorization_code", "refresh_token", undefined]
        for (const grant_type of [...usual, "client-credentials", "implicit", ""]) {
          const granting = grant_type === undefined ? {} : { grant_type }
          const form = new URLSearchParams({ ...granting, client_id: id, client_secret: tried })
          const type = { "content-type": "application/x-www-form-urlencoded" }
          const headers = { ...type, authorization: `Basic ${Buffer.from(`${id}:${tried}`).toString("base64")}` }
          await send({ method: "POST", path: "/oauth/token", host, headers: type, body: form.toString() })
          await send({ method: "POST", path: "/oauth/token", host, headers, body: form.toString() })
          form.delete("client_id")
          form.delete("client_secret")
          await send({ method: "POST", path: "/oauth/token", host, headers, body: form.toString() })
        }
      }
    }
    await send({ method: "POST", path: "/oauth/token", host, scheme: "http" })
  }
}

const legacyCalls = async (send: Send, world: ReturnType<typeof setting>["world"]): Promise<void> => {
  const scan = { type: "wwc", identifier: "1", first_name: "A", surname: "B" }
  const [newer] = [...(world.tenants[0]?.tokens.keys() ?? [])].toReversed()
  const tokens = [...world.legacyTokens.keys(), newer ?? ""]
  for (const user of world.users) {
    const valid = issueLegacy(world, user, user.label, 3600).token
    tokens.push(valid, ...withoutJwt(valid))
  }
  const near = (password: string) => [
    password,
    "",
    password.slice(0, -1),
    `${password}x`,
    password.toLowerCase(),
    "far"
  ]
  const passwords = world.users.flatMap(({ email, password }) => near(password).map((one) => `${email}:${one}`))
  const basics = passwords.map((one) => `Basic ${Buffer.from(one).toString("base64")}`)
  for (const [method, path] of [
    ["GET", "/api/users/me"],
    ...world.users.map(({ id }) => ["POST", `/api/users/${id}/token`]),
    ["POST", "/api/users/9/token"],
    ["GET", "/api/users/1001/token"],
    ["GET", "/api/organizations/me"],
    ["GET", "/api/organizations/42"],
    ["POST", "/api/scan"],
    ["GET", "/api/constituents"]
  ] as const) {
    const about = { method: method ?? "", path: path ?? "", host: hosts.legacy, body: scan }
    for (const authorization of [...basics, ...tokens.map((one) => `Bearer ${one}`)]) {
      await send({ ...about, headers: { authorization } })
    }
    await send(about)
    await send({ ...about, scheme: "http" })
    await send({ ...about, path: `${path}?token=${tokens[0]}` })
  }
}
