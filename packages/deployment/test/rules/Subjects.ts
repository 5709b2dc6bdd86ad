import { accountIdOf } from "@wcs/domain/access/Account"
import { Effect, Record } from "effect"
import { addFile, answered, answering } from "../Answering.ts"
import {
  apiClient,
  applicant,
  at,
  ban,
  complianceCheck,
  credential,
  disabledWebhook,
  exemption,
  fetchRequest,
  identityProvider,
  personalToken,
  recruitmentCheck,
  reviewed,
  Service,
  screeningPackage,
  textAt,
  tokenOf,
  unit,
  verificationSource,
  verified,
  webhook,
  worker
} from "../Service.ts"

// The worker has neither a credential nor an exemption of this type: a completed request cannot be changed.
export const requestedCredentialTypes = ["AHPRA_REGISTRATION"]

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
export const octets = { "content-type": "application/octet-stream" }

const document = Effect.fnUntraced(function* (credentialId: string) {
  const { call } = yield* Service
  const path = `/openapi/v1/credentials/${credentialId}/documents`
  return textAt(yield* call({ method: "POST", path, rawBody: pdf, headers: octets }), "data.id")
})

const answeredWithFile = Effect.fnUntraced(function* (worker: string) {
  const { device, id } = yield* answering(worker)
  yield* addFile(device, { name: "card.pdf", content: pdf })
  return id
})

const documentOfAnswer = Effect.fnUntraced(function* (answer: string) {
  const { call } = yield* Service
  const path = `/openapi/v1/answers/${answer}/documents`
  return textAt(yield* call({ method: "GET", path }), "data.documents.0.id")
})

const note = Effect.fnUntraced(function* (about: string) {
  const { call } = yield* Service
  return textAt(yield* call({ method: "POST", path: "/openapi/v1/notes", body: { about, text: "A note." } }), "data.id")
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

type Name = keyof Subjects

/** Makes a subject once. */
type Made = (name: Name) => Effect.Effect<string, never, Service>

const ownersOf = (made: Made) => Effect.all({ worker: made("worker"), applicant: made("applicant") })

/** How each subject is made, with the others of the same making. */
const makings: { readonly [N in Name]: (made: Made) => Effect.Effect<string, never, Service> } = {
  worker: () => worker(),
  applicant: () => applicant(),
  credential: (made) => Effect.flatMap(made("worker"), (id) => credential({ worker: id })),
  shared: (made) => Effect.flatMap(ownersOf(made), (owners) => credential(owners)),
  verified: (made) => Effect.flatMap(ownersOf(made), (owners) => verified(owners)),
  reviewed: (made) => Effect.flatMap(ownersOf(made), (owners) => verified(owners, reviewed, "QUEUED_MANUAL")),
  open: (made) =>
    Effect.flatMap(ownersOf(made), (owners) =>
      verified(owners, { credentialType: "WWCC_NSW", identifier: "WWC1234567E" }, "DETAILS_MISSING")
    ),
  exemption: (made) => Effect.flatMap(made("worker"), (id) => exemption({ worker: { id } })),
  screeningPackage: () => screeningPackage(),
  complianceCheck: () => complianceCheck(),
  webhook: () => webhook(),
  delivery: (made) => Effect.flatMap(made("webhook"), (id) => Service.use(({ skipped }) => skipped(id))),
  disabledWebhook: () => disabledWebhook,
  ban: (made) => Effect.flatMap(made("worker"), (id) => ban(id, { eligibility: "REVIEW_REQUIRED" })),
  credentialCheck: (made) =>
    Effect.flatMap(Effect.all([made("applicant"), made("screeningPackage")]), ([id, code]) =>
      recruitmentCheck({ id }, code)
    ),
  captureRequest: (made) => Effect.flatMap(made("worker"), (id) => fetchRequest({ id }, { requestedCredentialTypes })),
  accessToken: () => personalToken(),
  apiClient: () => apiClient(),
  user: () => Effect.map(tokenOf("Viewer"), ({ urn }) => accountIdOf(urn)),
  session: (made) =>
    Effect.flatMap(made("user"), (id) => Service.use(({ session }) => Effect.map(session(id), (one) => one.id))),
  identityProvider: () => identityProvider,
  verificationSource: () => verificationSource(),
  pausedSource: () => pausedSource,
  task: (made) => Effect.andThen(made("open"), someTask),
  import: () => Service.use(({ imported }) => imported("UPLOADED")),
  checkedImport: () => Service.use(({ imported }) => imported("CHECKED")),
  doneImport: () => Service.use(({ imported }) => imported("DONE")),
  twin: () => worker(),
  merge: () => merge,
  unit: () => unit(),
  message: (made) => Effect.flatMap(made("user"), (id) => Service.use(({ refused }) => refused(id))),
  answer: (made) => Effect.flatMap(made("worker"), answeredWithFile),
  otherAnswer: (made) => Effect.flatMap(made("worker"), answered),
  document: (made) => Effect.flatMap(made("credential"), document),
  answerDocument: (made) => Effect.flatMap(made("answer"), documentOfAnswer),
  note: (made) => Effect.flatMap(made("worker"), note)
}

/** Makes these subjects and those that they need. The others are missing. */
const making = Effect.fnUntraced(function* (names: Iterable<Name>) {
  const ids: { [N in Name]?: string } = {}
  const made: Made = Effect.fnUntraced(function* (name) {
    const id = ids[name] ?? (yield* makings[name](made))
    ids[name] = id
    return id
  })
  for (const name of names) yield* made(name)
  return { ...missing, ...ids } satisfies Subjects
})

/** The subjects that only the first tenant can have, because calls alone do not make them. */
const ofFirstTenant: ReadonlyArray<Name> = [
  ...(["user", "session", "delivery", "task", "message"] as const),
  ...(["answer", "otherAnswer", "answerDocument"] as const),
  ...(["import", "checkedImport", "doneImport"] as const)
]

/** Makes new subjects, of either tenant. */
export const resources = making(Record.keys(makings).filter((name) => !ofFirstTenant.includes(name)))

/** Makes new subjects. */
export const subjects: Effect.Effect<Subjects, never, Service> = making(Record.keys(makings))

/** Makes the subjects that a call names, since most calls name few of more than thirty. */
export const subjectsOf = (call: (of: Subjects) => unknown): typeof subjects => {
  const named = new Set<Name>()
  const watched = Record.map(missing, (id, name) => ({
    enumerable: true,
    get: () => {
      named.add(name)
      return id
    }
  }))
  call(Object.defineProperties({ ...missing }, watched))
  return making(named)
}
