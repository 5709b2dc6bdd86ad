import { randomUUID } from "node:crypto"
import { byDefault, type Chosen } from "./Chosen.ts"
import * as Jwt from "./Jwt.ts"
import { issueLegacy } from "./Legacy.ts"
import { issue } from "./TokenEndpoint.ts"
import {
  account,
  emptyWorld,
  hosts,
  limitsOf,
  random,
  resourcesOf,
  type Tenant,
  type User,
  type World
} from "./World.ts"
import { provider, providerKeys } from "./web/Saml.ts"
import { base32 } from "./web/Totp.ts"

const types = [
  "worker",
  "credential",
  "applicant",
  "exemption",
  "credentialCheck",
  "captureRequest",
  "complianceCheck",
  "webhook",
  "accessToken",
  "apiClient"
] as const
const readTypes = ["ban", "screeningPackage", "auditEntry"] as const
const operations = ["READ", "CREATE", "UPDATE", "DELETE"] as const

const operationsOf = (type: string): ReadonlyArray<string> => {
  if (readTypes.some((one) => one === type)) return ["READ"]
  return type === "accessToken" || type === "apiClient" ? ["READ", "CREATE", "DELETE"] : operations
}

const everyType = [...types, ...readTypes]

const reads = (but: string) => everyType.filter((type) => type !== but).map((type) => `${type}:READ`)

/** The privileges of the limited users: none, one each, one type each, all reads, and all reads but one. */
const grantsOf = (): ReadonlyArray<ReadonlyArray<string>> => [
  [],
  ...everyType.flatMap((type) => operationsOf(type).map((operation) => [`${type}:${operation}`])),
  ...types.map((type) => operationsOf(type).map((operation) => `${type}:${operation}`)),
  reads("nothing"),
  reads("worker"),
  reads("credential")
]

const byType = (grants: ReadonlyArray<string>): Record<string, ReadonlyArray<string>> => {
  const told: Record<string, ReadonlyArray<string>> = {}
  for (const type of everyType) {
    const own = grants.filter((grant) => grant.startsWith(`${type}:`)).map((grant) => grant.slice(type.length + 1))
    if (own.length > 0) told[type] = own
  }
  return told
}

/** The server with its secrets, by their names in the profile. */
export interface Setting {
  readonly world: World
  readonly secrets: Map<string, string>
  readonly principals: Readonly<Record<string, unknown>>
  readonly secondTenantAdmin: unknown
  readonly legacy: Readonly<Record<string, unknown>>
  readonly webLogin: Readonly<Record<string, unknown>>
}

/** Characters that form encoding changes. */
const signs = "+/=% &:é"

const makersOf = ({ chosen, key }: World, secrets: Map<string, string>) => {
  const end = chosen("signs in client secrets", false) ? signs : ""
  const areJwts = chosen("personal tokens", "opaque") === "JWT"
  let count = 0
  const keep = (secret: string): string => {
    count += 1
    secrets.set(`\${STRANGER_${count}}`, secret)
    return `\${STRANGER_${count}}`
  }
  return {
    keep,
    client: (tenant: Tenant, label: string, isRevoked = false) => {
      const client = { id: `stranger_oauth_${random(6)}`, secret: `Sec-${random(16)}${end}`, label, isRevoked }
      tenant.clients.set(client.id, client)
      return { clientId: client.id, clientSecret: keep(client.secret) }
    },
    token: (tenant: Tenant, label: string, of = account("all"), seconds = 1e9, isRevoked = false): string => {
      const secret = areJwts ? Jwt.sign({ jti: random(20), sub: "user" }, key) : `pat-${random(20)}`
      const expiresAt = Date.now() / 1000 + seconds
      tenant.tokens.set(secret, { id: randomUUID(), kind: "personal", label, account: of, expiresAt, isRevoked })
      return keep(secret)
    }
  }
}

const user = (id: number, label: string, more: Partial<User> = {}): User => ({
  id,
  label,
  email: `${label.replaceAll(" ", ".")}@stranger.example`,
  password: `Pass-${random(8)}`,
  isVerified: true,
  mayRead: true,
  organization: 41,
  ...more
})

const legacyOf = (world: World, keep: (secret: string) => string) => {
  const users = [
    user(1001, "ann"),
    user(1002, "unverified", { isVerified: false }),
    user(1003, "lowest role", { mayRead: false }),
    user(1004, "ended")
  ] as const
  world.users.push(...users, user(1005, "another organization", { organization: 42 }))
  const login = ({ email, password }: User) => ({ username: email, password: keep(password) })
  const [ann, unverified, lowest, ended] = users
  return {
    user: login(ann),
    unverified: login(unverified),
    withoutPermission: { user: login(lowest), call: { method: "GET", path: "/constituents" } },
    expiredToken: keep(issueLegacy(world, ended, "expired", -30).token),
    revokedToken: keep(issueLegacy(world, ended, "revoked", 3600, true).token)
  }
}

/** How the user of the web application logs in: with a password and a code, or through the identity provider. */
const webLoginOf = ({ web }: World, keep: (secret: string) => string) => ({
  proof: { path: "/account" },
  totp: {
    steps: [
      {
        method: "POST",
        path: "/session",
        json: { email: web.email, password: keep(web.password) },
        take: { ticket: '"ticket":"([^"]+)"' }
      },
      { method: "POST", path: "/session/code", json: { ticket: "{{ticket}}", code: "{{code}}" } }
    ],
    secret: keep(base32(web.key))
  },
  saml: {
    start: "/session/saml",
    identityProvider: { ...provider, key: keep(providerKeys().privateKey) },
    user: { nameId: web.email }
  }
})

const limitedOf = ({ chosen }: World, tenant: Tenant, token: ReturnType<typeof makersOf>["token"]) =>
  grantsOf().map((grants, index) => {
    const isPath = chosen("names of accounts", "URN") === "path"
    const name = isPath ? `arn:acme:iam::account/${randomUUID()}` : undefined
    const of = account(new Set(grants), ...limitsOf(chosen), name)
    const label = `limited to ${grants.join(" ") || "nothing"}`
    const again = index === 0 || (grants.length === 1 && /^(worker|credential):READ$/.test(grants[0] ?? ""))
    return {
      token: token(tenant, label, of),
      ...(again ? { reissued: token(tenant, `${label}, again`, of) } : {}),
      privileges: byType(grants),
      accountUrn: of.urn
    }
  })

/** A new server with everything that its profile names. */
export const setting = (chosen: Chosen = byDefault): Setting => {
  const world = emptyWorld(chosen)
  const secrets = new Map<string, string>()
  const { client, keep, token } = makersOf(world, secrets)
  const [first, second] = world.tenants
  if (first === undefined || second === undefined) throw new Error("there are two tenants")
  for (const tenant of world.tenants) {
    const seed = (type: string, id: string, fields: Record<string, unknown>) =>
      resourcesOf(tenant, type).set(id, { id, type, fields, createdAt: "2026-01-01T00:00:00.000Z", deletedAt: null })
    seed("ban", `ban-${tenant.name}`, { register: "teachers", since: "2024-02-01" })
    seed("screeningPackage", `standard-${tenant.name}`, { title: "Standard" })
  }
  const [rotated, ended] = [account("all"), account("all")]
  seedOwners(world, first)
  return {
    world,
    secrets,
    principals: {
      admin: { oauth: client(first, "first client") },
      secondClient: client(first, "second client"),
      revokedClient: client(first, "revoked client", true),
      expiredToken: token(first, "expired", account("all"), -30),
      personalToken: token(first, "personal"),
      rotated: { old: token(first, "rotated, old", rotated), new: token(first, "rotated, new", rotated) },
      revokedToken: { revoked: token(first, "revoked", ended, 1e9, true), living: token(first, "living", ended) },
      limited: limitedOf(world, first, token),
      rateLimited: { token: token(first, "rate limited", account("all", 10, 1000)) },
      externalToken: keep(external(world, first)),
      enrolledToken: token(first, "enrolled")
    },
    secondTenantAdmin: { oauth: client(second, "admin of the second tenant") },
    legacy: { baseUrl: `https://${hosts.legacy}`, plainHttpUrl: `http://${hosts.legacy}`, ...legacyOf(world, keep) },
    webLogin: webLoginOf(world, keep)
  }
}

/** The ids of owners that exist before a run. */
export const existingIds = (type: "worker" | "applicant", count: number): ReadonlyArray<string> =>
  Array.from({ length: count }, (_, index) => `${type === "worker" ? "wkr_" : "app_"}existing${index}`)

/** Three owners of each type that the server has from the beginning, each with a credential of others. */
const seedOwners = (world: World, tenant: Tenant): void => {
  const seed = (type: string, id: string, fields: Record<string, unknown>) =>
    resourcesOf(tenant, type).set(id, { id, type, fields, createdAt: "2026-01-01T00:00:00.000Z", deletedAt: null })
  const workers = world.chosen("workers", "are created") === "exist" ? existingIds("worker", 3) : []
  const applicants = world.chosen("applicants", "are created").endsWith("exist") ? existingIds("applicant", 3) : []
  for (const id of workers) seed("worker", id, { identity: { displayName: "Eve" } })
  for (const id of applicants) seed("applicant", id, { fullName: "Eve", email: "eve@stranger.example" })
  for (const [index, id] of [...workers, ...applicants].entries()) {
    const [worker, applicant] = id.startsWith("wkr_") ? [id, ""] : ["", id]
    seed("credential", `cred_existing${index}`, { what: "first-aid", owners: { worker, applicant } })
  }
}

/** A token of the identity provider, which the first tenant trusts. */
const external = (world: World, tenant: Tenant): string => issue(world, tenant, "external", 86_400, () => false)
