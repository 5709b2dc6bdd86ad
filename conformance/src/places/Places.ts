import type { RuleId } from "../catalogue/Catalogue.ts"
import type { Caller } from "../judgement/Place.ts"
import { goodClient } from "../profile/Principals.ts"
import type { Profile } from "../profile/Profile.ts"
import { type Endpoint, endpointsOf, isNamed } from "./Endpoints.ts"

/** The properties by which a row selects calls. */
const calls = {
  every: () => true,
  /** Calls of groups that the specification names. A profile may add others; there, the walks try only some callers. */
  named: ({ entity }: Endpoint) => isNamed(entity),
  reads: ({ way }: Endpoint) => way === "list",
  creates: ({ way }: Endpoint) => way === "create",
  updates: ({ way }: Endpoint) => way === "update",
  deletes: ({ way }: Endpoint) => way === "delete",
  actions: ({ way }: Endpoint) => way === "action" || way === "batch",
  single: ({ entity, way }: Endpoint) => way === "action" && entity === "credential",
  batches: ({ way }: Endpoint) => way === "batch",
  bodied: ({ way }: Endpoint) => way !== "delete",
  bodies: ({ takesBody }: Endpoint) => takesBody,
  items: ({ way }: Endpoint) => ["read", "update", "delete", "action"].includes(way)
} as const satisfies Record<string, (endpoint: Endpoint) => boolean>

/** Rules that can be broken at a single call, the calls, and the callers. */
interface Row {
  readonly rules: ReadonlyArray<RuleId>
  /** Calls of the newer surface that have all of these properties. */
  readonly at?: ReadonlyArray<keyof typeof calls>
  /** Further calls, by name. */
  readonly named?: ReadonlyArray<string>
  readonly by: ReadonlyArray<Caller>
  readonly host?: " at the second host"
  /** Whether the deployment offers the callers. */
  readonly isOffered?: (profile: Profile) => boolean
}

const hasLimited = ({ principals }: Profile): boolean => (principals.limited ?? []).length > 0
const hasScan = ({ legacy }: Profile): boolean => legacy?.user !== undefined && legacy.scan !== undefined
const hasClient = (profile: Profile): boolean => goodClient(profile) !== undefined
const hasPersonal = ({ principals }: Profile): boolean => principals.personalToken !== undefined

/** The calls of the legacy surface that take a bearer token (§4.1). */
const legacyCalls = ["GET /api/users/me", "GET /api/organizations/me", "GET /api/constituents", "POST /api/scan"]
const legacyTokens = "POST /api/users/{id}/token"
const grants = ["POST /oauth/token"]

/** Where each rule can be broken separately. Rules without a row have one place: that of their walk. */
const rows: ReadonlyArray<Row> = [
  { rules: ["AUT-01"], at: ["every"], by: ["nobody"] },
  { rules: ["AUT-02"], at: ["named"], by: ["another scheme"] },
  { rules: ["AUT-04"], at: ["named"], by: ["another token"] },
  {
    rules: ["AUT-05"],
    at: ["named"],
    by: ["an expired token"],
    isOffered: ({ principals }) => principals.expiredToken !== undefined
  },
  {
    rules: ["AUT-12"],
    at: ["named"],
    by: ["a revoked token"],
    isOffered: ({ principals }) => principals.revokedToken !== undefined
  },
  { rules: ["AUT-08", "AUT-10"], at: ["named"], by: ["a personal token"], isOffered: hasPersonal },
  {
    rules: ["TRN-10"],
    at: ["named"],
    by: ["the second tenant"],
    isOffered: ({ secondTenant }) => secondTenant !== undefined
  },
  {
    rules: ["TRN-05"],
    at: ["items"],
    by: ["the second tenant"],
    host: " at the second host",
    isOffered: ({ secondTenant }) => secondTenant !== undefined
  },
  { rules: ["PRV-01"], at: ["reads"], by: ["a limited token"], isOffered: hasLimited },
  { rules: ["PRV-02"], at: ["creates"], by: ["a limited token"], isOffered: hasLimited },
  { rules: ["PRV-03"], at: ["updates"], by: ["a limited token"], isOffered: hasLimited },
  { rules: ["PRV-04"], at: ["deletes"], by: ["a limited token"], isOffered: hasLimited },
  { rules: ["PRV-16"], at: ["actions"], by: ["a limited token"], isOffered: hasLimited },
  { rules: ["ENV-04", "TRN-08"], at: ["bodies"], by: ["a valid token"] },
  { rules: ["ENV-05"], at: ["creates"], by: ["an OAuth token"] },
  { rules: ["OWN-20"], at: ["single"], by: ["an OAuth token"] },
  { rules: ["BLK-12"], at: ["batches"], by: ["an OAuth token"] },
  { rules: ["RTL-01", "RID-03", "RID-07"], at: ["every"], by: ["an OAuth token"] },
  { rules: ["LEG-15", "LEG-16"], named: legacyCalls, by: ["another token"], isOffered: hasScan },
  {
    rules: ["LEG-17"],
    named: legacyCalls,
    by: ["another token"],
    isOffered: (profile) => hasScan(profile) && profile.legacy?.expiredToken !== undefined
  },
  {
    rules: ["LEG-19", "LEG-31"],
    named: legacyCalls,
    by: ["another token"],
    isOffered: (profile) => hasScan(profile) && profile.legacy?.revokedToken !== undefined
  },
  { rules: ["LEG-18"], named: [...legacyCalls, legacyTokens], by: ["nobody"], isOffered: hasScan },
  { rules: ["LEG-18"], named: ["GET /api/users/me", legacyTokens], by: ["a Basic header"], isOffered: hasScan },
  { rules: ["LEG-30"], named: ["GET /api/users/me", legacyTokens], by: ["a Basic header"], isOffered: hasScan },
  { rules: ["LEG-14"], named: legacyCalls.slice(1), by: ["a Basic header"], isOffered: hasScan },
  {
    rules: ["OAU-09", "OAU-10", "OAU-11", "OAU-12"],
    named: grants,
    by: ["nobody", "a Basic header"],
    isOffered: hasClient
  },
  {
    rules: ["OAU-13"],
    named: grants,
    by: ["nobody", "a Basic header"],
    isOffered: ({ principals }) => principals.revokedClient !== undefined
  },
  // a delete has no body
  { rules: ["ENV-01", "RID-02", "TRN-07", "TRN-09"], at: ["bodied"], by: ["an OAuth token"] }
]

/** The admin's token is personal in a profile without an OAuth client. */
const callerIn = ({ principals: { admin } }: Profile, caller: Caller): Caller =>
  caller === "an OAuth token" && !("oauth" in admin) ? "a personal token" : caller

/** Every place at which a deployment can break a rule separately, by its profile; empty for rules with one place. */
export const placesOfRule = (rule: RuleId, profile: Profile): ReadonlyArray<string> => {
  const offered = endpointsOf(profile)
  const own = rows.filter(({ isOffered = () => true, rules }) => rules.includes(rule) && isOffered(profile))
  return [
    ...new Set(
      own.flatMap(({ at, by, host = "", named = [] }) => {
        const isOne = (endpoint: Endpoint) => at?.every((which) => calls[which](endpoint)) === true
        const names = [...named, ...offered.filter(isOne).map(({ name }) => name)]
        return names.flatMap((name) => by.map((caller) => `${name} by ${callerIn(profile, caller)}${host}`))
      })
    )
  ]
}

/** The rules that can be broken at a single call. */
export const rulesWithPlaces: ReadonlyArray<RuleId> = [...new Set(rows.flatMap(({ rules }) => rules))]
