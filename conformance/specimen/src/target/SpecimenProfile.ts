import type { Setting } from "../server/Setting.ts"
import { hosts } from "../server/World.ts"

// The profile that the operator of this server would write.

const byId = (path: string) => `${path}/{{id}}`

const groups = {
  worker: {
    path: "/workers",
    create: { body: { identity: { displayName: "{{name}}" }, source: { externalId: "{{unique}}" } } },
    update: [
      {
        method: "PUT",
        path: byId("/workers"),
        body: { identity: { displayName: "{{name}}" }, source: { externalId: "{{unique}}" }, phone: "{{unique}}" }
      }
    ],
    delete: { method: "DELETE", path: byId("/workers") },
    find: "/workers?externalId={{unique}}"
  },
  credential: {
    create: { body: { what: "first-aid", number: "{{unique}}", workerId: "{{worker}}", applicantId: "{{applicant}}" } },
    update: [{ method: "PATCH", path: byId("/credentials"), body: { holder: "{{unique}}" } }],
    delete: { method: "DELETE", path: byId("/credentials") },
    find: "/credentials?search={{unique}}"
  },
  applicant: {
    path: "/applicants",
    create: { body: { fullName: "{{name}}", email: "{{email}}", source: { externalId: "{{unique}}" } } },
    update: [{ method: "PATCH", path: byId("/applicants"), body: { phone: "{{unique}}" } }],
    delete: { method: "DELETE", path: byId("/applicants") },
    find: "/applicants?externalId={{unique}}"
  },
  exemption: {
    path: "/exemptions",
    create: { body: { worker: "{{worker}}", grounds: "{{unique}}" } },
    update: [{ method: "PUT", path: byId("/exemptions"), body: { worker: "{{worker}}", grounds: "{{name}}" } }],
    delete: { method: "DELETE", path: byId("/exemptions") },
    find: "/exemptions?search={{unique}}"
  },
  credentialCheck: {
    path: "/recruitment-checks",
    create: { body: { applicant: "{{applicant}}", package: "standard-first", note: "{{unique}}" } },
    update: [
      {
        method: "PUT",
        path: byId("/recruitment-checks"),
        body: { applicant: "{{applicant}}", package: "standard-first", note: "{{name}}" }
      }
    ],
    delete: { method: "DELETE", path: byId("/recruitment-checks") },
    find: "/recruitment-checks?search={{unique}}"
  },
  captureRequest: {
    path: "/fetch-requests",
    create: { body: { worker: "{{worker}}", note: "{{unique}}" } },
    update: [{ method: "PATCH", path: byId("/fetch-requests"), body: { note: "{{name}}" } }],
    delete: { method: "DELETE", path: byId("/fetch-requests/by-id") },
    find: "/fetch-requests?search={{unique}}"
  },
  complianceCheck: {
    path: "/compliance-checks",
    create: { body: { code: "{{unique}}", title: "{{name}}" } },
    update: [{ method: "PUT", path: byId("/compliance-checks"), body: { title: "{{name}}", note: "{{unique}}" } }],
    delete: { method: "DELETE", path: byId("/compliance-checks") },
    find: "/compliance-checks?search={{unique}}"
  },
  webhook: {
    path: "/webhooks",
    create: { body: { target: "{{receiver}}", topics: "credential.verified", label: "{{unique}}" } },
    update: [{ method: "PATCH", path: byId("/webhooks"), body: { label: "{{name}}" } }],
    delete: { method: "DELETE", path: byId("/webhooks") },
    find: "/webhooks?search={{unique}}"
  },
  accessToken: {
    path: "/my/tokens",
    create: { body: { label: "{{unique}}" }, secret: "data.token" },
    delete: { method: "DELETE", path: byId("/my/tokens") },
    find: "/my/tokens?search={{unique}}"
  },
  apiClient: {
    path: "/my/clients",
    create: { body: { label: "{{unique}}" }, secret: "data.clientSecret" },
    delete: { method: "DELETE", path: byId("/my/clients") },
    find: "/my/clients?search={{unique}}"
  },
  ban: { path: "/bans" },
  screeningPackage: { path: "/screening-packages" },
  auditEntry: { path: "/audit" }
}

const owner = { owner: { id: "{{id}}", type: "{{type}}" } }

const overlap = (until: string) => ({ worker: "{{worker}}", grounds: "{{unique}}", from: "2026-03-01", until })

/** The profile of a server, without its secrets. */
export const profileOf = (setting: Setting, timeoutSeconds: number) => ({
  name: "stranger",
  deployment: { product: "A second server of the specification" },
  newer: { tenantBaseUrl: `https://${hosts.first}`, plainHttpUrl: `http://${hosts.first}` },
  secondTenant: { tenantBaseUrl: `https://${hosts.second}`, admin: setting.secondTenantAdmin },
  principals: setting.principals,
  legacy: {
    ...setting.legacy,
    otherOrganization: { path: "/organizations/42" },
    scan: { type: "wwc", identifier: "{{unique}}", first_name: "Ann", surname: "{{unique}}" }
  },
  groups,
  ownership: {
    link: owner,
    unlink: owner,
    bulkLink: { from: "{{from}}", target: "{{to}}", credentialIds: "{{credentialIds}}" }
  },
  sort: { path: "/workers", parameter: "order", known: "-created", unknown: "colour" },
  businessRule: {
    method: "POST",
    path: "/exemptions",
    body: overlap("2026-02-01"),
    allowedBody: overlap("2026-04-01")
  },
  signingSecret: { create: "data.signing.secret", rotate: "data.secret" },
  receiver: { timeoutSeconds },
  signature: {
    header: "x-signature",
    form: "t={{time}};h={{signature}}",
    algorithm: "sha512",
    encoding: "hex",
    signed: "{{time}}.{{body}}"
  },
  redrive: { method: "POST", path: "/webhooks/{{id}}/deliveries/{{delivery}}/again", of: "delivered" },
  verifiableCredential: { body: { what: "wwc", number: "{{unique}}", workerId: "{{worker}}" } },
  derivedReads: [{ method: "GET", path: "/workers/{{worker}}?expand=credentials", tellsOf: ["worker", "credential"] }],
  providerPaths: ["/oauth/trustline/setup"],
  audit: { path: "/audit?resource={{id}}", actor: "by" },
  bulkFetchRequest: {
    path: "/fetch-requests/batch",
    body: { requests: [{ worker: "{{worker}}" }, { worker: "{{nobody}}" }], note: "{{unique}}" },
    items: "data.results",
    id: "request.id"
  },
  webLogin: setting.webLogin,
  // a busy machine makes many servers slow at once, and no rule of theirs may be blocked for that
  run: { ceiling: "exhaust", secondsInAll: 1800 }
})
