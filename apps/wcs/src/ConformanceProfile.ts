import type { AdminClient } from "@wcs/admin/AdminClient"
import { defaultLifetimeSeconds } from "@wcs/domain/access/TokenLifetime"
import { Effect } from "effect"
import { groups } from "./ConformanceGroups.ts"
import { makePrincipals, type Wanted } from "./ConformancePrincipals.ts"

// The parts of a profile other than principals and groups, the same for all our deployments. The suite replaces
// {{name}} in templates.

const ownerReference = { type: "{{type}}", id: "{{id}}" } as const

const ownership = {
  link: ownerReference,
  unlink: ownerReference,
  bulkLink: { from: "{{from}}", to: "{{to}}", credentialIds: "{{credentialIds}}" }
} as const

const signingSecret = { create: "data.signingSecret", rotate: "data.signingSecret" } as const

/** The longest wait for a delivery. Attempts and retries take about a second each. */
const receiver = { timeoutSeconds: 10 } as const

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

/** A redrive by id sends a delivery again in any state. */
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
      identifier: "1234567A-01", // the reference register knows it as valid
      holder: { firstName: "Ann", lastName: "Example" },
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

/** An unknown id: ids have 95 random bits. */
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

/** Features that rules need and this deployment does not offer yet, by their names in the suite. */
const notOffered = [
  "provider paths",
  "external identity provider",
  "user with multifactor authentication",
  "web login by SAML",
  "web login with TOTP"
] as const

/** The legacy part of the profile. No credential matches the scan. */
const scan = { type: "wwcc-nsw", identifier: "{{unique}}", first_name: "Conformance", surname: "{{unique}}" } as const

/** Constituents belong to one organization. */
const constituents = "/constituents"
const constituent = "/constituents/{{worker}}"

/** The place of a deployment. */
export interface Place {
  /** Scheme, host and port. */
  readonly tenantBaseUrl: string
  readonly secondTenantBaseUrl: string
  /** Absent: no port answers plain HTTP. */
  readonly plainHttpUrl?: string
  /** PEM file, relative to the profile. Absent if the system trusts the issuer. */
  readonly caFile?: string
  /** Addresses of hosts without DNS entries. */
  readonly resolve?: Readonly<Record<string, string>>
}

/** The name, place, principals and token lifetimes of a deployment. */
export interface Description extends Wanted {
  readonly name: string
  readonly place: Place
  /** Default: the lifetime of the specification. */
  readonly oauthLifetimeSeconds?: number
  /** The lifetime of legacy tokens. */
  readonly legacyLifetimeSeconds?: number
  /** Whether the deployment delivers over HTTP to the machine of the suite. Default: true. */
  readonly deliversToLoopback?: boolean
}

/**
 * Creates the principals and the complete profile. Secrets are returned separately, never in the profile. The clock of
 * the deployment must be at least `readyAt` when the profile is used, because two tokens must be expired.
 */
export const makeConformance = Effect.fn("ConformanceProfile.make")(function* (
  client: AdminClient,
  {
    legacyLifetimeSeconds = defaultLifetimeSeconds.legacy,
    deliversToLoopback = true,
    name,
    oauthLifetimeSeconds = defaultLifetimeSeconds.oauth,
    place,
    ...wanted
  }: Description
) {
  const { legacy, principals, readyAt, secondTenantAdmin, secrets } = yield* makePrincipals(client, wanted)
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
    // the standard limit of unauthenticated calls makes the run wait for minutes
    run: { ceiling: "exhaust", secondsInAll: 1800 }
  } as const
  return { profile, secrets, readyAt }
})
