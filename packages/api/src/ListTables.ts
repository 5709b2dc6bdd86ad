import type { AuditEvent } from "@wcs/domain/audit/AuditEvent"
import type { FieldChange } from "@wcs/domain/audit/FieldChange"
import { reportColumns, type VerificationRow } from "@wcs/domain/credential/VerificationReport"
import type { IncludedOwners } from "@wcs/domain/crud/IncludedOwners"
import type { ErasureDocument } from "@wcs/domain/erasure/Erasure"
import type { BanFields } from "@wcs/domain/holding/Ban"
import type { CredentialView } from "@wcs/domain/holding/Credential"
import type { ExemptionFields } from "@wcs/domain/holding/Exemption"
import type { ScanDocument } from "@wcs/domain/holding/Scan"
import type { MessageFields } from "@wcs/domain/message/Message"
import type { ApplicantFields } from "@wcs/domain/people/Applicant"
import type { UnitFields } from "@wcs/domain/people/Unit"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import type { Document } from "@wcs/domain/resource/Resource"
import type { AnswerFields } from "@wcs/domain/screening/Answer"
import type { ComplianceCheckFields } from "@wcs/domain/screening/ComplianceCheck"
import type { MatrixRow } from "@wcs/domain/screening/ComplianceMatrix"
import type { FetchRequestFields } from "@wcs/domain/screening/FetchRequests"
import type { Invitation } from "@wcs/domain/screening/Invitation"
import type { RecruitmentCheckFields } from "@wcs/domain/screening/RecruitmentChecks"
import type { ScreeningPackageFields } from "@wcs/domain/screening/ScreeningPackage"
import type { TaskView } from "@wcs/domain/screening/Tasks"
import type { JsonObject } from "@wcs/domain/shared/Json"
import type { IdentityProviderView } from "@wcs/domain/single-sign-on/IdentityProviderView"
import type { UserDocument } from "@wcs/domain/user/UserDocument"
import type { VerificationSourceView } from "@wcs/domain/verification/VerificationSource"
import type { DeliveryDocument } from "@wcs/domain/webhook/Delivery"
import type { WebhookView } from "@wcs/domain/webhook/Webhook"
import { type ListTable, tableOf } from "./ListTable.ts"

// The tables of all lists that are also answered as files (DECISIONS.md#reports).

export const verificationTable: ListTable<VerificationRow> = { columnsOf: () => reportColumns, rowOf: (row) => row }

/** `status: "A" → "B"`, with the values as JSON, so that texts and lists stay apart. */
const changeText = ({ after, before, field }: FieldChange): string =>
  `${field}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`

/** The changes are there with `include=changes`. */
export const auditTable = tableOf<AuditEvent>({
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => createdAt,
  account: ({ account }) => account,
  accountName: ({ accountName }) => accountName,
  bearerKind: ({ bearer }) => bearer?.kind,
  bearerId: ({ bearer }) => bearer?.id,
  operation: ({ operation }) => operation,
  action: ({ action }) => action,
  entityType: ({ entityType }) => entityType,
  entityId: ({ entityId }) => entityId,
  otherWorkerId: ({ otherWorker }) => otherWorker?.id,
  requestId: ({ requestId }) => requestId,
  changes: ({ changes }) => changes?.map(changeText).join("; ")
})

export const credentialTable = tableOf<Document<CredentialView>>({
  id: ({ id }) => id,
  credentialType: ({ attributes }) => attributes.credentialType,
  identifier: ({ attributes }) => attributes.identifier,
  firstName: ({ attributes }) => attributes.holder?.firstName,
  lastName: ({ attributes }) => attributes.holder?.lastName,
  birthDate: ({ attributes }) => attributes.holder?.birthDate,
  eligibility: ({ attributes }) => attributes.eligibility,
  statusDetail: ({ attributes }) => attributes.statusDetail,
  expiryDate: ({ attributes }) => attributes.expiryDate,
  lastVerifiedAt: ({ attributes }) => attributes.lastVerifiedAt,
  workerId: ({ attributes }) => attributes.owners.worker,
  applicantId: ({ attributes }) => attributes.owners.applicant,
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
  deletedAt: ({ deletedAt }) => deletedAt
})

export const taskTable = tableOf<Document<TaskView>>({
  id: ({ id }) => id,
  reason: ({ reason }) => reason,
  since: ({ createdAt }) => createdAt,
  workerId: ({ worker }) => worker?.id,
  applicantId: ({ applicant }) => applicant?.id,
  displayName: ({ applicant, worker }) => (worker ?? applicant)?.displayName,
  credentialId: ({ credential }) => credential?.id,
  credentialType: ({ credential }) => credential?.credentialType,
  banId: ({ ban }) => ban?.id,
  answerId: ({ answer }) => answer?.id,
  verificationSourceId: ({ verificationSource }) => verificationSource?.id,
  assigneeId: ({ assignee }) => assignee?.id
})

/** A document of a list that can include the people of its records. */
type WithOwners<Fields extends JsonObject> = Document<Fields & { readonly owners?: IncludedOwners }>

/** The name of the worker, or null: the people are included only on request. */
const workerNameOf = ({ owners }: { readonly owners?: IncludedOwners }): string | undefined =>
  (owners?.worker as Document<WorkerFields> | null | undefined)?.identity.displayName

const applicantNameOf = ({ owners }: { readonly owners?: IncludedOwners }): string | undefined =>
  (owners?.applicant as Document<ApplicantFields> | null | undefined)?.displayName

/** The columns of every stored record. */
const recordColumns = {
  createdAt: ({ createdAt }: Document<JsonObject>) => createdAt,
  updatedAt: ({ updatedAt }: Document<JsonObject>) => updatedAt,
  deletedAt: ({ deletedAt }: Document<JsonObject>) => deletedAt
}

export const workerTable = tableOf<Document<WorkerFields>>({
  id: ({ id }) => id,
  externalId: ({ source }) => source?.externalId,
  displayName: ({ identity }) => identity.displayName,
  firstName: ({ identity }) => identity.firstName,
  lastName: ({ identity }) => identity.lastName,
  birthDate: ({ identity }) => identity.birthDate,
  jobTitle: ({ employment }) => employment?.jobTitle,
  workerType: ({ employment }) => employment?.workerType,
  status: ({ employment }) => employment?.status,
  startDate: ({ employment }) => employment?.startDate,
  endDate: ({ employment }) => employment?.endDate,
  workEmail: ({ contact }) => contact?.workEmail,
  personalEmail: ({ contact }) => contact?.personalEmail,
  mobileNumber: ({ contact }) => contact?.mobileNumber,
  unitId: ({ unit }) => unit?.id,
  ...recordColumns
})

export const applicantTable = tableOf<Document<ApplicantFields>>({
  id: ({ id }) => id,
  externalId: ({ source }) => source?.externalId,
  displayName: ({ displayName }) => displayName,
  firstName: ({ firstName }) => firstName,
  lastName: ({ lastName }) => lastName,
  birthDate: ({ birthDate }) => birthDate,
  emailAddress: ({ emailAddress }) => emailAddress,
  phone: ({ phone }) => phone,
  status: ({ status }) => status,
  unitId: ({ unit }) => unit?.id,
  ...recordColumns
})

export const exemptionTable = tableOf<WithOwners<ExemptionFields>>({
  id: ({ id }) => id,
  exemptionType: ({ exemptionType }) => exemptionType,
  workerId: ({ worker }) => worker?.id,
  workerName: workerNameOf,
  applicantId: ({ applicant }) => applicant?.id,
  applicantName: applicantNameOf,
  identifier: ({ identifier }) => identifier,
  jurisdiction: ({ jurisdiction }) => jurisdiction,
  reason: ({ reason }) => reason,
  grantedBy: ({ grantedBy }) => grantedBy,
  issueDate: ({ issueDate }) => issueDate,
  expiryDate: ({ expiryDate }) => expiryDate,
  exemptedCredentialTypes: ({ exemptedCredentialTypes = [] }) => exemptedCredentialTypes.join(" "),
  ...recordColumns
})

export const complianceCheckTable = tableOf<Document<ComplianceCheckFields>>({
  id: ({ id }) => id,
  displayName: ({ displayName }) => displayName,
  description: ({ description }) => description,
  severity: ({ severity }) => severity,
  enabled: ({ enabled }) => enabled,
  mode: ({ requirement }) => requirement.mode,
  credentialTypes: ({ requirement }) => requirement.credentialTypes.join(" "),
  exemptionsCount: ({ requirement }) => requirement.exemptionsCount,
  ...recordColumns
})

export const screeningPackageTable = tableOf<Document<ScreeningPackageFields>>({
  id: ({ id }) => id,
  name: ({ name }) => name,
  description: ({ description }) => description,
  active: ({ active }) => active,
  credentialTypes: ({ requirements }) => requirements?.credentialTypes?.join(" "),
  exemptionTypes: ({ requirements }) => requirements?.exemptionTypes?.join(", "),
  banChecks: ({ requirements }) => requirements?.banChecks?.join(", "),
  ...recordColumns
})

/** The columns that recruitment checks and fetch requests share. */
const invitationColumns = {
  status: ({ status }: Invitation) => status,
  expiryDate: ({ expiryDate }: Invitation) => expiryDate,
  sentAt: ({ sentAt }: Invitation) => sentAt,
  remindedAt: ({ remindedAt }: Invitation) => remindedAt,
  message: ({ message }: Invitation) => message
}

export const recruitmentCheckTable = tableOf<WithOwners<RecruitmentCheckFields>>({
  id: ({ id }) => id,
  applicantId: ({ applicant }) => applicant.id,
  applicantName: applicantNameOf,
  screeningPackageCode: ({ screeningPackageCode }) => screeningPackageCode,
  ...invitationColumns,
  ...recordColumns
})

export const fetchRequestTable = tableOf<WithOwners<FetchRequestFields>>({
  id: ({ id }) => id,
  workerId: ({ worker }) => worker.id,
  workerName: workerNameOf,
  requestedCredentialTypes: ({ requestedCredentialTypes }) => requestedCredentialTypes.join(" "),
  ...invitationColumns,
  ...recordColumns
})

export const banTable = tableOf<WithOwners<BanFields>>({
  id: ({ id }) => id,
  register: ({ register }) => register,
  workerId: ({ worker }) => worker.id,
  workerName: workerNameOf,
  eligibility: ({ eligibility }) => eligibility,
  checkedAt: ({ checkedAt }) => checkedAt,
  matches: ({ matches }) =>
    matches.map(({ detail, name, reference }) => [name, reference, detail].filter(Boolean).join(", ")).join("; "),
  decision: ({ decision }) => decision?.outcome,
  decisionReason: ({ decision }) => decision?.reason,
  decisionEndsOn: ({ decision }) => decision?.endsOn,
  ...recordColumns
})

export const scanTable = tableOf<ScanDocument>({
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => createdAt,
  status: ({ status }) => status,
  outcome: ({ outcome }) => outcome,
  credentialType: ({ credentialType }) => credentialType,
  identifier: ({ identifier }) => identifier,
  firstName: ({ firstName }) => firstName,
  lastName: ({ lastName }) => lastName,
  credentialId: ({ credentialId }) => credentialId,
  account: ({ account }) => account
})

export const erasureTable = tableOf<ErasureDocument>({
  workerId: ({ id }) => id,
  reason: ({ reason }) => reason,
  status: ({ status }) => status,
  account: ({ account }) => account,
  createdAt: ({ createdAt }) => createdAt,
  dueOn: ({ dueOn }) => dueOn,
  erasedAt: ({ erasedAt }) => erasedAt
})

export const verificationSourceTable = tableOf<Document<VerificationSourceView>>({
  id: ({ id }) => id,
  credentialType: ({ credentialType }) => credentialType,
  url: ({ url }) => url,
  intervalDays: ({ intervalDays }) => intervalDays,
  state: ({ state }) => state,
  lastSuccessAt: ({ lastSuccessAt }) => lastSuccessAt,
  lastFault: ({ lastFault }) => lastFault?.message,
  lastFaultAt: ({ lastFault }) => lastFault?.at,
  ...recordColumns
})

export const webhookTable = tableOf<Document<WebhookView>>({
  id: ({ id }) => id,
  name: ({ name }) => name,
  url: ({ url }) => url,
  status: ({ status }) => status,
  events: ({ events }) => events.join(" "),
  consecutiveFailures: ({ delivery }) => delivery.consecutiveFailures,
  lastSuccessAt: ({ delivery }) => delivery.lastSuccessAt,
  lastFailureAt: ({ delivery }) => delivery.lastFailureAt,
  lastFailure: ({ delivery }) => delivery.lastFailure,
  waiting: ({ delivery }) => delivery.waiting,
  exhausted: ({ delivery }) => delivery.exhausted,
  ...recordColumns
})

export const deliveryTable = tableOf<DeliveryDocument>({
  id: ({ id }) => id,
  webhookId: ({ webhookId }) => webhookId,
  event: ({ event }) => event,
  eventId: ({ eventId }) => eventId,
  subjectId: ({ subjectId }) => subjectId,
  correlationId: ({ correlationId }) => correlationId,
  state: ({ state }) => state,
  attemptCount: ({ attemptCount }) => attemptCount,
  lastAttemptAt: ({ attempts }) => attempts.at(-1)?.at,
  lastResponseStatus: ({ attempts }) => attempts.at(-1)?.responseStatus,
  lastFault: ({ attempts }) => attempts.at(-1)?.fault,
  nextAttemptAt: ({ nextAttemptAt }) => nextAttemptAt,
  createdAt: ({ createdAt }) => createdAt,
  deliveredAt: ({ deliveredAt }) => deliveredAt
})

export const identityProviderTable = tableOf<Document<IdentityProviderView>>({
  id: ({ id }) => id,
  name: ({ name }) => name,
  kind: ({ kind }) => kind,
  active: ({ active }) => active,
  domains: ({ domains }) => domains.join(" "),
  ...recordColumns
})

const workerColumns = ["workerId", "externalId", "displayName"]

/**
 * Five columns for each check: result, missing types, reviews with their reason, cards that do not count with the reason
 * and its beginning, and bans with their outcome.
 */
export const matrixTable: ListTable<MatrixRow> = {
  columnsOf: ([first]) => [
    ...workerColumns,
    ...(first?.checks ?? []).flatMap(({ complianceCheckId: check }) => [
      check,
      `${check} missing`,
      `${check} reviews`,
      `${check} failing credentials`,
      `${check} bans`
    ])
  ],
  rowOf: ({ checks, worker }) => ({
    workerId: worker.id,
    externalId: worker.externalId ?? null,
    displayName: worker.displayName,
    ...Object.fromEntries(
      checks.flatMap(
        ({ bans, complianceCheckId: check, failingCredentials, missingCredentialTypes, result, reviews }) => [
          [check, result],
          [`${check} missing`, missingCredentialTypes.join(" ")],
          [
            `${check} reviews`,
            reviews.map(({ credentialType, statusDetail }) => `${credentialType}: ${statusDetail}`).join(", ")
          ],
          [
            `${check} failing credentials`,
            failingCredentials
              .map(({ credentialType, expiryDate, since = expiryDate, statusDetail }) =>
                [`${credentialType}: ${statusDetail}`, since].filter((part) => part !== undefined).join(" ")
              )
              .join(", ")
          ],
          [`${check} bans`, bans.map(({ eligibility, id }) => `${id}: ${eligibility}`).join(", ")]
        ]
      )
    )
  })
}

export const unitTable = tableOf<Document<UnitFields>>({
  id: ({ id }) => id,
  name: ({ name }) => name,
  externalId: ({ externalId }) => externalId,
  parentId: ({ parent }) => parent?.id,
  createdAt: ({ createdAt }) => createdAt,
  updatedAt: ({ updatedAt }) => updatedAt,
  deletedAt: ({ deletedAt }) => deletedAt
})

export const userTable = tableOf<UserDocument>({
  id: ({ id }) => id,
  email: ({ email }) => email,
  firstName: ({ firstName }) => firstName,
  surname: ({ surname }) => surname,
  role: ({ role }) => (typeof role === "string" ? role : role.join(" ")),
  units: ({ units }) => units?.join(" "),
  workerId: ({ worker }) => worker?.id,
  hasPassword: ({ hasPassword }) => hasPassword,
  lastLoginAt: ({ lastLogin }) => lastLogin?.at,
  lastLoginMethod: ({ lastLogin }) => lastLogin?.method,
  secondFactorSince: ({ secondFactor }) => secondFactor?.since,
  secondFactorLastUsedAt: ({ secondFactor }) => secondFactor?.lastUsedAt,
  joinedAt: ({ joinedAt }) => joinedAt,
  createdAt: ({ createdAt }) => createdAt,
  deactivatedAt: ({ deactivatedAt }) => deactivatedAt
})

export const messageTable = tableOf<Document<MessageFields>>({
  id: ({ id }) => id,
  kind: ({ kind }) => kind,
  state: ({ state }) => state,
  recipientType: ({ recipient }) => recipient.type,
  recipientId: ({ recipient }) => recipient.id,
  email: ({ recipient }) => recipient.email,
  aboutId: ({ about }) => about?.id,
  cause: ({ cause }) => cause,
  attempts: ({ attempts }) => attempts,
  reply: ({ reply }) => reply,
  createdAt: ({ createdAt }) => createdAt,
  endedAt: ({ endedAt }) => endedAt
})

export const answerTable = tableOf<Document<AnswerFields>>({
  id: ({ id }) => id,
  state: ({ state }) => state,
  requestId: ({ request }) => request.id,
  workerId: ({ worker }) => worker?.id,
  applicantId: ({ applicant }) => applicant?.id,
  credentialTypes: ({ cards }) => cards.map(({ credentialType }) => credentialType).join(" "),
  consentVersion: ({ consent }) => consent.version,
  consentAt: ({ consent }) => consent.at,
  submittedAt: ({ submittedAt }) => submittedAt,
  decidedBy: ({ decision }) => decision?.by.id,
  decidedAt: ({ decision }) => decision?.at,
  reason: ({ decision }) => decision?.reason
})
