import { noticeOf } from "@wcs/domain/answer/Notice"
import { answererUrn } from "@wcs/domain/audit/AuditEntry"
import { answerDays } from "@wcs/domain/message/MessageSettings"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { ids, requests } from "../Requests.ts"
import { document } from "./Credentials.ts"
import { answer, batch, bodyOf, created, laterDate, other, page, time } from "./Shapes.ts"

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

export const answerFiles = {
  "answers.documents": answer({
    documents: [{ ...document, id: ids.file, card: "FIRST_AID", account: answererUrn }]
  }),
  "answers.document": requests["documents.create"]?.text ?? ""
}

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

export const requestAnswers = {
  "answers.list": page([answerOf("WAITING")]),
  "answers.read": answer(answerOf("WAITING", { targets: [{ credentialType: "FIRST_AID", credential: null }] })),
  "answers.reject": answer(answerOf("REJECTED", { decision: { ...decidedBy, ...bodyOf("answers.reject") } })),
  "answers.approve": answer(
    answerOf("APPROVED", {
      decision: decidedBy,
      previous: { state: "REJECTED", ...decidedBy, ...bodyOf("answers.reject"), consent },
      credentials: [{ id: other("cred", 1), credentialType: "FIRST_AID" }]
    })
  ),
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
