import type { AuditEvent } from "@wcs/domain/audit/AuditEvents"
import { reportColumns, type VerificationRow } from "@wcs/domain/credential/VerificationReport"
import type { CredentialView } from "@wcs/domain/holding/Credential"
import type { Document } from "@wcs/domain/resource/Resource"
import type { MatrixRow } from "@wcs/domain/screening/ComplianceMatrix"
import type { TaskView } from "@wcs/domain/screening/Tasks"
import { type ListTable, tableOf } from "./ListTable.ts"

// The tables of all lists that are also answered as files (DECISIONS.md#reports).

export const verificationTable: ListTable<VerificationRow> = { columnsOf: () => reportColumns, rowOf: (row) => row }

export const auditTable = tableOf<AuditEvent>({
  id: ({ id }) => id,
  createdAt: ({ createdAt }) => createdAt,
  account: ({ account }) => account,
  bearerKind: ({ bearer }) => bearer?.kind,
  bearerId: ({ bearer }) => bearer?.id,
  operation: ({ operation }) => operation,
  action: ({ action }) => action,
  entityType: ({ entityType }) => entityType,
  entityId: ({ entityId }) => entityId,
  requestId: ({ requestId }) => requestId
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
  displayName: ({ worker }) => worker?.displayName,
  credentialId: ({ credential }) => credential?.id,
  credentialType: ({ credential }) => credential?.credentialType,
  banId: ({ ban }) => ban?.id,
  verificationSourceId: ({ verificationSource }) => verificationSource?.id,
  assigneeId: ({ assignee }) => assignee?.id
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
