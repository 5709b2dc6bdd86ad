import type { Administration } from "@wcs/domain/Administration"
import { defaultLifetimeSeconds } from "@wcs/domain/TokenLifetime"
import type { Actor } from "@wcs/domain/Trail"
import { Effect } from "effect"
import { byAdministration, type Hand, makePrincipals, type Wanted } from "./ConformancePrincipals.ts"

// What stands in a profile beside the principals: the same for every deployment of ours. In a template {{name}} stands
// for what the suite puts there.

const worker = {
  path: "/workers",
  create: { body: { identity: { displayName: "{{name}}" }, source: { externalId: "{{unique}}" } } },
  update: [
    { method: "PATCH", path: "/workers/{{id}}", body: { contact: { workEmail: "{{email}}" } } },
    {
      method: "PUT",
      path: "/workers/{{id}}",
      body: { identity: { displayName: "{{name}}" }, source: { externalId: "{{unique}}" } }
    }
  ],
  delete: { method: "DELETE", path: "/workers/{{id}}" },
  find: "/workers?externalId={{unique}}"
} as const

const credential = {
  path: "/credentials",
  create: {
    body: {
      attributes: {
        credentialType: "FIRST_AID",
        identifier: "{{unique}}",
        owners: { worker: "{{worker}}", applicant: "{{applicant}}" }
      }
    }
  },
  update: [
    { method: "PATCH", path: "/credentials/{{id}}", body: { attributes: { cardType: "{{unique}}" } } },
    {
      method: "PUT",
      path: "/credentials/{{id}}",
      body: { attributes: { credentialType: "FIRST_AID", identifier: "{{unique}}" } }
    }
  ],
  delete: { method: "DELETE", path: "/credentials/{{id}}" }
} as const

const applicant = {
  path: "/applicants",
  create: { body: { displayName: "{{name}}", emailAddress: "{{email}}", source: { externalId: "{{unique}}" } } },
  update: [
    { method: "PATCH", path: "/applicants/{{id}}", body: { displayName: "{{name}}" } },
    {
      method: "PUT",
      path: "/applicants/{{id}}",
      body: { displayName: "{{name}}", emailAddress: "{{email}}", source: { externalId: "{{unique}}" } }
    }
  ],
  delete: { method: "DELETE", path: "/applicants/{{id}}" },
  find: "/applicants?externalId={{unique}}"
} as const

const ownerReference = { type: "{{type}}", id: "{{id}}" } as const

const ownership = {
  link: ownerReference,
  unlink: ownerReference,
  bulkLink: { from: "{{from}}", to: "{{to}}", credentialIds: "{{credentialIds}}" }
} as const

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
  "audit reading",
  "bulk fetch request",
  "verifiable credential",
  "compliance-check body",
  "receiver",
  "webhook body",
  "redrive path",
  "signature scheme",
  "the secret's place"
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
    groups: { worker, credential, applicant },
    ownership,
    sort,
    businessRule,
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
