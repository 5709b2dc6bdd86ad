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
import type { RecruitmentCheckFields } from "@wcs/domain/screening/RecruitmentChecks"
import type { ScreeningPackageFields } from "@wcs/domain/screening/ScreeningPackage"
import type { TaskView } from "@wcs/domain/screening/Tasks"
import type { JsonObject } from "@wcs/domain/shared/Json"
import type { IdentityProviderView } from "@wcs/domain/single-sign-on/IdentityProviderView"
import type { UserDocument } from "@wcs/domain/user/UserDocument"
import type { VerificationSourceView } from "@wcs/domain/verification/VerificationSource"
import type { DeliveryDocument } from "@wcs/domain/webhook/Delivery"
import type { WebhookView } from "@wcs/domain/webhook/Webhook"
import { type ListTable, of, own, tableOf } from "./ListTable.ts"

// The tables of all lists that are also answered as files (DECISIONS.md#reports).

export const verificationTable: ListTable<VerificationRow> = { columnsOf: () => reportColumns, rowOf: (row) => row }

/** `status: "A" → "B"`, with the values as JSON, so that texts and lists stay apart. */
const changeText = ({ after, before, field }: FieldChange): string =>
  `${field}: ${JSON.stringify(before)} → ${JSON.stringify(after)}`

/** The changes are there with `include=changes`. */
export const auditTable = tableOf<AuditEvent>(
  own("id", "createdAt", "account", "accountName"),
  { bearerKind: ({ bearer }) => bearer?.kind, bearerId: ({ bearer }) => bearer?.id },
  own("operation", "action", "entityType", "entityId"),
  { otherWorkerId: ({ otherWorker }) => otherWorker?.id },
  own("requestId"),
  { changes: ({ changes }) => changes?.map(changeText).join("; ") }
)

export const credentialTable = tableOf<Document<CredentialView>>(
  own("id"),
  of(({ attributes }) => attributes, "credentialType", "identifier"),
  of(({ attributes }) => attributes.holder, "firstName", "lastName", "birthDate"),
  of(({ attributes }) => attributes, "eligibility", "statusDetail", "expiryDate", "lastVerifiedAt"),
  {
    workerId: ({ attributes }) => attributes.owners.worker,
    applicantId: ({ attributes }) => attributes.owners.applicant
  },
  own("createdAt", "updatedAt", "deletedAt")
)

export const taskTable = tableOf<Document<TaskView>>(
  own("id", "reason"),
  {
    since: ({ createdAt }) => createdAt,
    workerId: ({ worker }) => worker?.id,
    applicantId: ({ applicant }) => applicant?.id,
    displayName: ({ applicant, worker }) => (worker ?? applicant)?.displayName,
    credentialId: ({ credential }) => credential?.id
  },
  of(({ credential }) => credential, "credentialType"),
  {
    banId: ({ ban }) => ban?.id,
    answerId: ({ answer }) => answer?.id,
    verificationSourceId: ({ verificationSource }) => verificationSource?.id,
    assigneeId: ({ assignee }) => assignee?.id
  }
)

/** A document of a list that can include the people of its records. */
type WithOwners<Fields extends JsonObject> = Document<Fields & { readonly owners?: IncludedOwners }>

/** The name of the worker, or null: the people are included only on request. */
const workerNameOf = ({ owners }: { readonly owners?: IncludedOwners }): string | undefined =>
  (owners?.worker as Document<WorkerFields> | null | undefined)?.identity.displayName

const applicantNameOf = ({ owners }: { readonly owners?: IncludedOwners }): string | undefined =>
  (owners?.applicant as Document<ApplicantFields> | null | undefined)?.displayName

export const workerTable = tableOf<Document<WorkerFields>>(
  own("id"),
  of(({ source }) => source, "externalId"),
  of(({ identity }) => identity, "displayName", "firstName", "lastName", "birthDate"),
  of(({ employment }) => employment, "jobTitle", "workerType", "status", "startDate", "endDate"),
  of(({ contact }) => contact, "workEmail", "personalEmail", "mobileNumber"),
  { unitId: ({ unit }) => unit?.id },
  own("createdAt", "updatedAt", "deletedAt")
)

export const applicantTable = tableOf<Document<ApplicantFields>>(
  own("id"),
  of(({ source }) => source, "externalId"),
  own("displayName", "firstName", "lastName", "birthDate", "emailAddress", "phone", "status"),
  { unitId: ({ unit }) => unit?.id },
  own("createdAt", "updatedAt", "deletedAt")
)

export const exemptionTable = tableOf<WithOwners<ExemptionFields>>(
  own("id", "exemptionType"),
  {
    workerId: ({ worker }) => worker?.id,
    workerName: workerNameOf,
    applicantId: ({ applicant }) => applicant?.id,
    applicantName: applicantNameOf
  },
  own("identifier", "jurisdiction", "reason", "grantedBy", "issueDate", "expiryDate"),
  { exemptedCredentialTypes: ({ exemptedCredentialTypes = [] }) => exemptedCredentialTypes.join(" ") },
  own("createdAt", "updatedAt", "deletedAt")
)

export const complianceCheckTable = tableOf<Document<ComplianceCheckFields>>(
  own("id", "displayName", "description", "severity", "enabled"),
  of(({ requirement }) => requirement, "mode"),
  { credentialTypes: ({ requirement }) => requirement.credentialTypes.join(" ") },
  of(({ requirement }) => requirement, "exemptionsCount"),
  own("createdAt", "updatedAt", "deletedAt")
)

export const screeningPackageTable = tableOf<Document<ScreeningPackageFields>>(
  own("id", "name", "description", "active"),
  {
    credentialTypes: ({ requirements }) => requirements?.credentialTypes?.join(" "),
    exemptionTypes: ({ requirements }) => requirements?.exemptionTypes?.join(", "),
    banChecks: ({ requirements }) => requirements?.banChecks?.join(", ")
  },
  own("createdAt", "updatedAt", "deletedAt")
)

/** The fields that recruitment checks and fetch requests share. */
const invitationFields = ["status", "expiryDate", "sentAt", "remindedAt", "message"] as const

export const recruitmentCheckTable = tableOf<WithOwners<RecruitmentCheckFields>>(
  own("id"),
  { applicantId: ({ applicant }) => applicant.id, applicantName: applicantNameOf },
  own("screeningPackageCode", ...invitationFields, "createdAt", "updatedAt", "deletedAt")
)

export const fetchRequestTable = tableOf<WithOwners<FetchRequestFields>>(
  own("id"),
  {
    workerId: ({ worker }) => worker.id,
    workerName: workerNameOf,
    requestedCredentialTypes: ({ requestedCredentialTypes }) => requestedCredentialTypes.join(" ")
  },
  own(...invitationFields, "createdAt", "updatedAt", "deletedAt")
)

export const banTable = tableOf<WithOwners<BanFields>>(
  own("id", "register"),
  { workerId: ({ worker }) => worker.id, workerName: workerNameOf },
  own("eligibility", "checkedAt"),
  {
    matches: ({ matches }) =>
      matches.map(({ detail, name, reference }) => [name, reference, detail].filter(Boolean).join(", ")).join("; "),
    decision: ({ decision }) => decision?.outcome,
    decisionReason: ({ decision }) => decision?.reason,
    decisionEndsOn: ({ decision }) => decision?.endsOn
  },
  own("createdAt", "updatedAt", "deletedAt")
)

export const scanTable = tableOf<ScanDocument>(
  own(
    "id",
    "createdAt",
    "status",
    "outcome",
    "credentialType",
    "identifier",
    "firstName",
    "lastName",
    "credentialId",
    "account"
  )
)

export const erasureTable = tableOf<ErasureDocument>(
  { workerId: ({ id }) => id },
  own("reason", "status", "account", "createdAt", "dueOn", "erasedAt")
)

export const verificationSourceTable = tableOf<Document<VerificationSourceView>>(
  own("id", "credentialType", "url", "intervalDays", "state", "lastSuccessAt"),
  { lastFault: ({ lastFault }) => lastFault?.message, lastFaultAt: ({ lastFault }) => lastFault?.at },
  own("createdAt", "updatedAt", "deletedAt")
)

export const webhookTable = tableOf<Document<WebhookView>>(
  own("id", "name", "url", "status"),
  { events: ({ events }) => events.join(" ") },
  of(
    ({ delivery }) => delivery,
    "consecutiveFailures",
    "lastSuccessAt",
    "lastFailureAt",
    "lastFailure",
    "waiting",
    "exhausted"
  ),
  own("createdAt", "updatedAt", "deletedAt")
)

export const deliveryTable = tableOf<DeliveryDocument>(
  own("id", "webhookId", "event", "eventId", "subjectId", "correlationId", "state", "attemptCount"),
  {
    lastAttemptAt: ({ attempts }) => attempts.at(-1)?.at,
    lastResponseStatus: ({ attempts }) => attempts.at(-1)?.responseStatus,
    lastFault: ({ attempts }) => attempts.at(-1)?.fault
  },
  own("nextAttemptAt", "createdAt", "deliveredAt")
)

export const identityProviderTable = tableOf<Document<IdentityProviderView>>(
  own("id", "name", "kind", "active"),
  { domains: ({ domains }) => domains.join(" ") },
  own("createdAt", "updatedAt", "deletedAt")
)

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

export const unitTable = tableOf<Document<UnitFields>>(
  own("id", "name", "externalId"),
  { parentId: ({ parent }) => parent?.id },
  own("createdAt", "updatedAt", "deletedAt")
)

export const userTable = tableOf<UserDocument>(
  own("id", "email", "firstName", "surname"),
  {
    role: ({ role }) => (typeof role === "string" ? role : role.join(" ")),
    units: ({ units }) => units?.join(" "),
    workerId: ({ worker }) => worker?.id
  },
  own("hasPassword"),
  {
    lastLoginAt: ({ lastLogin }) => lastLogin?.at,
    lastLoginMethod: ({ lastLogin }) => lastLogin?.method,
    secondFactorSince: ({ secondFactor }) => secondFactor?.since,
    secondFactorLastUsedAt: ({ secondFactor }) => secondFactor?.lastUsedAt
  },
  own("joinedAt", "createdAt", "deactivatedAt")
)

export const messageTable = tableOf<Document<MessageFields>>(
  own("id", "kind", "state"),
  { recipientType: ({ recipient }) => recipient.type, recipientId: ({ recipient }) => recipient.id },
  of(({ recipient }) => recipient, "email"),
  { aboutId: ({ about }) => about?.id },
  own("cause", "attempts", "reply", "createdAt", "endedAt")
)

export const answerTable = tableOf<Document<AnswerFields>>(
  own("id", "state"),
  {
    requestId: ({ request }) => request.id,
    workerId: ({ worker }) => worker?.id,
    applicantId: ({ applicant }) => applicant?.id,
    credentialTypes: ({ cards }) => cards.map(({ credentialType }) => credentialType).join(" "),
    consentVersion: ({ consent }) => consent.version,
    consentAt: ({ consent }) => consent.at
  },
  own("submittedAt"),
  { decidedBy: ({ decision }) => decision?.by.id, decidedAt: ({ decision }) => decision?.at },
  of(({ decision }) => decision, "reason")
)
