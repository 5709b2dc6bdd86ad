import { ids, requests } from "@wcs/api/openapi/examples/Requests"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import type { JsonObject } from "@wcs/domain/shared/Json"

/** The credentials of a call. */
export type As = "token" | "nobody" | "viewer" | "reader" | "session" | "password" | "legacy"

/** One call of the story. Without `body` and `path` it is the example of the operation. */
export interface Step {
  readonly operation: string
  readonly as?: As
  /** The documented id of the resource that the call returns first. */
  readonly names?: string
  readonly body?: JsonObject
  readonly rawBody?: string
  readonly contentType?: string
  readonly path?: Readonly<Record<string, string>>
  readonly query?: string
  /** By default the only success of the operation. */
  readonly status?: number
  /** Repeats the call until the answer contains this text. */
  readonly until?: string
}

const today = dayAt(Date.now(), defaultTimeZone)

const workerOf = (displayName: string, externalId: string) => ({ identity: { displayName }, source: { externalId } })

const manual = { credentialType: "WWVP_ACT", identifier: "1234567", owners: { worker: ids.ann } }

const childCare = { code: "child-care", name: "Child care", requirements: { credentialTypes: ["WWCC_NSW"] } }

const missing = { id: "wkr_0000000000000000" }

/** The calls that fail: one for each error that a caller can cause. */
const refusals: ReadonlyArray<Step> = [
  { operation: "workers.create", body: { identity: {} }, status: 400 },
  { operation: "workers.create", rawBody: "{", status: 400 },
  { operation: "workers.create", rawBody: "<worker/>", contentType: "application/xml", status: 415 },
  { operation: "workers.create", rawBody: `"${"x".repeat(2 * 1024 * 1024)}"`, status: 413 },
  { operation: "workers.create", as: "viewer", status: 403 },
  { operation: "workers.read", path: missing, status: 404 },
  { operation: "workers.list", as: "nobody", status: 401 },
  { operation: "bans.read", path: { id: "ban-42" }, status: 400 },
  { operation: "changes.list", query: "?after=v1.lost", status: 410 },
  { operation: "screeningPackages.create", status: 409 },
  { operation: "oauth.token", as: "nobody", body: { grant_type: "password" }, status: 400 },
  {
    operation: "oauth.token",
    as: "nobody",
    body: { grant_type: "client_credentials", client_id: "wcs_oauth_0000000000000000", client_secret: "lost" },
    status: 401
  },
  { operation: "legacy.me", as: "nobody", status: 401 },
  { operation: "legacy.token", as: "password", path: { id: "9999" }, status: 404 },
  { operation: "legacy.scan", as: "legacy", body: { type: "wwcc-mars" }, status: 400 }
]

/** The resources that others need, and the events that their creation causes. */
const beginnings: ReadonlyArray<Step> = [
  { operation: "credentialTypes.list" },
  { operation: "me.read" },
  { operation: "webhooks.events" },
  { operation: "webhooks.create", names: ids.webhook },
  { operation: "workers.create", names: ids.ann },
  { operation: "workers.create", names: ids.cy, body: workerOf("Cy Example", "hr-4712") },
  { operation: "workers.list", query: "?externalId=hr-4711" },
  { operation: "changes.list", query: "?pageSize=100", as: "reader" },
  { operation: "applicants.create", names: ids.bo },
  { operation: "applicants.list" },
  { operation: "credentials.create", names: ids.credential },
  { operation: "credentials.create", names: ids.reviewed, body: { attributes: manual } }
]

const credentials: ReadonlyArray<Step> = [
  { operation: "credentials.read", until: '"VALID"' },
  { operation: "credentials.read", path: { id: ids.reviewed }, until: '"QUEUED_MANUAL"' },
  { operation: "credentials.verify" },
  { operation: "credentials.verifications", query: "?pageSize=1" },
  { operation: "credentials.list", query: `?ownerType=applicant&ownerId=${ids.bo}` },
  { operation: "credentials.link" },
  { operation: "credentials.link", body: { type: "worker", id: ids.cy }, status: 409 },
  { operation: "credentials.unlink" },
  { operation: "credentials.unlink", body: { type: "worker", id: ids.ann }, status: 422 },
  { operation: "credentials.bulkLink" },
  { operation: "credentials.unlink", body: { type: "worker", id: ids.ann } },
  { operation: "credentials.transfer" },
  {
    operation: "credentials.transfer",
    body: { from: { type: "applicant", id: ids.bo }, to: { type: "worker", id: ids.cy } },
    status: 409
  },
  { operation: "credentials.ownership", query: "?pageSize=1" },
  { operation: "credentials.review" },
  { operation: "credentials.bulkLink" },
  { operation: "credentials.unlink", body: { type: "worker", id: ids.ann } },
  { operation: "credentials.bulkTransfer" },
  { operation: "credentials.bulkLink" },
  { operation: "credentials.replace" },
  { operation: "credentials.patch" }
]

const screening: ReadonlyArray<Step> = [
  ...["create", "list", "read", "replace", "patch"].map((name) => ({
    operation: `exemptions.${name}`,
    ...(name === "create" ? { names: ids.exemption } : {})
  })),
  ...["create", "list", "read", "replace", "patch"].map((name) => ({ operation: `screeningPackages.${name}` })),
  { operation: "screeningPackages.create", body: childCare },
  ...["create", "list", "read", "replace", "patch", "evaluate", "matrix"].map((name) => ({
    operation: `complianceChecks.${name}`
  })),
  { operation: "reports.verifications" },
  { operation: "workers.proof" },
  { operation: "bans.list" },
  { operation: "bans.read" },
  { operation: "bans.decidable" },
  { operation: "bans.decisions", body: { ...requests["bans.decisions"]?.body, endsOn: today } },
  // These are complete at once, because the credential is there. They cause the events.
  {
    operation: "recruitmentChecks.create",
    body: { applicant: { id: ids.bo }, screeningPackageCode: childCare.code },
    names: "chk_0000000000000000"
  },
  {
    operation: "fetchRequests.create",
    body: { worker: { id: ids.ann }, requestedCredentialTypes: ["WWCC_NSW"] },
    names: "cap_0000000000000000"
  },
  ...["create", "read", "replace", "patch", "resend", "remind", "cancel"].map((name) => ({
    operation: `recruitmentChecks.${name}`,
    ...(name === "create" ? { names: ids.recruitmentCheck } : {})
  })),
  { operation: "recruitmentChecks.list", query: "?status=CANCELLED" },
  ...["create", "read", "replace", "patch", "resend", "remind", "cancel", "bulk"].map((name) => ({
    operation: `fetchRequests.${name}`,
    ...(name === "create" ? { names: ids.fetchRequest } : {})
  })),
  { operation: "fetchRequests.list", query: "?status=CANCELLED" }
]

const deliveries: ReadonlyArray<Step> = [
  { operation: "webhooks.deliveries", query: "?pageSize=1", until: '"DELIVERED"', names: ids.delivery },
  { operation: "webhooks.search", query: "?pageSize=1" },
  { operation: "webhooks.operation" },
  ...["delivery", "ping", "read", "list", "replace", "patch", "rotate", "disable", "enable", "redrive"].map((name) => ({
    operation: `webhooks.${name}`
  }))
]

const access: ReadonlyArray<Step> = [
  ...["create", "read"].map((name) => ({
    operation: `accessTokens.${name}`,
    ...(name === "create" ? { names: ids.token } : {})
  })),
  { operation: "accessTokens.list", query: "?pageSize=1&sort=createdAt:desc" },
  { operation: "accessTokens.remove" },
  { operation: "apiClients.create", names: ids.client },
  { operation: "oauth.token", as: "nobody" },
  { operation: "apiClients.list" },
  { operation: "apiClients.read" },
  { operation: "apiClients.remove" },
  { operation: "users.create", names: ids.user, as: "session" },
  { operation: "users.list", query: "?pageSize=1&sort=createdAt:desc" },
  { operation: "users.roles" },
  { operation: "users.factorRequirement" },
  { operation: "users.requireFactors", as: "session" },
  { operation: "users.read" },
  ...["patch", "reinvite", "remove", "activate", "resetSecondFactor"].map((name) => ({
    operation: `users.${name}`,
    as: "session" as const
  })),
  { operation: "sessions.list", as: "session" },
  { operation: "sessions.read", as: "session" },
  ...["create", "list", "read", "replace", "patch", "verifyDomains", "remove"].map((name) => ({
    operation: `identityProviders.${name}`,
    ...(name === "create" ? { names: ids.provider } : {})
  })),
  { operation: "verificationSources.registers" },
  { operation: "verificationSources.monitoring" },
  ...["create", "list", "read", "replace", "patch", "pause", "resume", "test", "remove"].map((name) => ({
    operation: `verificationSources.${name}`,
    ...(name === "create" ? { names: ids.source } : {})
  })),
  { operation: "auditEvents.list", query: "?action=transfer" }
]

const legacy: ReadonlyArray<Step> = [
  { operation: "legacy.me", as: "password" },
  { operation: "legacy.token", as: "password" },
  { operation: "legacy.organization", as: "legacy" },
  { operation: "legacy.constituents", as: "legacy", query: "?page_size=1" },
  { operation: "legacy.constituent", as: "legacy" },
  { operation: "legacy.scan", as: "legacy" },
  { operation: "scans.list" }
]

const endings: ReadonlyArray<Step> = [
  "webhooks",
  "credentials",
  "exemptions",
  "recruitmentChecks",
  "fetchRequests",
  "screeningPackages",
  "complianceChecks",
  "applicants",
  "workers"
].map((group) => ({ operation: `${group}.remove` }))

const people: ReadonlyArray<Step> = ["workers", "applicants"].flatMap((group) =>
  ["read", "replace", "patch"].map((name) => ({ operation: `${group}.${name}` }))
)

const restorations: ReadonlyArray<Step> = ["applicants", "workers", "credentials"].map((group) => ({
  operation: `${group}.restore`
}))

const units: ReadonlyArray<Step> = ["create", "list", "read", "replace", "patch", "remove"].map((name) => ({
  operation: `units.${name}`,
  ...(name === "create" ? { names: ids.unit } : {})
}))

/** An import from its upload to its end. */
const imports: ReadonlyArray<Step> = [
  { operation: "imports.create", names: ids.import },
  { operation: "imports.check" },
  { operation: "imports.read", until: '"CHECKED"' },
  { operation: "imports.list" },
  { operation: "imports.rows" },
  { operation: "imports.run" },
  { operation: "imports.read", until: '"DONE"' },
  { operation: "imports.undo" },
  { operation: "imports.read", until: '"status":"UNDONE"' },
  { operation: "imports.stop" },
  { operation: "imports.remove" }
]

/** The mail server of the test takes no message. */
const messages: ReadonlyArray<Step> = [
  { operation: "messages.setSettings" },
  { operation: "messages.settings" },
  { operation: "messages.preview" },
  { operation: "messages.sample" },
  { operation: "messages.list", query: "?state=REFUSED", names: ids.message },
  { operation: "messages.resend" },
  { operation: "messages.setOwn" },
  { operation: "messages.own" }
]

/** A person answers before the list, and again after the rejection. */
const answers: ReadonlyArray<Step> = [
  { operation: "answers.list", query: "?state=WAITING", names: ids.answer },
  { operation: "answers.read" },
  { operation: "answers.documents", names: ids.file },
  { operation: "answers.document" },
  { operation: "answers.reject" },
  { operation: "answers.approve" }
]

const documents: ReadonlyArray<Step> = [
  {
    ...{ operation: "documents.create", query: "?name=card.pdf", names: ids.document },
    contentType: "application/octet-stream"
  },
  { operation: "documents.list" },
  { operation: "documents.read" },
  { operation: "documents.remove", query: "?reason=REPLACED" }
]

const notes: ReadonlyArray<Step> = [
  { operation: "notes.write", names: ids.note },
  { operation: "notes.list", query: `?about=${ids.ann}` },
  { operation: "notes.mentions" },
  { operation: "notes.setCaretaker" },
  { operation: "notes.caretaker" },
  { operation: "notes.remove" }
]

/** A worker who was created twice. */
const twins: ReadonlyArray<Step> = [
  { operation: "workers.create", names: ids.twin, body: workerOf("Cy Example", "hr-4712") },
  { operation: "duplicates.list" },
  { operation: "merges.merge", names: ids.merge },
  { operation: "merges.list" },
  { operation: "merges.undo" },
  { operation: "duplicates.dismiss" }
]

/** Calls every operation at least once, in an order in which each example works. */
export const story: ReadonlyArray<Step> = [
  ...beginnings,
  ...people,
  ...units,
  ...imports,
  ...credentials,
  ...screening,
  ...deliveries,
  ...access,
  ...legacy,
  ...refusals,
  ...endings,
  ...restorations,
  // The register answers to the restoration, which would outrank what follows.
  {
    ...{ operation: "credentials.verifications", path: { id: ids.credential } },
    ...{ query: "?pageSize=1&sort=createdAt:desc", until: '"verifiedAt":"2' }
  },
  // An older notice would not count: the register has answered today.
  { operation: "credentials.notices", body: { ...requests["credentials.notices"]?.body, issuedOn: today } },
  {
    operation: "credentials.notices",
    body: { ...requests["credentials.notices"]?.body, issuedOn: today, statusDetail: "CONDITIONAL" }
  },
  { operation: "tasks.list", query: "?reason=CONDITIONAL", names: ids.task, until: "tsk_" },
  { operation: "tasks.assign" },
  { operation: "credentials.decidable" },
  { operation: "credentials.decisions", body: { ...requests["credentials.decisions"]?.body, endsOn: today } },
  ...messages,
  ...answers,
  ...documents,
  ...notes,
  ...twins,
  { operation: "erasures.erase", as: "session" },
  { operation: "erasures.list" },
  { operation: "sessions.remove", as: "session" }
]
