import type { Administration } from "@wcs/domain/Administration"
import { defaultLifetimeSeconds } from "@wcs/domain/TokenLifetime"
import type { Actor } from "@wcs/domain/Trail"
import { Effect } from "effect"
import { groups } from "./ConformanceGroups.ts"
import { byAdministration, type Hand, makePrincipals, type Wanted } from "./ConformancePrincipals.ts"

// What stands in a profile beside the principals and the groups: the same for every deployment of ours. In a template
// {{name}} stands for what the suite puts there.

const ownerReference = { type: "{{type}}", id: "{{id}}" } as const

const ownership = {
  link: ownerReference,
  unlink: ownerReference,
  bulkLink: { from: "{{from}}", to: "{{to}}", credentialIds: "{{credentialIds}}" }
} as const

const signingSecret = { create: "data.signingSecret", rotate: "data.signingSecret" } as const

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
  "legacy user",
  "scan body",
  "expired legacy token",
  "revoked legacy token",
  "legacy user without permission",
  "second organization's resource",
  "unverified legacy user",
  "verifiable credential",
  "receiver",
  "redrive path",
  "signature scheme"
] as const

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
}

/** Makes everybody that a complete profile needs, and the profile; secrets stand beside it and never in it. */
export const makeConformanceBy = Effect.fn("ConformanceProfile.make")(function* <E>(
  hand: Hand<E>,
  { name, oauthLifetimeSeconds = defaultLifetimeSeconds.oauth, place, ...wanted }: Description
) {
  const { principals, readyAt, secondTenantAdmin, secrets } = yield* makePrincipals(hand, wanted)
  const { caFile, plainHttpUrl, resolve, secondTenantBaseUrl, tenantBaseUrl } = place
  const profile = {
    name,
    deployment: { product: "Workforce Compliance Service" },
    newer: { tenantBaseUrl, ...(plainHttpUrl === undefined ? {} : { plainHttpUrl }) },
    secondTenant: { tenantBaseUrl: secondTenantBaseUrl, admin: secondTenantAdmin },
    ...(caFile === undefined ? {} : { tls: { caFile } }),
    ...(resolve === undefined ? {} : { resolve }),
    principals,
    groups,
    ownership,
    signingSecret,
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
 * The same by the service itself, for a deployment in this process. `readyAt` is when its clock has to be, at the
 * earliest, when the profile is used: one token of it expires then.
 */
export const makeConformance = (administration: Administration["Service"], actor: Actor, description: Description) =>
  makeConformanceBy(byAdministration(administration, actor), description)
