import { type Endpoint, endpointsOf } from "@wcs/api/Endpoints"
import { unguarded } from "@wcs/api/Guard"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import type { Effect } from "effect"
import {
  type Call,
  freshCode,
  identityProviderFields,
  type Service,
  verificationSourceFields,
  webhookFields
} from "../Service.ts"
import { missing, octets, pdf, requestedCredentialTypes, type Subjects, subjects, subjectsOf } from "./Subjects.ts"

/** Every endpoint that requires authentication. */
export const endpoints: ReadonlyArray<Endpoint> = endpointsOf(NewerSurface).filter(
  ({ name }) => !unguarded.includes(name)
)

/** The endpoints for bearer tokens. `EndedCallers.test.ts` covers those for sessions only. */
export const routes: ReadonlyArray<Endpoint> = endpoints.filter(({ stepUp }) => stepUp?.takesTokens !== false)

/** Endpoints that require a privilege, and so can refuse for lack of one. */
export const asking: ReadonlyArray<Endpoint> = routes.filter(({ guard }) => guard?.privileges.length !== 0)

const applicantRef = ({ applicant }: Subjects) => ({ type: "applicant", id: applicant })
const workerRef = ({ worker }: Subjects) => ({ type: "worker", id: worker })

const applicantCheck = ({ applicant, screeningPackage }: Subjects) => ({
  applicant: { id: applicant },
  screeningPackageCode: screeningPackage
})
const workerRequest = ({ worker }: Subjects) => ({ worker: { id: worker }, requestedCredentialTypes })

const messageSettings = {
  tellsOfCards: false,
  tellsOfRequests: false,
  ...{ enabled: false, timeOfDay: "06:30", weekday: "FRIDAY", language: "de" },
  templates: { RED_TODAY: { subject: "{organization}", text: "{items}" } }
}

const requirement = { credentialTypes: ["FIRST_AID"] }

/** Valid bodies for each endpoint; none if it takes none. */
const bodies: Readonly<Record<string, (of: Subjects) => unknown>> = {
  "workers.create": () => ({ identity: { displayName: "Ann Example" } }),
  "workers.replace": () => ({ identity: { displayName: "Bob Example" } }),
  "workers.patch": () => ({ employment: { jobTitle: "Nurse" } }),
  "applicants.create": () => ({ emailAddress: "ann@example.org" }),
  "applicants.replace": () => ({ emailAddress: "bob@example.org" }),
  "applicants.patch": () => ({ phone: "000" }),
  "exemptions.create": ({ worker }) => ({ exemptionType: "MEDICAL", worker: { id: worker } }),
  "exemptions.replace": ({ applicant }) => ({ exemptionType: "RELIGIOUS", applicant: { id: applicant } }),
  "exemptions.patch": () => ({ reason: "told" }),
  "screeningPackages.create": () => ({ code: freshCode(), name: "Aged care" }),
  "screeningPackages.replace": () => ({ name: "Aged care" }),
  "screeningPackages.patch": () => ({ active: false }),
  "complianceChecks.create": () => ({ code: freshCode(), displayName: "First aid", requirement }),
  "complianceChecks.replace": () => ({ displayName: "First of all", requirement }),
  "complianceChecks.patch": () => ({ severity: "INFO" }),
  "complianceChecks.evaluate": ({ worker }) => ({ workers: [{ id: worker }] }),
  "webhooks.create": () => webhookFields,
  "webhooks.replace": () => ({ ...webhookFields, name: "Payroll" }),
  "webhooks.patch": () => ({ name: "Rosters" }),
  "recruitmentChecks.create": applicantCheck,
  "recruitmentChecks.replace": (of) => ({ ...applicantCheck(of), message: "Please" }),
  "recruitmentChecks.patch": () => ({ expiryDays: 30 }),
  "fetchRequests.create": workerRequest,
  "fetchRequests.replace": (of) => ({ ...workerRequest(of), message: "Please" }),
  "fetchRequests.patch": () => ({ expiryDays: 30 }),
  "fetchRequests.bulk": ({ worker }) => ({ workers: [{ id: worker }], requestedCredentialTypes }),
  "accessTokens.create": () => ({ name: "test" }),
  "apiClients.create": () => ({ name: "test" }),
  "identityProviders.create": () => identityProviderFields,
  "identityProviders.replace": () => ({ ...identityProviderFields, name: "Other" }),
  "identityProviders.patch": () => ({ name: "Third" }),
  "verificationSources.create": () => verificationSourceFields,
  "verificationSources.replace": () => ({ ...verificationSourceFields, intervalDays: 1 }),
  "verificationSources.patch": () => ({ intervalDays: 31 }),
  "credentials.create": ({ worker }) => ({ attributes: { credentialType: "FIRST_AID", owners: { worker } } }),
  "credentials.replace": ({ worker }) => ({
    attributes: { credentialType: "FIRST_AID", category: "Bronze", owners: { worker } }
  }),
  "credentials.patch": () => ({ attributes: { category: "Silver" } }),
  "credentials.verify": () => ({ correlationId: "test" }),
  "credentials.review": () => ({ statusDetail: "VALID" }),
  "credentials.notices": () => ({ statusDetail: "VALID", issuedOn: "2020-01-31", reference: "letter" }),
  "credentials.decisions": () => ({
    outcome: "MAY_NOT_ENGAGE",
    reason: "the person has not sent the details",
    endsOn: dayAt(Date.now(), defaultTimeZone)
  }),
  "answers.reject": () => ({ reason: "The number is not readable" }),
  "messages.setSettings": () => messageSettings,
  "messages.preview": () => ({ kind: "RED_TODAY" }),
  "messages.sample": () => ({ kind: "WEEKLY_DIGEST" }),
  "messages.setOwn": () => ({ WEEKLY_DIGEST: false, RED_TODAY: true }),
  "notes.write": ({ worker }) => ({ about: worker, text: "Ann sends the card." }),
  "notes.setCaretaker": () => ({ caretaker: null }),
  "units.create": () => ({ name: "North" }),
  "units.replace": () => ({ name: "South" }),
  "units.patch": () => ({ externalId: "east" }),
  "bans.decisions": () => ({
    outcome: "MAY_ENGAGE",
    reason: "another birth date",
    endsOn: dayAt(Date.now(), defaultTimeZone)
  }),
  "tasks.assign": ({ user }) => ({ assignee: { id: user } }),
  "imports.check": () => ({ dateOrder: "YMD" }),
  "imports.run": () => ({ withDuplicates: true }),
  "duplicates.dismiss": ({ twin, worker }) => ({ workers: [worker, twin] }),
  "merges.merge": ({ twin }) => ({ from: twin }),
  "erasures.erase": () => ({ reason: "PERSON_ASKED" }),
  "webhooks.redrive": () => ({ states: ["EXHAUSTED"] }),
  "credentials.link": applicantRef,
  "credentials.unlink": applicantRef,
  "credentials.transfer": (of) => ({ from: workerRef(of), to: applicantRef(of) }),
  "credentials.bulkLink": (of) => ({ to: applicantRef(of), credentialIds: [of.credential] }),
  "credentials.bulkTransfer": (of) => ({ from: workerRef(of), to: applicantRef(of), credentialIds: [of.credential] })
}

/** The queries that a call needs. */
const queries: Readonly<Record<string, (of: Subjects) => string>> = {
  "documents.remove": () => "?reason=OTHER",
  "notes.list": ({ worker }) => `?about=${worker}`
}

/** The actions that take no body. */
const withoutBody: ReadonlyArray<string> = [
  "rotate",
  "enable",
  "disable",
  "resend",
  "remind",
  "cancel",
  "restore",
  "ping",
  "verifyDomains",
  "pause",
  "resume",
  "test",
  "undo",
  "stop",
  "approve"
]

type Entity = Exclude<
  keyof Subjects,
  | "shared"
  | "verified"
  | "reviewed"
  | "open"
  | "disabledWebhook"
  | "delivery"
  | "pausedSource"
  | "checkedImport"
  | "doneImport"
  | "twin"
  | "otherAnswer"
  | "answerDocument"
  | "document"
>

/** The entity type of each group (§4.2; DECISIONS.md#fields). */
export const groups: Readonly<Record<string, Entity | "auditEvent">> = {
  workers: "worker",
  applicants: "applicant",
  credentials: "credential",
  credentialTypes: "credential",
  scans: "credential",
  exemptions: "exemption",
  screeningPackages: "screeningPackage",
  complianceChecks: "complianceCheck",
  webhooks: "webhook",
  bans: "ban",
  auditEvents: "auditEvent",
  recruitmentChecks: "credentialCheck",
  fetchRequests: "captureRequest",
  accessTokens: "accessToken",
  apiClients: "apiClient",
  users: "user",
  sessions: "session",
  identityProviders: "identityProvider",
  verificationSources: "verificationSource",
  erasures: "worker",
  duplicates: "worker",
  merges: "merge",
  tasks: "task",
  imports: "import",
  units: "unit",
  messages: "message",
  answers: "answer",
  documents: "credential",
  notes: "note"
}

/** The entity type that an endpoint is about. */
export const entityOf = ({ name }: Pick<Endpoint, "name">) => {
  const entity = groups[name.split(".")[0] ?? ""]
  if (entity === undefined) throw new Error(`no group is known for ${name}`)
  return entity
}

/** The code of the refusal of a group's malformed id. */
export const malformedCode = (route: Pick<Endpoint, "name">): string =>
  entityOf(route) === "ban" ? "INVALID_URN" : "INVALID_ARGUMENT"

/** The id that a call with this name refers to. */
export const idOf = (name: string, of: Subjects): string => {
  if (name === "credentials.unlink") return of.shared
  if (name === "credentials.verify") return of.verified
  if (name === "credentials.notices") return of.verified
  if (name === "credentials.decisions") return of.open
  if (name === "credentials.review") return of.reviewed
  if (name === "webhooks.enable") return of.disabledWebhook
  if (name === "verificationSources.resume") return of.pausedSource
  if (name === "merges.merge" || /^notes\.(caretaker|setCaretaker)$/.test(name)) return of.worker
  if (name === "imports.run") return of.checkedImport
  if (name === "answers.reject") return of.otherAnswer
  if (name === "imports.undo") return of.doneImport
  const entity = entityOf({ name })
  if (entity === "auditEvent") throw new Error("no call is about one audit event")
  return of[entity]
}

/** The path of an endpoint for these subjects. */
export const pathOf = ({ name, path }: Endpoint, of: Subjects): string =>
  path.includes(":id")
    ? path
        .replace(":id", idOf(name, of))
        .replace(":deliveryId", () => of.delivery)
        .replace(":documentId", () => (name === "answers.document" ? of.answerDocument : of.document))
    : path

/** A call that succeeds with new subjects and, unless a GET, changes something. */
export const goodCall = (route: Endpoint, of: Subjects): Call => {
  if (route.name === "imports.create") {
    return { method: route.method, path: route.path, rawBody: "Name\nAnn\n", headers: { "content-type": "text/csv" } }
  }
  if (route.name === "documents.create") {
    return { method: route.method, path: pathOf(route, of), rawBody: pdf, headers: octets }
  }
  const body = bodies[route.name]
  const isBare = ["GET", "DELETE"].includes(route.method) || withoutBody.includes(route.name.split(".")[1] ?? "")
  // A new endpoint is called too, so it needs an entry here.
  if (body === undefined && !isBare) throw new Error(`no body is known for ${route.name}`)
  const query = queries[route.name]?.(of) ?? ""
  const call = { method: route.method, path: pathOf(route, of) + query }
  return body === undefined ? call : { ...call, body: body(of) }
}

/** The calls that act on everything of a person, also on what they do not name. */
const ofWholePerson = /^(workers|applicants|erasures|merges)\./

/** New subjects for a good call of a route: those that it names, or all if it acts on everything of a person. */
export const subjectsFor = (route: Endpoint): Effect.Effect<Subjects, never, Service> =>
  ofWholePerson.test(route.name) ? subjects : subjectsOf((of) => goodCall(route, of))

/** The calls whose body is a file, with its type. */
const files: Readonly<Record<string, string>> = {
  "imports.create": "text/csv",
  "documents.create": octets["content-type"]
}

/** A write that would be answered 400 or 404 if it got that far: malformed JSON for a missing entity. */
export const badCall = (route: Endpoint): Call => ({
  method: route.method,
  path: pathOf(route, missing),
  rawBody: route.name in files ? "" : "{",
  headers: { "content-type": files[route.name] ?? "application/json" }
})

/** The reads that are in the audit log: each look at a document. */
export const looks: ReadonlySet<string> = new Set(["documents.read", "answers.document"])

/** Whether a successful call changes nothing. */
export const isReading = ({ method, name }: Endpoint): boolean =>
  (method === "GET" && !looks.has(name)) || name === "complianceChecks.evaluate" || name === "messages.preview"

/** The status of a successful call. */
export const goodStatus = ({ method, name }: Endpoint): number => {
  if (method === "DELETE") return 204
  return name.endsWith(".create") ? 201 : 200
}
