import { randomUUID } from "node:crypto"
import { issueLegacy } from "./Legacy.ts"
import { faultless, type Hit } from "./Place.ts"
import { provider, providerKeys } from "./web/Saml.ts"
import { issue } from "./TokenEndpoint.ts"
import { base32 } from "./web/Totp.ts"
import {
  account,
  type Deliver,
  emptyWorld,
  hosts,
  random,
  resourcesOf,
  type Tenant,
  type User,
  type World
} from "./World.ts"

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

const makersOf = (secrets: Map<string, string>) => {
  let count = 0
  const keep = (secret: string): string => {
    count += 1
    secrets.set(`\${STRANGER_${count}}`, secret)
    return `\${STRANGER_${count}}`
  }
  return {
    keep,
    client: (tenant: Tenant, label: string, isRevoked = false) => {
      const client = { id: `stranger_oauth_${random(6)}`, secret: `Sec-${random(16)}`, label, isRevoked }
      tenant.clients.set(client.id, client)
      return { clientId: client.id, clientSecret: keep(client.secret) }
    },
    token: (tenant: Tenant, label: string, of = account("all"), seconds = 1e9, isRevoked = false): string => {
      const secret = `pat-${random(20)}`
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

const limitedOf = (tenant: Tenant, token: ReturnType<typeof makersOf>["token"]) =>
  grantsOf().map((grants, index) => {
    const of = account(new Set(grants))
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
export const setting = (deliver: Deliver, hit: Hit = faultless): Setting => {
  const world = emptyWorld(hit, deliver)
  const secrets = new Map<string, string>()
  const { client, keep, token } = makersOf(secrets)
  const [first, second] = world.tenants
  if (first === undefined || second === undefined) throw new Error("there are two tenants")
  for (const tenant of world.tenants) {
    const seed = (type: string, id: string, fields: Record<string, unknown>) =>
      resourcesOf(tenant, type).set(id, { id, type, fields, createdAt: "2026-01-01T00:00:00.000Z", deletedAt: null })
    seed("ban", `ban-${tenant.name}`, { register: "teachers", since: "2024-02-01" })
    seed("screeningPackage", `standard-${tenant.name}`, { title: "Standard" })
  }
  const [rotated, ended] = [account("all"), account("all")]
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
      limited: limitedOf(first, token),
      rateLimited: { token: token(first, "rate limited", account("all", 10, 1000)) },
      externalToken: keep(external(world, first)),
      enrolledToken: token(first, "enrolled")
    },
    secondTenantAdmin: { oauth: client(second, "admin of the second tenant") },
    legacy: { baseUrl: `https://${hosts.legacy}`, plainHttpUrl: `http://${hosts.legacy}`, ...legacyOf(world, keep) },
    webLogin: webLoginOf(world, keep)
  }
}

/** A token of the identity provider, which the first tenant trusts. */
const external = (world: World, tenant: Tenant): string => issue(world, tenant, "external", 86_400, () => false)
