import { randomBytes, randomUUID } from "node:crypto"
import { byDefault, type Chosen } from "./Chosen.ts"
import { faultless, type Hit } from "./Place.ts"

/** A JSON object. */
export interface Fields {
  [name: string]: unknown
}

export const isFields = (value: unknown): value is Fields =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** A caller's account. Privileges are written `worker:READ`. */
export interface Account {
  readonly urn: string
  readonly grants: ReadonlySet<string> | "all"
  readonly limit: number
  readonly windowMillis: number
  used: number
  resetsAt: number
}

export interface Token {
  readonly id: string
  readonly kind: "oauth" | "personal"
  /** The caller in the table of faults: `first client`, `enrolled`. */
  readonly label: string
  readonly account: Account
  /** Unix seconds. */
  readonly expiresAt: number
  isRevoked: boolean
}

export interface Client {
  readonly id: string
  readonly secret: string
  readonly label: string
  isRevoked: boolean
}

/** A resource of any group. The fields of a deleted one are kept. */
export interface Resource {
  readonly id: string
  readonly type: string
  fields: Fields
  readonly createdAt: string
  deletedAt: string | null
}

/** One change of a resource, and the account that made it. */
export interface AuditEntry {
  readonly resource: string
  readonly by: string
  readonly action: string
}

export interface Delivery {
  readonly id: string
  readonly webhook: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** An organization with a host of its own. */
export interface Tenant {
  readonly name: string
  readonly host: string
  readonly service: Account
  readonly resources: Map<string, Map<string, Resource>>
  readonly tokens: Map<string, Token>
  readonly clients: Map<string, Client>
  readonly secrets: Map<string, string>
  readonly deliveries: Map<string, Delivery>
  readonly audit: Array<AuditEntry>
}

/** A user of the legacy surface. */
export interface User {
  readonly id: number
  readonly email: string
  readonly password: string
  readonly label: string
  readonly isVerified: boolean
  readonly mayRead: boolean
  readonly organization: number
}

export interface LegacyToken {
  readonly user: User
  readonly label: string
  readonly expiresAt: number
  isRevoked: boolean
}

/** The web application of the first tenant: its one user, and the logins that are under way. */
export interface Web {
  readonly email: string
  readonly password: string
  /** The key of the user's authenticator app. */
  readonly key: Uint8Array
  /** Logins with a right password and no code yet. */
  readonly tickets: Set<string>
  /** Ids of requests to the identity provider that have no answer yet. */
  readonly asked: Set<string>
  readonly sessions: Set<string>
}

/** Sends a delivery; returns the status of the response. */
export type Deliver = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  method?: string
) => Promise<number>

/** The state of the server. */
export interface World {
  readonly hit: Hit
  readonly chosen: Chosen
  readonly deliver: Deliver
  readonly key: string
  readonly tenants: ReadonlyArray<Tenant>
  readonly users: Array<User>
  readonly legacyTokens: Map<string, LegacyToken>
  readonly web: Web
  /** The payloads of all JWTs that were issued. */
  readonly issued: Set<string>
  /** The calls seen before, by method, URL, caller and body. */
  readonly seen: Set<string>
  /** Values that faults keep between calls. */
  readonly kept: Map<string, string>
  isClosed: boolean
}

/** A random text of letters and digits. */
export const random = (bytes = 12): string => randomBytes(bytes).toString("hex")

const high = 1_000_000

export const account = (
  grants: Account["grants"],
  limit = high,
  windowMillis = 60_000,
  urn = `urn:stranger:acct:${randomUUID()}`
): Account => ({ urn, grants, limit, windowMillis, used: 0, resetsAt: 0 })

/** The calls of an account in a window of so many milliseconds. */
export const limitsOf = (chosen: Chosen): readonly [limit: number, windowMillis: number] =>
  chosen("rate limits", "of a minute") === "of a moment" ? [100, 250] : [high, 60_000]

const tenant = (name: string, host: string, chosen: Chosen): Tenant => ({
  name,
  host,
  service: account("all", ...limitsOf(chosen), `urn:stranger:acct:service-${name}`),
  resources: new Map(),
  tokens: new Map(),
  clients: new Map(),
  secrets: new Map(),
  deliveries: new Map(),
  audit: []
})

/** The hosts of the server. */
export const hosts = { first: "one.stranger.test", second: "two.stranger.test", legacy: "old.stranger.test" } as const

/** A server without a fault, resources, users and tokens. Nothing receives its deliveries. */
export const emptyWorld = (chosen: Chosen): World => ({
  hit: faultless,
  chosen,
  deliver: async () => 204,
  key: random(32),
  tenants: [tenant("first", hosts.first, chosen), tenant("second", hosts.second, chosen)],
  users: [],
  legacyTokens: new Map(),
  web: {
    email: "ann@stranger.example",
    password: `Web-${random(8)}`,
    key: randomBytes(20),
    tickets: new Set(),
    asked: new Set(),
    sessions: new Set()
  },
  issued: new Set(),
  seen: new Set(),
  kept: new Map(),
  isClosed: false
})

/** A server with a copy of the state of another one. */
export const worldLike = (
  { chosen: _, deliver: __, hit: ___, ...state }: World,
  deliver: Deliver,
  hit: Hit = faultless,
  chosen: Chosen = byDefault
): World => ({ ...structuredClone(state), hit, chosen, deliver })

/** The resources of one type. */
export const resourcesOf = ({ resources }: Tenant, type: string): Map<string, Resource> => {
  const found = resources.get(type)
  if (found !== undefined) return found
  const made = new Map<string, Resource>()
  resources.set(type, made)
  return made
}
