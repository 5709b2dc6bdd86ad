import { type Endpoint, endpointsOf } from "@wcs/api/Endpoints"
import { unguarded } from "@wcs/api/Guard"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { accountIdOf } from "@wcs/domain/access/Account"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { Effect } from "effect"
import { addFile, answered, answering } from "../Answering.ts"
import {
  apiClient,
  applicant,
  at,
  ban,
  type Call,
  complianceCheck,
  credential,
  disabledWebhook,
  exemption,
  fetchRequest,
  freshCode,
  identityProvider,
  identityProviderFields,
  personalToken,
  recruitmentCheck,
  reviewed,
  Service,
  screeningPackage,
  textAt,
  tokenOf,
  unit,
  verificationSource,
  verificationSourceFields,
  verified,
  webhook,
  webhookFields,
  worker
} from "../Service.ts"

// The worker has neither a credential nor an exemption of this type: a completed request cannot be changed.
const requestedCredentialTypes = ["AHPRA_REGISTRATION"]

/** Every endpoint that requires authentication. */
export const endpoints: ReadonlyArray<Endpoint> = endpointsOf(NewerSurface).filter(
  ({ name }) => !unguarded.includes(name)
)

/** The endpoints for bearer tokens. `EndedCallers.test.ts` covers those for sessions only. */
export const routes: ReadonlyArray<Endpoint> = endpoints.filter(({ stepUp }) => stepUp?.takesTokens !== false)

/** Endpoints that require a privilege, and so can refuse for lack of one. */
export const asking: ReadonlyArray<Endpoint> = routes.filter(({ guard }) => guard?.privileges.length !== 0)

/** The entities that calls refer to. */
export interface Subjects {
  readonly worker: string
  readonly applicant: string
  /** Held by the worker only. */
  readonly credential: string
  /** Held by both. */
  readonly shared: string
  /** A credential that a register has answered about. */
  readonly verified: string
  /** A credential that a person must review. */
  readonly reviewed: string
  /** A credential about which a person can decide. */
  readonly open: string
  /** The worker's. */
  readonly exemption: string
  readonly screeningPackage: string
  readonly complianceCheck: string
  readonly webhook: string
  /** The webhook's. */
  readonly delivery: string
  /** A webhook that can be enabled. */
  readonly disabledWebhook: string
  /** The worker's. */
  readonly ban: string
  /** The applicant's, by the screening package. */
  readonly credentialCheck: string
  /** The worker's. */
  readonly captureRequest: string
  /** A Super Admin's personal token. */
  readonly accessToken: string
  readonly apiClient: string
  readonly user: string
  /** A session of that user. */
  readonly session: string
  /** A provider whose domain can be verified. */
  readonly identityProvider: string
  readonly verificationSource: string
  /** A source that can be resumed. */
  readonly pausedSource: string
  /** A task about some card. */
  readonly task: string
  /** An import that can be checked, one that can be run, and one that can be undone. */
  readonly import: string
  readonly checkedImport: string
  readonly doneImport: string
  /** A worker without anything, who may be the same person as another one. */
  readonly twin: string
  /** A merge that can be undone. */
  readonly merge: string
  /** A unit without people. */
  readonly unit: string
  /** A message that can be sent again. */
  readonly message: string
  /** Two answers that wait. */
  readonly answer: string
  readonly otherAnswer: string
  /** A document of the credential, and one of the first answer. */
  readonly document: string
  readonly answerDocument: string
  /** A note about the worker. */
  readonly note: string
}

const pausedSource = Effect.gen(function* () {
  const { call } = yield* Service
  const id = yield* verificationSource()
  yield* call({ method: "POST", path: `/openapi/v1/verification-sources/${id}/pause` })
  return id
})

const merge = Effect.gen(function* () {
  const { call } = yield* Service
  const [into, from] = [yield* worker(), yield* worker()]
  const merged = yield* call({ method: "POST", path: `/openapi/v1/workers/${into}/merge`, body: { from } })
  return textAt(merged, "data.id")
})

/** The shortest file that counts as a PDF. */
export const pdf = "%PDF-1.7\nstartxref\n0\n%%EOF\n"
const octets = { "content-type": "application/octet-stream" }

const document = Effect.fnUntraced(function* (credentialId: string) {
  const { call } = yield* Service
  const path = `/openapi/v1/credentials/${credentialId}/documents`
  return textAt(yield* call({ method: "POST", path, rawBody: pdf, headers: octets }), "data.id")
})

const note = Effect.fnUntraced(function* (about: string) {
  const { call } = yield* Service
  return textAt(yield* call({ method: "POST", path: "/openapi/v1/notes", body: { about, text: "A note." } }), "data.id")
})

/** Creates new subjects, apart from those that calls cannot create. */
export const resources = Effect.gen(function* () {
  const owners = yield* Effect.all({ worker: worker(), applicant: applicant() }, { concurrency: "unbounded" })
  const code = yield* screeningPackage()
  const others = yield* Effect.all(
    {
      credential: credential({ worker: owners.worker }),
      shared: credential(owners),
      verified: verified(owners),
      reviewed: verified(owners, reviewed, "QUEUED_MANUAL"),
      open: verified(owners, { credentialType: "WWCC_NSW", identifier: "WWC1234567E" }, "DETAILS_MISSING"),
      exemption: exemption({ worker: { id: owners.worker } }),
      complianceCheck: complianceCheck(),
      webhook: webhook(),
      disabledWebhook,
      ban: ban(owners.worker, { eligibility: "REVIEW_REQUIRED" }),
      credentialCheck: recruitmentCheck({ id: owners.applicant }, code),
      captureRequest: fetchRequest({ id: owners.worker }, { requestedCredentialTypes }),
      accessToken: personalToken(),
      apiClient: apiClient(),
      identityProvider,
      verificationSource: verificationSource(),
      pausedSource,
      twin: worker(),
      merge,
      unit: unit()
    },
    { concurrency: "unbounded" }
  )
  const further = { document: yield* document(others.credential), note: yield* note(owners.worker) }
  return { ...owners, ...others, screeningPackage: code, ...further }
})

/** The newest task: the worker opens one for each card about which a person can decide. */
const someTask = Effect.gen(function* () {
  const { call } = yield* Service
  const path = "/openapi/v1/tasks?reason=DETAILS_MISSING&sort=createdAt:desc"
  const page = yield* Effect.repeat(call({ method: "GET", path }), {
    until: (answer) => at(answer, "data.0.id") !== undefined
  })
  return textAt(page, "data.0.id")
})

/** Creates new subjects. */
export const subjects: Effect.Effect<Subjects, never, Service> = Effect.gen(function* () {
  const of = yield* resources
  const user = accountIdOf((yield* tokenOf("Viewer")).urn)
  const task = yield* someTask
  const session = (yield* Service.use((service) => service.session(user))).id
  const delivery = yield* Service.use((service) => service.skipped(of.webhook))
  const message = yield* Service.use((service) => service.refused(user))
  const imported = yield* Service.use((service) =>
    Effect.all({
      import: service.imported("UPLOADED"),
      checkedImport: service.imported("CHECKED"),
      doneImport: service.imported("DONE")
    })
  )
  const otherAnswer = yield* answered(of.worker)
  const { device, id: answer } = yield* answering(of.worker)
  yield* addFile(device, { name: "card.pdf", content: pdf })
  const { call } = yield* Service
  const files = yield* call({ method: "GET", path: `/openapi/v1/answers/${answer}/documents` })
  const answers = { answer, otherAnswer, answerDocument: textAt(files, "data.documents.0.id") }
  return { user, session, delivery, task, message, ...answers, ...of, ...imported }
})

/** Well-formed ids of missing entities. */
export const missing: Subjects = {
  worker: "wkr_0000000000000000",
  applicant: "app_0000000000000000",
  credential: "cred_0000000000000000",
  shared: "cred_0000000000000001",
  verified: "cred_0000000000000002",
  reviewed: "cred_0000000000000003",
  open: "cred_0000000000000004",
  exemption: "exm_0000000000000000",
  screeningPackage: "no-such-package",
  complianceCheck: "no-such-check",
  webhook: "whk_0000000000000000",
  disabledWebhook: "whk_0000000000000001",
  delivery: "dlv_0000000000000000",
  ban: "urn:wcs:ban:ndis:no-such-key",
  credentialCheck: "chk_0000000000000000",
  captureRequest: "cap_0000000000000000",
  accessToken: "pat_0000000000000000",
  apiClient: "wcs_oauth_0000000000000000",
  user: "acc_0000000000000000",
  session: "ses_0000000000000000",
  identityProvider: "idp_0000000000000000",
  verificationSource: "src_0000000000000000",
  pausedSource: "src_0000000000000001",
  task: "tsk_0000000000000000",
  import: "imp_0000000000000000",
  checkedImport: "imp_0000000000000001",
  doneImport: "imp_0000000000000002",
  twin: "wkr_0000000000000001",
  merge: "mrg_0000000000000000",
  unit: "unit_0000000000000000",
  message: "msg_0000000000000000",
  answer: "ans_0000000000000000",
  otherAnswer: "ans_0000000000000001",
  document: "doc_0000000000000000",
  answerDocument: "doc_0000000000000001",
  note: "note_0000000000000000"
}

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
        .replace(":deliveryId", of.delivery)
        .replace(":documentId", name === "answers.document" ? of.answerDocument : of.document)
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
  const query = { "documents.remove": "?reason=OTHER", "notes.list": `?about=${of.worker}` }[route.name] ?? ""
  const call = { method: route.method, path: pathOf(route, of) + query }
  return body === undefined ? call : { ...call, body: body(of) }
}

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
