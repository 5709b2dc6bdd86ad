import * as Privilege from "@wcs/domain/access/Privilege"
import { roleTable } from "@wcs/domain/access/RoleTable"
import { noticeOf } from "@wcs/domain/answer/Notice"
import { answererUrn } from "@wcs/domain/audit/AuditEntry"
import { shown as eventKinds } from "@wcs/domain/event/EventKind"
import { shown as credentialTypes } from "@wcs/domain/holding/CredentialType"
import { type Outcome, outcomes } from "@wcs/domain/import/ImportRow"
import { languages } from "@wcs/domain/message/Language"
import { placeholdersOf } from "@wcs/domain/message/MessageKind"
import { answerDays } from "@wcs/domain/message/MessageSettings"
import type { JsonObject, JsonValue } from "@wcs/domain/shared/Json"
import { resultTexts } from "@wcs/domain/verification/VerificationSource"
import { ids, requests } from "./Requests.ts"
import { shownAs } from "./ShownAs.ts"

const { laterDate, laterTime, nextCursor, number, requestId, time } = shownAs

/** The nth id that no request names. */
const other = (prefix: string, nth: number): string => `${prefix}_${String(nth).padStart(16, "0")}`
const correlation = (nth: number): string => `01KJQ3T5D8Y4W2${String(nth).padStart(12, "0")}`

const bodyOf = (operation: string): JsonObject => requests[operation]?.body ?? {}

const answer = (data: JsonValue, meta: JsonObject = {}): JsonObject => ({ data, meta: { requestId, ...meta } })
const page = (data: ReadonlyArray<JsonValue>, pageSize = 25, cursor: string | null = null): JsonObject =>
  answer(data, { pageSize, nextCursor: cursor })
/** A page of one item, which others follow. */
const firstOf = (item: JsonObject): JsonObject => page([item], 1, nextCursor)
const batch = (items: ReadonlyArray<JsonObject>, succeeded: number): JsonObject =>
  answer(items, { total: items.length, succeeded, failed: items.length - succeeded })

const created = { createdAt: time, updatedAt: time }
const account = `urn:wcs:account:${other("acc", 1)}`
const bearer = { kind: "personal", id: other("pat", 1) }
const createdBy = { account, bearer }

/** The answers of a resource whose operations return its fields as they were sent, and others. */
const asSent = (group: string, type: string, id: string, others: JsonObject = {}, listed = 25) => {
  const shown = (body: JsonObject) => ({ id, type, ...body, ...others, ...created })
  const [first, replaced] = [shown(bodyOf(`${group}.create`)), shown(bodyOf(`${group}.replace`))]
  return {
    [`${group}.create`]: answer(first),
    [`${group}.list`]: page([first], listed),
    [`${group}.read`]: answer(first),
    [`${group}.replace`]: answer(replaced),
    [`${group}.patch`]: answer({ ...replaced, ...bodyOf(`${group}.patch`) })
  }
}

const { contact: _, ...worker } = bodyOf("workers.replace")
const leaving = {
  ...{ id: ids.ann, type: "worker", ...worker },
  ...{ employment: { ...Object(worker["employment"]), status: "ON_LEAVE" }, ...created }
}
const applicants = asSent("applicants", "applicant", ids.bo)

const people = {
  ...asSent("workers", "worker", ids.ann),
  "workers.patch": answer(leaving),
  "workers.restore": answer(leaving),
  ...applicants,
  "applicants.restore": applicants["applicants.patch"] ?? {},
  "changes.list": answer(
    [ids.ann, ids.cy].map((entityId, index) => ({
      ...{ id: other("aud", index + 1), type: "change", entityType: "worker", entityId },
      ...{ operation: "CREATE", action: "create", version: 1, changedAt: time }
    })),
    { pageSize: 100, position: shownAs.position, hasMore: false }
  )
}

const [ownedByBo, ownedByAnn] = [
  { worker: null, applicant: ids.bo },
  { worker: ids.ann, applicant: null }
]
const ownedByBoth = { worker: ids.ann, applicant: ids.bo }
const valid = { eligibility: "MAY_ENGAGE", statusDetail: "VALID" }
const verdict = { ...valid, expiryDate: laterDate, errorMessage: null }
const verified = {
  jurisdiction: "NSW",
  ...valid,
  lastCorrelationId: "hire-4711",
  statusSince: time,
  lastVerifiedAt: time
}
const { owners: __, ...sent } = Object(bodyOf("credentials.create")["attributes"])

const credential = (attributes: JsonObject): JsonObject => ({
  ...{ id: ids.credential, type: "credential", attributes: { ...sent, ...attributes }, ...created }
})
const owned = (owners: JsonObject) => credential({ ...verified, expiryDate: laterDate, owners })
const pending = { owners: ownedByBo, jurisdiction: "NSW", lastCorrelationId: correlation(1) }
const verification = { ...verdict, correlationId: "hire-4711", requestId }

const credentials = {
  "credentials.create": answer(credential({ ...pending, eligibility: "IN_PROGRESS", statusDetail: "PENDING" }), {
    correlationId: correlation(1)
  }),
  "credentials.read": answer(
    credential({ ...pending, ...valid, expiryDate: laterDate, statusSince: time, lastVerifiedAt: time })
  ),
  "credentials.list": page([owned(ownedByBo)]),
  "credentials.replace": answer(credential({ ...verified, owners: ownedByBoth, category: "Paid" })),
  "credentials.patch": answer(credential({ ...verified, owners: ownedByBoth, cardType: "Employee" })),
  "credentials.restore": answer(
    credential({ ...verified, owners: ownedByBoth, cardType: "Employee", lastCorrelationId: correlation(5) }),
    { correlationId: correlation(5) }
  ),
  "credentials.link": answer(owned(ownedByBoth)),
  "credentials.unlink": answer(owned(ownedByAnn)),
  "credentials.transfer": answer(owned(ownedByAnn)),
  "credentials.bulkLink": batch([{ credentialId: ids.credential, status: "linked" }], 1),
  "credentials.bulkTransfer": batch([{ credentialId: ids.credential, status: "transferred" }], 1),
  "credentials.ownership": firstOf({
    ...{ id: other("aud", 3), type: "ownershipChange", action: "transfer", account, bearer: "personal", requestId },
    ...{ createdAt: time, before: ownedByBo, after: ownedByAnn }
  }),
  "credentials.verify": { ...verification, ...answer(verification, { correlationId: "hire-4711" }) },
  "credentials.verifications": firstOf({
    ...{ id: other("vrf", 1), type: "verification", credentialId: ids.credential, correlationId: correlation(1) },
    ...{ requestId, trigger: "create", account, ...verdict, requestedAt: time, verifiedAt: time }
  }),
  "credentials.notices": answer(
    credential({
      ...{ ...verified, owners: ownedByBoth, cardType: "Employee", lastCorrelationId: correlation(5) },
      ...{ eligibility: "MAY_NOT_ENGAGE", statusDetail: "INTERIM_BARRED" }
    })
  ),
  "credentials.decisions": answer(
    credential({
      ...{ ...verified, owners: ownedByBoth, cardType: "Employee", lastCorrelationId: correlation(5) },
      ...{ eligibility: "REVIEW_REQUIRED", statusDetail: "CONDITIONAL" },
      decision: { ...bodyOf("credentials.decisions"), about: ["CONDITIONAL"], decidedAt: time, account }
    })
  ),
  "credentials.decidable": answer({
    about: ["CONDITIONAL"],
    outcomes: ["MAY_ENGAGE", "MAY_NOT_ENGAGE"],
    until: laterDate
  }),
  "credentials.review": answer({
    ...{ id: ids.reviewed, type: "credential" },
    attributes: {
      ...{ credentialType: "WWVP_ACT", identifier: "1234567", owners: ownedByAnn, jurisdiction: "ACT", ...valid },
      ...{ lastCorrelationId: correlation(2), expiryDate: laterDate, statusSince: time, lastVerifiedAt: time }
    },
    ...created
  })
}

const task = (assignee: JsonValue): JsonObject => ({
  ...{
    id: ids.task,
    type: "task",
    reason: "CONDITIONAL",
    credential: { id: ids.credential, credentialType: "WWCC_NSW" }
  },
  ...{ ...created, worker: { id: ids.ann, displayName: "Ann Example" }, assignee }
})

const unitOf = (name: string, externalId: string): JsonObject => ({
  ...{ id: ids.unit, type: "unit", name, externalId, ...created }
})

const units = {
  "units.create": answer(unitOf("North Ward", "ward-7")),
  "units.list": page([unitOf("North Ward", "ward-7")]),
  "units.read": answer(unitOf("North Ward", "ward-7")),
  "units.replace": answer(unitOf("North Ward", "ward-8")),
  "units.patch": answer(unitOf("Ward North", "ward-8"))
}

const message = (state: string, more: JsonObject): JsonObject => ({
  ...{ id: ids.message, type: "message", kind: "RED_TODAY", state },
  ...{
    recipient: { type: "user", id: ids.user, email: "ann@example.org" },
    cause: time.slice(0, 10),
    ...created,
    ...more
  }
})

const sample = message("QUEUED", {
  ...{ id: other("msg", 1), recipient: { type: "user", id: other("acc", 1), email: "super@example.org" }, attempts: 0 }
})

const settings = (chosen: JsonObject): JsonObject => ({
  ...{ type: "messageSettings", ...chosen, isAvailable: true },
  standardTemplates: { en: { ...languages.en.templates }, de: { ...languages.de.templates } },
  placeholders: { ...placeholdersOf }
})

const own = { type: "ownMessages", ...bodyOf("messages.setOwn") }

const messages = {
  "messages.list": page([message("REFUSED", { attempts: 1, reply: "550 No such user", endedAt: time })]),
  "messages.resend": answer(message("QUEUED", { attempts: 1, reply: "550 No such user", endedAt: time })),
  "messages.settings": answer(settings(bodyOf("messages.setSettings"))),
  "messages.setSettings": answer(settings(bodyOf("messages.setSettings"))),
  "messages.preview": answer({ subject: "Who may not work", text: "- Jane Example" }),
  "messages.sample": answer(sample),
  "messages.own": answer(own),
  "messages.setOwn": answer(own)
}

const noticed = {
  organization: "default",
  retentionYears: undefined,
  answerDays: answerDays.standard,
  contact: undefined
}
const notice = noticeOf(noticed, "worker", "en")

const consent = {
  version: notice.version,
  language: notice.language,
  text: notice.consent,
  notice: notice.paragraphs.join("\n"),
  retentionDays: notice.answerDays,
  at: time
}

const answerOf = (state: string, more: JsonObject = {}): JsonObject => ({
  ...{ id: ids.answer, type: "answer", state, request: { type: "captureRequest", id: other("cap", 3) } },
  ...{ worker: { id: other("wkr", 2) }, submittedAt: time, ...created },
  consent,
  cards: [{ credentialType: "FIRST_AID", identifier: "HLT-1" }],
  ...more
})

const decidedBy = { by: { id: other("acc", 1) }, at: time }

const requestAnswers = {
  "answers.list": page([answerOf("WAITING")]),
  "answers.read": answer(answerOf("WAITING", { targets: [{ credentialType: "FIRST_AID", credential: null }] })),
  "answers.reject": answer(answerOf("REJECTED", { decision: { ...decidedBy, ...bodyOf("answers.reject") } })),
  "answers.approve": answer(
    answerOf("APPROVED", {
      decision: decidedBy,
      previous: { state: "REJECTED", ...decidedBy, ...bodyOf("answers.reject"), consent },
      credentials: [{ id: other("cred", 1), credentialType: "FIRST_AID" }]
    })
  )
}

const document = {
  ...{ id: ids.document, type: "document", name: "card.pdf", form: "PDF", bytes: 37, activeContent: "NOT_FOUND" },
  ...{ sha256: "f0088fbaddea52d1081c8dd95a4ec86a5e0d298acf9fea38c9caf0dedb964ade", account, createdAt: time }
}

const answerFiles = {
  "answers.documents": answer({
    documents: [{ ...document, id: ids.file, card: "FIRST_AID", account: answererUrn }]
  }),
  "answers.document": requests["documents.create"]?.text ?? ""
}

const documents = {
  "documents.read": requests["documents.create"]?.text ?? "",
  "documents.create": answer(document),
  "documents.list": answer({
    ...{ documents: [document], deleted: [] },
    space: { documentsOfRecord: 19, documents: 19_998, bytes: 5368709046, bytesOfDocument: 10_485_760 }
  })
}

const note = { id: ids.note, type: "note", ...bodyOf("notes.write"), account, createdAt: time }
const caretaker = { type: "caretaker", ...bodyOf("notes.setCaretaker") }

const notes = {
  "notes.write": answer(note),
  "notes.list": page([note]),
  "notes.mentions": page([]),
  "notes.caretaker": answer(caretaker),
  "notes.setCaretaker": answer(caretaker)
}

const tasks = {
  "tasks.list": page([task(null)]),
  "tasks.assign": answer(task({ id: ids.user }))
}

const ban = {
  ...{ id: ids.ban, type: "ban", register: "ndis", worker: { id: ids.ann }, checkedAt: time },
  ...{ eligibility: "REVIEW_REQUIRED", matches: [], ...created }
}
const ann = { id: ids.ann, externalId: "hr-4711" }
const cy = { id: ids.cy, externalId: "hr-4712" }
const check = "works-with-children"
const bothTypes = ["WWCC_NSW", "WWCC_VIC"]
const cell = (result: string, missingCredentialTypes: ReadonlyArray<string>): JsonObject => ({
  checks: [{ complianceCheckId: check, result, missingCredentialTypes, reviews: [], failingCredentials: [], bans: [] }]
})

/** Parts of the rows of the report of verifications. */
const annReported = {
  ...{ workerId: ids.ann, externalId: "hr-4711", displayName: "Ann Example", birthDate: "1990-04-17" },
  ...{ engagement: "PAID", workerStatus: "ON_LEAVE" }
}
const cardReported = (credentialId: string, credentialType: string, identifier: string) => ({
  ...{ credentialId, credentialType, identifier },
  ...{ verifiedOn: time.slice(0, 10), eligibility: "MAY_ENGAGE", statusDetail: "VALID" }
})

/** The answers of recruitment checks and fetch requests, whose states change alike. */
const invitations = (group: string, id: string, fixed: JsonObject) => {
  const shown = (status: string, days: number, further: JsonObject = { expiryDate: laterDate }) => ({
    ...{ ...bodyOf(`${group}.create`), id, ...fixed, expiryDays: days, status, ...further, ...created }
  })
  const days = Number(bodyOf(`${group}.patch`)["expiryDays"])
  const cancelled = shown("CANCELLED", days, { sentAt: time, remindedAt: time })
  const dated = { expiryDate: laterDate, sentAt: time }
  return {
    [`${group}.read`]: answer(shown("INITIATED", Number(bodyOf(`${group}.create`)["expiryDays"] ?? 14))),
    [`${group}.replace`]: answer(shown("INITIATED", 28)),
    [`${group}.patch`]: answer(shown("INITIATED", days)),
    [`${group}.resend`]: answer(shown("SENT", days, dated)),
    [`${group}.remind`]: answer(shown("SENT", days, { ...dated, remindedAt: time })),
    [`${group}.cancel`]: answer(cancelled),
    [`${group}.list`]: page([cancelled])
  }
}

const requirements = { credentialTypes: ["NDIS_WORKER_SCREENING"] }
const completed = { expiryDays: 14, status: "COMPLETED", ...created }

const screening = {
  ...asSent("exemptions", "exemption", ids.exemption, { worker: { id: ids.ann } }),
  ...asSent("screeningPackages", "screeningPackage", "aged-care", { active: true }),
  ...asSent("complianceChecks", "complianceCheck", check, {
    ...{ enabled: true, requirement: { credentialTypes: bothTypes, mode: "ANY", exemptionsCount: false } }
  }),
  "complianceChecks.evaluate": page(
    [{ worker: ann, result: "PASS", missingCredentialTypes: [], reviews: [], failingCredentials: [], bans: [] }],
    1
  ),
  "complianceChecks.matrix": page([
    { worker: { ...ann, displayName: "Ann Example" }, ...cell("PASS", []) },
    { worker: { ...cy, displayName: "Cy Example" }, ...cell("FAIL", bothTypes) }
  ]),
  "reports.verifications": page([
    { ...annReported, ...cardReported(ids.credential, "WWCC_NSW", "WWC1234567E"), expiryDate: null },
    { ...annReported, ...cardReported(ids.reviewed, "WWVP_ACT", "1234567"), expiryDate: laterDate },
    {
      ...{ workerId: ids.cy, externalId: "hr-4712", displayName: "Cy Example", birthDate: null },
      ...{ engagement: null, workerStatus: null, credentialId: null, credentialType: null, identifier: null },
      ...{ verifiedOn: null, eligibility: null, statusDetail: null, expiryDate: null }
    }
  ]),
  "workers.proof": answer({
    ...{ form: "wcs proof 1", requestId: shownAs.requestId, proves: [], doesNotProve: [], tenantId: other("tnt", 1) },
    ...{ organization: "default", asOf: time, day: time.slice(0, 10), timeZone: "Australia/Sydney", madeAt: time },
    ...{
      madeBy: account,
      rulesVersion: 2,
      factsVersion: 1,
      workerId: ids.ann,
      erasedAt: null,
      remarks: [],
      nextSealDue: null
    },
    cards: [
      { ...annReported, ...cardReported(ids.credential, "WWCC_NSW", "WWC1234567E"), expiryDate: null },
      { ...annReported, ...cardReported(ids.reviewed, "WWVP_ACT", "1234567"), expiryDate: laterDate }
    ].map((card) => ({ ...card, decision: null, isSealed: true })),
    checks: [
      {
        ...{ complianceCheckId: check, displayName: "Works with children", result: "PASS", missingCredentialTypes: [] },
        ...{ reviews: [], failingCredentials: [], bans: [], isSealed: true }
      }
    ],
    exemptions: [
      {
        ...{ id: ids.exemption, exemptionType: "MEDICAL", exemptedCredentialTypes: ["POLICE_CHECK_NATIONAL"] },
        ...{ issueDate: null, expiryDate: "2031-06-30", grantedBy: "Dana Example" },
        ...{ reason: "Until the medical certificate is renewed", isSealed: true }
      }
    ],
    people: [{ account, name: "super@example.org" }],
    ...{ records: [], entries: [], seals: [], keys: [], digests: {}, signature: shownAs.accessToken }
  }),
  "bans.list": page([ban]),
  "bans.read": answer(ban),
  "bans.decidable": answer({ outcomes: ["MAY_ENGAGE", "MAY_NOT_ENGAGE"], until: laterDate }),
  "bans.decisions": answer({
    ...ban,
    decision: { ...bodyOf("bans.decisions"), decidedAt: time, account }
  }),
  "recruitmentChecks.create": answer({
    ...{ id: other("chk", 1), type: "credentialCheck", applicant: { id: ids.bo } },
    ...{ screeningPackageCode: "child-care", requirements: { credentialTypes: ["WWCC_NSW"] }, ...completed }
  }),
  ...invitations("recruitmentChecks", ids.recruitmentCheck, { type: "credentialCheck", requirements }),
  "fetchRequests.create": answer({
    ...{ id: other("cap", 1), type: "captureRequest", worker: { id: ids.ann }, ...completed },
    ...{ requestedCredentialTypes: ["WWCC_NSW"] }
  }),
  ...invitations("fetchRequests", ids.fetchRequest, { type: "captureRequest", worker: { id: ids.ann } }),
  "fetchRequests.bulk": batch(
    [
      { worker: { externalId: "hr-4711" }, success: true, id: other("cap", 2) },
      { worker: { externalId: "hr-unknown" }, success: false, error: "worker was not found among the workers." }
    ],
    1
  )
}

/** The events, each as a webhook receives it. */
const event = (type: string, nth: readonly [delivery: number, event: number, sequence: number], data: JsonObject) => ({
  ...{ type, timestamp: time, deliveryId: nth[0] === 0 ? ids.delivery : other("dlv", nth[0]) },
  ...{ eventId: other("evt", nth[1]), correlationId: null, sequence: nth[2], data }
})
const inEvents = (owners: JsonObject) => ({
  ...{ id: ids.credential, type: "credential", credentialType: "WWCC_NSW", owners }
})
const creation = {
  ...event("credential.created", [0, 1, 1], { credential: inEvents(ownedByBo) }),
  ...{ correlationId: correlation(1) }
}

const events = {
  "event.credential.created": creation,
  "event.credential.updated": event("credential.updated", [2, 3, 5], { credential: inEvents(ownedByBoth) }),
  "event.credential.verified": {
    ...event("credential.verified", [3, 4, 2], {
      credential: inEvents(ownedByBo),
      verification: { ...verdict, requestId, trigger: "create", verifiedAt: time }
    }),
    ...{ correlationId: correlation(1) }
  },
  "event.credential.expiring": event("credential.expiring", [6, 7, 6], {
    credential: inEvents(ownedByBoth),
    expiry: { expiryDate: "2026-04-01", daysLeft: 30 }
  }),
  "event.credential.expired": event("credential.expired", [7, 8, 7], {
    credential: inEvents(ownedByBoth),
    expiry: { expiryDate: "2026-03-01", daysLeft: -1 }
  }),
  "event.worker.erasing": event("worker.erasing", [8, 9, 3], {
    worker: { id: ids.ann, type: "worker" },
    erasure: { reason: "RETENTION_ENDED", dueOn: "2026-04-01" }
  }),
  "event.worker.erased": event("worker.erased", [9, 10, 5], {
    worker: { id: ids.ann, type: "worker" },
    erasure: { reason: "RETENTION_ENDED", dueOn: "2026-04-01" }
  }),
  "event.recruitmentCheck.completed": event("recruitmentCheck.completed", [4, 5, 1], {
    recruitmentCheck: {
      ...{ id: other("chk", 1), type: "credentialCheck", status: "COMPLETED", applicant: { id: ids.bo } }
    }
  }),
  "event.fetchRequest.completed": event("fetchRequest.completed", [5, 6, 1], {
    fetchRequest: { id: other("cap", 1), type: "captureRequest", status: "COMPLETED", worker: { id: ids.ann } }
  }),
  "event.worker.complianceChanged": event("worker.complianceChanged", [6, 7, 4], {
    worker: { id: ids.ann, type: "worker" },
    complianceCheck: { id: "first-aid", type: "complianceCheck" },
    ...{ from: "PASS", to: "FAIL", reason: "CHECK" }
  }),
  "event.webhook.test": {
    ...event("webhook.test", [1, 2, 1], { webhook: { id: ids.webhook, type: "webhook" } }),
    ...{ correlationId: correlation(3) }
  }
}

const delivered = {
  ...{ type: "delivery", webhookId: ids.webhook, state: "DELIVERED", attemptCount: 1, nextAttemptAt: null },
  attempts: [{ number: 1, at: time, durationMillis: shownAs.millis, responseStatus: 204, fault: null }],
  ...{ lastResponse: "", createdAt: time, deliveredAt: time }
}
const delivery = {
  ...{ id: ids.delivery, eventId: other("evt", 1), event: "credential.created", correlationId: correlation(1) },
  ...{ subjectId: ids.credential, ...delivered }
}
const sending = {
  ...{ signingSecretLastFour: "GKYo", previousSecretExpiresAt: null, consecutiveFailures: 0 },
  ...{ lastFailure: null, waiting: 0, exhausted: 0 }
}
const webhook = (operation: string, further: JsonObject, lastSuccessAt: string | null = time): JsonObject => ({
  ...{ id: ids.webhook, type: "webhook", ...bodyOf(`webhooks.${operation}`), status: "ACTIVE", ...created },
  ...{ delivery: { ...sending, lastSuccessAt, lastFailureAt: null }, ...further }
})
const { signingSecret } = shownAs
const filters = bodyOf("webhooks.patch")
const rotated = {
  ...{
    ...filters,
    delivery: { ...sending, lastSuccessAt: time, lastFailureAt: null, previousSecretExpiresAt: laterTime }
  }
}

const webhooks = {
  "webhooks.events": answer(eventKinds.map((kind) => ({ ...kind }))),
  "webhooks.create": answer(webhook("create", { signingSecret }, null)),
  "webhooks.read": answer(webhook("create", {})),
  "webhooks.list": page([webhook("create", {})]),
  "webhooks.replace": answer(webhook("replace", {})),
  "webhooks.patch": answer(webhook("replace", filters)),
  "webhooks.rotate": answer(webhook("replace", { ...rotated, signingSecret })),
  "webhooks.disable": answer(webhook("replace", { ...rotated, status: "DISABLED" })),
  "webhooks.enable": answer(webhook("replace", rotated)),
  "webhooks.redrive": answer({ type: "redrive", webhookId: ids.webhook, redriven: 0, hasMore: false }),
  "webhooks.deliveries": firstOf(delivery),
  "webhooks.search": firstOf(delivery),
  "webhooks.operation": answer(shownAs.operation),
  "webhooks.delivery": answer({
    ...delivery,
    exchanges: [{ ...shownAs.exchange }],
    body: JSON.stringify(creation)
  }),
  "webhooks.ping": answer({
    ...{ id: other("dlv", 1), eventId: other("evt", 2), event: "webhook.test", correlationId: correlation(3) },
    ...{ subjectId: ids.webhook, ...delivered }
  })
}

const token = {
  ...{ id: ids.token, type: "accessToken", name: "Laptop", account, lastFour: "1Ti6", createdAt: time, createdBy },
  ...{ expiresAt: laterTime, revokedAt: null, lastUsedAt: null }
}
const client = {
  ...{ id: ids.client, type: "apiClient", name: "Payroll", secretLastFour: "2Kt8", createdAt: time, createdBy },
  ...{ expiresAt: null, revokedAt: null }
}
const administrator = `urn:wcs:account:${other("acc", 2)}`
const user = (role: string, inviteExpiresAt: string | null, further: JsonObject = {}) => ({
  ...{ ...bodyOf("users.create"), id: ids.user, type: "user", account: `urn:wcs:account:${ids.user}`, role },
  ...{ hasPassword: false, joinedAt: null, invitedBy: administrator, inviteExpiresAt, createdAt: time },
  ...{ units: null, worker: null, lastLogin: null, secondFactor: null, deactivatedAt: null, ...further }
})
const isAnn = { worker: { id: ids.ann } }
const { inviteUrl } = shownAs
const session = {
  ...{ id: ids.session, type: "session", account: administrator, method: "password", userAgent: "test" },
  ...{ createdAt: time, seenAt: time, expiresAt: laterTime, revokedAt: null }
}
const erasure = {
  ...{ id: ids.ann, type: "erasure", ...bodyOf("erasures.erase"), status: "ERASED", account: administrator },
  ...{ createdAt: time, dueOn: null, erasedAt: time }
}
const cyExample = { displayName: "Cy Example", birthDate: null, externalId: "hr-4712", createdAt: time }
const merge = (further: JsonObject): JsonObject => ({
  ...{ id: ids.merge, type: "merge", status: "MERGED" },
  worker: { id: ids.cy, displayName: "Cy Example" },
  from: { id: ids.twin, displayName: "Cy Example" },
  moved: { credential: 0, exemption: 0, ban: 0, captureRequest: 0 },
  ...{ account, undoableUntil: laterTime, undoneAt: null, createdAt: time, ...further }
})
const { clientSecret: ___, ...directory } = bodyOf("identityProviders.create")
const provider = (further: JsonObject = {}, isVerified = false): JsonObject => ({
  ...{ id: ids.provider, type: "identityProvider", ...directory, active: false, required: false },
  ...{ verifiedDomains: isVerified ? ["example.org"] : [], ...created, hasClientSecret: true, certificates: [] },
  domainProofs: [
    {
      ...{ domain: "example.org", verified: isVerified, recordName: "_wcs-challenge.example.org" },
      recordText: `wcs-domain-verification=${ids.provider}`
    }
  ],
  paths: {
    ...{ login: `/oidc/${ids.provider}/login`, test: `/oidc/${ids.provider}/test` },
    back: `/oidc/${ids.provider}/callback`
  },
  ...further
})
const staff = { name: "Example staff" }
const importColumns = [
  { name: "Staff ID", samples: ["hr-4713"], proposal: "source.externalId" },
  { name: "Name", samples: ["Dee Example"], proposal: "identity.displayName" }
]
/** An import of one row with a status, and with the outcome of the row once it was seen. */
const imported = (status: string, outcome?: Outcome, dateOrder = "YMD"): JsonObject => ({
  ...{ id: ids.import, type: "import", name: "import.csv", status, rows: 1, columns: importColumns },
  mapping: importColumns.map(({ name, proposal }) => ({ column: name, field: proposal })),
  ...{ dateOrder, done: outcome === undefined ? 0 : 1 },
  counts: Object.fromEntries(outcomes.map((each) => [each, each === outcome ? 1 : 0])),
  ...{ stopping: false, problem: null, account, ...created }
})
const importedRow = {
  ...{ row: 2, outcome: "CREATE", cells: ["hr-4713", "Dee Example"] },
  ...{ fault: null, workerId: null, sameAsRow: null }
}
const { secret: ____, ...gateway } = bodyOf("verificationSources.create")
const source = (further: JsonObject = {}): JsonObject => ({
  ...{ id: ids.source, type: "verificationSource", ...gateway, intervalDays: 7, limits: { callsPerMinute: 60 } },
  ...{ state: "OK", lastSuccessAt: null, lastFault: null, hasSecret: true, ...created },
  ...further
})
const askedTypes = credentialTypes.filter(({ manual, verifiable }) => verifiable && !manual)
const rare = { intervalDays: 1, limits: { callsPerMinute: 10 } }

const access = {
  "me.read": answer({
    ...{ type: "me", account, email: "super@example.org", role: "Super Admin", units: null, worker: null },
    privileges: [...Privilege.everyPrivilege],
    tenant: { id: other("tnt", 1), name: "default", timeZone: "Australia/Sydney" },
    ...{ bearer, authenticatedAt: null }
  }),
  "accessTokens.create": answer({ ...token, token: shownAs.personalToken }),
  "accessTokens.read": answer(token),
  "accessTokens.list": firstOf(token),
  "apiClients.create": answer({ ...client, clientSecret: shownAs.clientSecret }),
  "apiClients.list": page([client]),
  "apiClients.read": answer(client),
  "oauth.token": { access_token: shownAs.accessToken, token_type: "Bearer", expires_in: 3600 },
  "users.create": answer(user("Data Manager", laterTime, { inviteUrl })),
  "users.list": firstOf(user("Data Manager", laterTime)),
  "users.factorRequirement": answer({ from: null, inForce: false }),
  "users.requireFactors": answer({ from: "2030-01-31", inForce: false }),
  "users.roles": answer(roleTable(Privilege)),
  "users.read": answer(user("Data Manager", laterTime)),
  "users.patch": answer(user("Viewer", null, isAnn)),
  "users.reinvite": answer(user("Viewer", laterTime, { ...isAnn, inviteUrl })),
  "users.resetSecondFactor": answer(user("Viewer", null, isAnn)),
  "users.activate": answer(user("Viewer", null, isAnn)),
  "sessions.list": page([session]),
  "sessions.read": answer(session),
  "duplicates.list": answer(
    [
      {
        ...{ type: "duplicate", reasons: ["EXTERNAL_ID"] },
        workers: [ids.cy, ids.twin].map((id) => ({ id, ...cyExample }))
      }
    ],
    { pageSize: 25, nextCursor: null }
  ),
  "duplicates.dismiss": answer({ type: "duplicateDismissal", workers: [ids.cy, ids.twin] }),
  "merges.merge": answer(merge({})),
  "merges.list": page([merge({})]),
  "merges.undo": answer(merge({ status: "UNDONE", undoneAt: time })),
  "erasures.erase": answer(erasure),
  "erasures.list": page([erasure]),
  "identityProviders.create": answer(provider()),
  "identityProviders.list": page([provider()]),
  "identityProviders.read": answer(provider()),
  "identityProviders.replace": answer(provider(staff)),
  "identityProviders.patch": answer(provider({ ...staff, active: true })),
  "identityProviders.verifyDomains": answer(provider({ ...staff, active: true }, true)),
  "imports.create": answer(imported("UPLOADED", undefined, "DMY")),
  "imports.check": answer(imported("CHECKING")),
  "imports.read": answer(imported("CHECKED", "CREATE")),
  "imports.list": page([imported("CHECKED", "CREATE")]),
  "imports.rows": page([importedRow]),
  "imports.run": answer(imported("RUNNING")),
  "imports.undo": answer(imported("UNDOING")),
  "imports.stop": answer(imported("UNDONE", "UNDONE")),
  "verificationSources.create": answer(source()),
  "verificationSources.list": page([source()]),
  "verificationSources.read": answer(source()),
  "verificationSources.replace": answer(source({ intervalDays: 1 })),
  "verificationSources.patch": answer(source(rare)),
  "verificationSources.pause": answer(source({ ...rare, state: "PAUSED" })),
  "verificationSources.resume": answer(source(rare)),
  "verificationSources.test": answer({ result: "UNREACHABLE", message: resultTexts.UNREACHABLE, state: "AWAY" }),
  "verificationSources.registers": answer(
    askedTypes.map(({ code, displayName, needsAccount }) => ({
      ...{ credentialType: code, displayName, needsAccount },
      ...{ askedBy: "DEPLOYMENT", sourceId: null, state: null }
    }))
  ),
  "verificationSources.monitoring": answer([
    {
      ...{ sourceId: null, credentialTypes: askedTypes.map(({ code }) => code), intervalDays: 7, state: "NEW" },
      ...{ reason: null, message: null, due: 0, running: 0, reachedAt: null, lookedAt: null }
    }
  ]),
  "auditEvents.list": page([
    {
      ...{ id: other("aud", 3), type: "auditEvent", account, accountName: "super@example.org", bearer },
      ...{ operation: "UPDATE", action: "transfer" },
      ...{ entityType: "credential", entityId: ids.credential, requestId, createdAt: time }
    }
  ])
}

const constituent = {
  ...{ id: ids.ann, first_name: "Ann", surname: "Example", date_of_birth: "1990-04-17", email: null },
  ...{ mobile_number: null, external_id: "hr-4711", is_active: true }
}

const legacy = {
  "legacy.me": {
    ...{ id: number, email: "dana@example.org", first_name: "Ann", surname: "Example" },
    organization: { id: number, name: "default" }
  },
  "legacy.token": { token: shownAs.accessToken, iat: shownAs.issuedAt, exp: shownAs.expiresAt },
  "legacy.organization": { id: number, name: "default", abn: "", is_active: true },
  "legacy.constituents": { data: [constituent], page: 1, page_size: 1, total: 2 },
  "legacy.constituent": constituent,
  "legacy.scan": {
    ...{ correlation_id: correlation(4), status: "queued", type: "wwcc-nsw", identifier: "WWC1234567E" }
  },
  "scans.list": page([
    {
      ...{ id: correlation(4), type: "scan", correlationId: correlation(4), status: "queued", outcome: "MATCHED" },
      ...{ credentialType: "WWCC_NSW", identifier: "WWC1234567E", firstName: "Bo", lastName: "Example" },
      credentialId: ids.credential,
      ...{ account: `urn:wcs:account:${other("acc", 3)}`, requestId, createdAt: time }
    }
  ])
}

/** The answers to the requests of the examples, and the events that they cause. A test compares them with a server's. */
export const answers: Readonly<Record<string, JsonValue>> = {
  "credentialTypes.list": answer(credentialTypes.map((type) => ({ ...type }))),
  ...people,
  ...credentials,
  ...tasks,
  ...documents,
  ...notes,
  ...messages,
  ...requestAnswers,
  ...answerFiles,
  ...units,
  ...screening,
  ...webhooks,
  ...access,
  ...legacy,
  ...events
}
