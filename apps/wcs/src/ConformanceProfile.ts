import { defaultLifetimeSeconds } from "@wcs/domain/access/TokenLifetime"
import type { Actor } from "@wcs/domain/audit/AuditEntry"
import { Effect } from "effect"
import { groups } from "./ConformanceGroups.ts"
import { byServices, type Hand, makePrincipals, type Wanted } from "./ConformancePrincipals.ts"

// What stands in a profile beside the principals and the groups: the same for every deployment of ours. In a template
// {{name}} stands for what the suite puts there.

const ownerReference = { type: "{{type}}", id: "{{id}}" } as const

const ownership = {
  link: ownerReference,
  unlink: ownerReference,
  bulkLink: { from: "{{from}}", to: "{{to}}", credentialIds: "{{credentialIds}}" }
} as const

const signingSecret = { create: "data.signingSecret", rotate: "data.signingSecret" } as const

/** As long as a delivery takes at most: it is attempted within a second, and again within another. */
const receiver = { patienceSeconds: 10 } as const

/** Standard Webhooks (DECISIONS.md#webhooks). */
const signature = {
  header: "webhook-signature",
  form: "v1,{{signature}}",
  algorithm: "sha256",
  encoding: "base64",
  signed: "{{id}}.{{timestamp}}.{{body}}",
  headers: { id: "webhook-id", timestamp: "webhook-timestamp" },
  key: { prefix: "whsec_", encoding: "base64" }
} as const

/** By its id a delivery is sent once more whatever became of it. */
const redrive = {
  method: "POST",
  path: "/webhooks/{{id}}/redrive",
  body: { deliveryIds: ["{{delivery}}"] },
  of: "delivered"
} as const

const verifiableCredential = {
  body: {
    attributes: {
      credentialType: "WWCC_VIC",
      identifier: "{{unique}}00",
      holder: { firstName: "Conformance", lastName: "{{unique}}" },
      owners: { worker: "{{worker}}" }
    }
  }
} as const

const subscribedWebhook = {
  body: { name: "{{name}}", url: "{{receiver}}", events: ["credential.verified"] }
} as const

const derivedReads = [
  { method: "GET", path: "/workers/{{worker}}?include=credentials", tellsOf: ["worker", "credential"] },
  {
    method: "POST",
    path: "/compliance-checks/{{complianceCheck}}/evaluate",
    body: { workers: [{ id: "{{worker}}" }] },
    tellsOf: ["complianceCheck", "worker", "credential"]
  }
] as const

const sort = {
  path: "/workers",
  parameter: "sort",
  known: "createdAt:asc",
  unknown: "noSuchField:asc"
} as const

/** Nobody has this id: ids are drawn from 95 random bits. */
const nobody = `wkr_${"0".repeat(16)}`

const businessRule = {
  method: "POST",
  path: "/credentials",
  body: { attributes: { credentialType: "FIRST_AID", owners: { worker: nobody } } },
  allowedBody: { attributes: { credentialType: "FIRST_AID", owners: { worker: "{{worker}}" } } }
} as const

const audit = { path: "/audit-events?entityId={{id}}", actor: "account" } as const

const bulkFetchRequest = {
  path: "/fetch-requests/bulk",
  body: {
    workers: [{ id: "{{worker}}" }, { id: "{{nobody}}" }],
    requestedCredentialTypes: ["FIRST_AID"],
    message: "{{unique}}"
  }
} as const

/** What rules need that this deployment offers through no interface yet, as the suite names it. */
const notOffered = [
  "provider paths",
  "external identity provider",
  "user with it enrolled",
  "web login by SAML",
  "web login with TOTP"
] as const

/** What the legacy surface has beside those who log in there. Nobody has such a card. */
const scan = { type: "wwcc-nsw", identifier: "{{unique}}", first_name: "Conformance", surname: "{{unique}}" } as const

/** The people of an organization are no other organization's. */
const constituents = "/constituents"
const constituent = "/constituents/{{worker}}"

/** Where a deployment is found. */
export interface Place {
  /** Scheme, host and port. */
  readonly tenantBaseUrl: string
  readonly secondTenantBaseUrl: string
  /** Left out: plain HTTP is answered nowhere. */
  readonly plainHttpUrl?: string
  /** PEM, relative to the profile; left out where the system knows the issuer. */
  readonly caFile?: string
  /** Addresses of hosts that DNS does not know. */
  readonly resolve?: Readonly<Record<string, string>>
}

/** What a deployment is called in the suite's reports, where it is, who calls it, and how long their tokens live. */
export interface Description extends Wanted {
  readonly name: string
  readonly place: Place
  /** The specification's where it is left out. */
  readonly oauthLifetimeSeconds?: number
  /** Likewise, of the legacy surface. */
  readonly legacyLifetimeSeconds?: number
  /** Whether it delivers to a receiver of the suite's own machine, over HTTP; left out where it does. */
  readonly deliversToLoopback?: boolean
}

/** Makes everybody that a complete profile needs, and the profile; secrets stand beside it and never in it. */
export const makeConformanceBy = Effect.fn("ConformanceProfile.make")(function* <E>(
  hand: Hand<E>,
  {
    legacyLifetimeSeconds = defaultLifetimeSeconds.legacy,
    deliversToLoopback = true,
    name,
    oauthLifetimeSeconds = defaultLifetimeSeconds.oauth,
    place,
    ...wanted
  }: Description
) {
  const { legacy, principals, readyAt, secondTenantAdmin, secrets } = yield* makePrincipals(hand, wanted)
  const { caFile, plainHttpUrl, resolve, secondTenantBaseUrl, tenantBaseUrl } = place
  const profile = {
    name,
    deployment: { product: "Workforce Compliance Service" },
    newer: { tenantBaseUrl, ...(plainHttpUrl === undefined ? {} : { plainHttpUrl }) },
    secondTenant: { tenantBaseUrl: secondTenantBaseUrl, admin: secondTenantAdmin },
    ...(caFile === undefined ? {} : { tls: { caFile } }),
    ...(resolve === undefined ? {} : { resolve }),
    principals,
    legacy: {
      ...legacy,
      baseUrl: tenantBaseUrl,
      withoutPermission: { user: legacy.withoutPermission, call: { method: "GET", path: constituents } },
      otherOrganization: { user: legacy.otherOrganization, baseUrl: secondTenantBaseUrl, path: constituent },
      scan,
      tokenLifetimeSeconds: legacyLifetimeSeconds
    },
    groups,
    ownership,
    signingSecret,
    ...(deliversToLoopback ? { receiver } : {}),
    signature,
    redrive,
    verifiableCredential,
    subscribedWebhook,
    derivedReads,
    sort,
    businessRule,
    audit,
    bulkFetchRequest,
    oauthLifetimeSeconds,
    notOffered,
    run: { ceiling: "exhaust" }
  } as const
  return { profile, secrets, readyAt }
})

/**
 * The same by the services themselves, for a deployment in this process. `readyAt` is when its clock has to be, at the
 * earliest, when the profile is used: two tokens of it expire then.
 */
export const makeConformance = (services: Parameters<typeof byServices>[0], actor: Actor, description: Description) =>
  makeConformanceBy(byServices(services, actor), description)
