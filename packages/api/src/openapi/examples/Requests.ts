import type { JsonObject } from "@wcs/domain/shared/Json"

/** The ids in the examples. The test that sends the examples replaces them by ids of the server. */
export const ids = {
  ann: "wkr_4fTz9QmLr2XcV7bN",
  cy: "wkr_8hJk3WsPd6YgU1aE",
  bo: "app_2nBv5RtGy7HuJ9mK",
  credential: "cred_6pLo1QaZx8SwE3dC",
  reviewed: "cred_9kMj7NhBg5VfR2tY",
  exemption: "exm_3xCv6BnMq9WeR5tP",
  ban: "urn:wcs:ban:ndis:2026-0042",
  webhook: "whk_7uIo4PlKj1HgF8dS",
  delivery: "dlv_5aSd2FgHj8KlZ3xQ",
  recruitmentCheck: "chk_1qWe4RtYu7IoP0aB",
  fetchRequest: "cap_9zXc6VbNm3QwE5rT",
  token: "pat_8yUi5OpAs2DfG6hJ",
  client: "wcs_oauth_7kLz4XcVb1NmQ9wE",
  user: "acc_6rTy3UiOp0AsD8fG",
  session: "ses_4hJk1LzXc7VbN5mQ",
  provider: "idp_2wEr9TyUi6OpA4sD",
  source: "src_7fGh2JkLz9XcV4bN",
  task: "tsk_6pLo1QaZx8SwE3dC",
  import: "imp_5tGb8YhNu2JmK9oL",
  twin: "wkr_3dFg7HjKl1ZxC5vB",
  merge: "mrg_8uJm2IkOl5PzX3qW",
  unit: "unit_3rFv7TgBy1HnU6jM",
  message: "msg_4yHn8UjMk2IoL7pQ",
  answer: "ans_7gBv5FrTy2HnJ4kM",
  document: "doc_6hBv3NmQw8ErT5yU",
  file: "doc_9kTr4WqLm7ZxN2cV",
  note: "note_2wSx4EdCr6FvT8gB"
} as const

const clientSecret = "wcs_secret_Vd8kQ2mZr5Tn7Xc1Lp4Wy9Hb3Js6Gf0Ae5Ru2Kt8"

/** The number of the user in the path of the call for a legacy token. */
const userNumber = "1017"

/** What a reader replaces by own values to send the examples. */
export const exampleIds: ReadonlyArray<string> = [...Object.values(ids), clientSecret, userNumber]

/** A request as the document shows it: the parameters in the path, and the body. */
export interface ExampleRequest {
  readonly path?: Readonly<Record<string, string>>
  readonly body?: JsonObject
  /** A body that is no JSON. */
  readonly text?: string
}

const worker = {
  identity: { displayName: "Ann Example", firstName: "Ann", lastName: "Example", birthDate: "1990-04-17" },
  contact: { workEmail: "ann@example.org" },
  employment: { jobTitle: "Nurse", workerType: "EMPLOYEE", status: "ACTIVE", startDate: "2026-02-02" },
  source: { externalId: "hr-4711", sourceSystem: "HR" }
}

const applicant = {
  displayName: "Bo Example",
  firstName: "Bo",
  lastName: "Example",
  emailAddress: "bo@example.org",
  status: "SCREENING",
  source: { externalId: "ats-815" }
}

const otherNames = [{ firstName: "Bo", lastName: "Sample" }]

const attributes = {
  credentialType: "WWCC_NSW",
  identifier: "WWC1234567E",
  holder: {
    ...{ firstName: "Bo", lastName: "Example", birthDate: "1990-04-01" },
    otherNames
  }
}

const exemption = {
  exemptionType: "MEDICAL",
  worker: { externalId: "hr-4711" },
  reason: "Until the medical certificate is renewed",
  expiryDate: "2030-06-30",
  exemptedCredentialTypes: ["POLICE_CHECK_NATIONAL"]
}

const screeningPackage = {
  code: "aged-care",
  name: "Aged care",
  requirements: { credentialTypes: ["NDIS_WORKER_SCREENING"] }
}

const complianceCheck = {
  code: "works-with-children",
  displayName: "Works with children",
  severity: "CRITICAL",
  requirement: { credentialTypes: ["WWCC_NSW", "WWCC_VIC"], mode: "ANY" }
}

const webhook = {
  name: "Rosters",
  url: "https://rosters.example.org/wcs-events",
  events: [
    "credential.created",
    "credential.updated",
    "credential.verified",
    "credential.expiring",
    "credential.expired",
    "recruitmentCheck.completed",
    "fetchRequest.completed"
  ]
}

const recruitmentCheck = {
  applicant: { id: ids.bo },
  screeningPackageCode: "aged-care",
  message: "Please add your NDIS worker screening check.",
  expiryDays: 21
}

const fetchRequest = {
  worker: { externalId: "hr-4711" },
  requestedCredentialTypes: ["FIRST_AID"],
  message: "Please add your first aid certificate."
}

const provider = {
  name: "Example directory",
  kind: "oidc",
  domains: ["example.org"],
  oidc: { issuer: "https://login.example.org", clientId: "wcs" },
  clientSecret: "the-secret-of-the-provider"
}

const ofAnn = { type: "worker", id: ids.ann }
const ofBo = { type: "applicant", id: ids.bo }

/** The requests about one resource, by the names of its operations. */
const about = (
  group: string,
  id: string,
  bodies: Readonly<Record<string, JsonObject>>,
  others: ReadonlyArray<string> = []
): Readonly<Record<string, ExampleRequest>> =>
  Object.fromEntries(
    [...new Set(["read", "remove", ...others, ...Object.keys(bodies)])].map((name) => {
      const body = bodies[name]
      return [
        `${group}.${name}`,
        { ...(name === "create" ? {} : { path: { id } }), ...(body === undefined ? {} : { body }) }
      ] as const
    })
  )

/** An example of each request that has a body or an id, by operation. Another entry may need its result. */
export const requests: Readonly<Record<string, ExampleRequest>> = {
  "oauth.token": {
    body: { grant_type: "client_credentials", client_id: ids.client, client_secret: clientSecret }
  },
  ...about(
    "workers",
    ids.ann,
    {
      create: worker,
      replace: { ...worker, employment: { ...worker.employment, jobTitle: "Head nurse" } },
      patch: { employment: { status: "ON_LEAVE" }, contact: null }
    },
    ["restore", "proof"]
  ),
  ...about(
    "applicants",
    ids.bo,
    { create: applicant, replace: { ...applicant, phone: "02 5550 0000" }, patch: { status: "COMPLETED" } },
    ["restore"]
  ),
  ...about(
    "credentials",
    ids.credential,
    {
      create: { attributes: { ...attributes, owners: { applicant: ids.bo } } },
      replace: { attributes: { ...attributes, category: "Paid" } },
      patch: { attributes: { category: null, cardType: "Employee", holder: { otherNames } } },
      link: ofAnn,
      unlink: ofBo,
      transfer: { from: ofBo, to: ofAnn },
      verify: { correlationId: "hire-4711", forceRefresh: true }
    },
    ["verifications", "ownership", "restore", "decidable"]
  ),
  "credentials.notices": {
    path: { id: ids.credential },
    body: { statusDetail: "INTERIM_BARRED", issuedOn: "2026-01-30", reference: "OCG 2026/0815" }
  },
  "credentials.decisions": {
    path: { id: ids.credential },
    body: { outcome: "MAY_ENGAGE", reason: "Works under supervision", endsOn: "2030-06-30" }
  },
  ...about("units", ids.unit, {
    create: { name: "North Ward", externalId: "ward-7" },
    replace: { name: "North Ward", externalId: "ward-8" },
    patch: { name: "Ward North" }
  }),
  "users.requireFactors": { body: { from: "2030-01-31" } },
  "messages.setSettings": {
    body: {
      ...{ enabled: true, timeOfDay: "07:00", weekday: "MONDAY", language: "en" },
      ...{ tellsOfCards: true, tellsOfRequests: false },
      templates: {
        WEEKLY_DIGEST: { subject: "{organization}: your week", text: "{items}\n\n{link}" },
        RED_TODAY: { subject: "{organization}: please look at these people", text: "{items}\n\n{link}" },
        CARD_EXPIRING: { subject: "Your card ends soon", text: "{card} ends on {expiry}." },
        CARD_EXPIRED: { subject: "Your card has ended", text: "{card} ended on {expiry}." },
        REQUEST: { subject: "{organization} asks for your card", text: "{items}\n\n{link}" },
        REQUEST_REMINDER: { subject: "{organization} still asks for your card", text: "{items}\n\n{link}" },
        REQUEST_CODE: { subject: "Your code", text: "{code}" },
        REQUEST_DECIDED: { subject: "About your answer", text: "{decision}\n\n{reason}" }
      }
    }
  },
  "messages.preview": { body: { kind: "RED_TODAY", template: { subject: "Who may not work", text: "{items}" } } },
  "messages.sample": { body: { kind: "RED_TODAY" } },
  "messages.setOwn": { body: { WEEKLY_DIGEST: true, RED_TODAY: false } },
  "messages.resend": { path: { id: ids.message } },
  "notes.write": { body: { about: ids.ann, text: "Ann sends the new card on Monday.", mentions: [ids.user] } },
  "notes.remove": { path: { id: ids.note } },
  "notes.caretaker": { path: { id: ids.ann } },
  "notes.setCaretaker": { path: { id: ids.ann }, body: { caretaker: { id: ids.user } } },
  "answers.read": { path: { id: ids.answer } },
  "answers.documents": { path: { id: ids.answer } },
  "answers.document": { path: { id: ids.answer, documentId: ids.file } },
  "answers.approve": {
    path: { id: ids.answer },
    body: { targets: [{ credentialType: "FIRST_AID", credential: null }] }
  },
  "answers.reject": { path: { id: ids.answer }, body: { reason: "The number on your certificate is not readable." } },
  "documents.list": { path: { id: ids.credential } },
  "documents.create": { path: { id: ids.credential }, text: "%PDF-1.7\n% A card.\nstartxref\n9\n%%EOF\n" },
  "documents.read": { path: { id: ids.credential, documentId: ids.document } },
  "documents.remove": { path: { id: ids.credential, documentId: ids.document } },
  "tasks.assign": { path: { id: ids.task }, body: { assignee: { id: ids.user } } },
  "credentials.review": { path: { id: ids.reviewed }, body: { statusDetail: "VALID", expiryDate: "2030-06-30" } },
  "credentials.bulkLink": { body: { to: ofBo, credentialIds: [ids.credential] } },
  "credentials.bulkTransfer": { body: { from: ofBo, to: ofAnn } },
  ...about("exemptions", ids.exemption, {
    create: exemption,
    replace: { ...exemption, grantedBy: "Dana Example" },
    patch: { expiryDate: "2031-06-30" }
  }),
  ...about("screeningPackages", screeningPackage.code, {
    create: screeningPackage,
    replace: { ...screeningPackage, description: "Everybody in residential care" },
    patch: { active: true }
  }),
  ...about("complianceChecks", complianceCheck.code, {
    create: complianceCheck,
    replace: { ...complianceCheck, severity: "WARNING" },
    patch: { enabled: true },
    evaluate: { workers: [{ externalId: "hr-4711" }] }
  }),
  "bans.read": { path: { id: ids.ban } },
  "bans.decidable": { path: { id: ids.ban } },
  "bans.decisions": {
    path: { id: ids.ban },
    body: { outcome: "MAY_ENGAGE", reason: "Another birth date", endsOn: "2030-06-30" }
  },
  ...about(
    "webhooks",
    ids.webhook,
    {
      create: webhook,
      replace: { ...webhook, name: "Rosters and payroll" },
      patch: { filters: { jurisdictions: ["NSW", "ACT"] } },
      redrive: { states: ["EXHAUSTED", "SKIPPED_DISABLED"], from: "2026-03-01T00:00:00Z" }
    },
    ["rotate", "enable", "disable", "deliveries", "ping"]
  ),
  "webhooks.delivery": { path: { id: ids.webhook, deliveryId: ids.delivery } },
  ...about(
    "recruitmentChecks",
    ids.recruitmentCheck,
    { create: recruitmentCheck, replace: { ...recruitmentCheck, expiryDays: 28 }, patch: { expiryDays: 14 } },
    ["resend", "remind", "cancel"]
  ),
  ...about(
    "fetchRequests",
    ids.fetchRequest,
    { create: fetchRequest, replace: { ...fetchRequest, expiryDays: 28 }, patch: { expiryDays: 7 } },
    ["resend", "remind", "cancel"]
  ),
  "fetchRequests.bulk": {
    body: {
      workers: [{ externalId: "hr-4711" }, { externalId: "hr-unknown" }],
      requestedCredentialTypes: ["FIRST_AID"]
    }
  },
  ...about("accessTokens", ids.token, { create: { name: "Laptop", expiresInSeconds: 2_592_000 } }),
  ...about("apiClients", ids.client, { create: { name: "Payroll" } }),
  ...about(
    "users",
    ids.user,
    {
      create: { email: "eli@example.org", role: "Data Manager", firstName: "Eli", surname: "Example" },
      patch: { role: "Viewer", worker: { id: ids.ann } }
    },
    ["activate", "reinvite", "resetSecondFactor"]
  ),
  ...about("sessions", ids.session, {}),
  "duplicates.dismiss": { body: { workers: [ids.cy, ids.twin] } },
  "merges.merge": { path: { id: ids.cy }, body: { from: ids.twin } },
  "merges.undo": { path: { id: ids.merge } },
  "erasures.erase": { path: { id: ids.ann }, body: { reason: "PERSON_ASKED" } },
  ...about(
    "identityProviders",
    ids.provider,
    {
      create: provider,
      replace: { ...provider, name: "Example staff" },
      patch: { active: true }
    },
    ["verifyDomains"]
  ),
  ...about(
    "verificationSources",
    ids.source,
    {
      create: { credentialType: "WWCC_SA", url: "https://gateway.example.org/", secret: "gateway-token" },
      replace: { credentialType: "WWCC_SA", url: "https://gateway.example.org/", intervalDays: 1 },
      patch: { limits: { callsPerMinute: 10 } }
    },
    ["pause", "resume", "test"]
  ),
  ...about("imports", ids.import, { check: { dateOrder: "YMD" }, run: { withDuplicates: false } }, [
    "rows",
    "undo",
    "stop"
  ]),
  "imports.create": { text: "Staff ID,Name\nhr-4713,Dee Example\n" },
  "legacy.token": { path: { id: userNumber } },
  "legacy.constituent": { path: { id: ids.ann } },
  "legacy.scan": {
    body: { type: "wwcc-nsw", identifier: "WWC1234567E", first_name: "Bo", surname: "Example" }
  }
}
