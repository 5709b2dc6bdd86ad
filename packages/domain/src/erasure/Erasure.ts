import { Schema } from "effect"
import type { EventDraft } from "../event/EventDraft.ts"
import { Ban } from "../holding/Ban.ts"
import { Credential } from "../holding/Credential.ts"
import { Exemption } from "../holding/Exemption.ts"
import type { OwnerType } from "../ownership/Ownership.ts"
import { Applicant } from "../people/Applicant.ts"
import { ownerColumns } from "../people/Owner.ts"
import type { Resource } from "../resource/Resource.ts"
import { createdAt, timeOrNull, typeField } from "../resource/ShownFields.ts"
import type { Timeline } from "../resource/Timeline.ts"
import { Answer } from "../screening/Answer.ts"
import { FetchRequest } from "../screening/FetchRequests.ts"
import { RecruitmentCheck } from "../screening/RecruitmentChecks.ts"
import { WorkerId } from "../shared/Id.ts"
import { CalendarDate, type Instant, toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"

/** Why a person is erased. A code and no text: a text could name the person, and the record of the erasure is kept. */
export const reasons = ["PERSON_ASKED", "RETENTION_ENDED", "RECORDED_BY_MISTAKE", "OTHER"] as const
export const Reason = Schema.Literals(reasons).annotate({ identifier: "ErasureReason" })
export type Reason = typeof Reason.Type

/** The body of an erasure. */
export const ErasureRequest = Schema.Struct({
  reason: Reason.annotateKey({
    description:
      "Why. PERSON_ASKED: a request of the person. RETENTION_ENDED: the record is not needed any more. " +
      "RECORDED_BY_MISTAKE: the organization should not have it. The audit log has the call, and the list has the reason."
  })
})
export type ErasureRequest = typeof ErasureRequest.Type

/** How far an erasure has come. */
export const statuses = ["ANNOUNCED", "DUE", "ERASING", "ERASED"] as const
export type Status = (typeof statuses)[number]

/** The erasure of a worker. A worker has at most one. */
export interface Erasure {
  readonly tenantId: string
  readonly workerId: string
  readonly reason: Reason
  readonly status: Status
  /** The URN of the account that asked. */
  readonly account: string
  readonly requestId: string
  readonly requestedAt: Instant
  /** The first day on which an announced worker may be erased, `YYYY-MM-DD`; null if it was not announced. */
  readonly dueOn: string | null
  /** When the last row was erased; null before. */
  readonly erasedAt: Instant | null
}

/** An erasure as the API shows it. */
export const ErasureDocument = Schema.Struct({
  id: WorkerId.annotateKey({ description: "Id of the worker, `wkr_…`." }),
  type: typeField("erasure"),
  reason: Reason.annotateKey({ description: "Why the person is erased." }),
  status: Schema.Literals(statuses).annotateKey({
    description:
      "ANNOUNCED: the retention of the tenant ends on `dueOn`. The announcement is withdrawn if the worker is engaged " +
      "again, or must be kept for longer. DUE: a restored backup has the person again, and the worker program erases " +
      "the person soon. ERASING: the worker is erased, and the worker program erases other rows. ERASED: nothing is left."
  }),
  account: Schema.String.annotate({
    description: "The URN of the account that asked for the erasure: `urn:wcs:server` for the retention of the tenant."
  }),
  createdAt,
  dueOn: Schema.NullOr(CalendarDate).annotate({
    description: "Day on which an announced worker is erased. Null if the erasure was not announced."
  }),
  erasedAt: timeOrNull("When the last row was erased. Null before.")
})
export type ErasureDocument = typeof ErasureDocument.Type

export const documentOf = (erasure: Erasure): ErasureDocument => ({
  id: erasure.workerId,
  type: "erasure",
  reason: erasure.reason,
  status: erasure.status,
  account: erasure.account,
  createdAt: toRfc3339(erasure.requestedAt),
  dueOn: erasure.dueOn,
  erasedAt: toRfc3339OrNull(erasure.erasedAt)
})

/** A tenant's erasures in the order of request. */
export const erasures: Timeline<"status"> = {
  type: "erasure",
  filters: { status: statuses },
  ends: false,
  newestFirst: true
}

/** Rows of one kind about a person. */
export interface Rows {
  readonly resource: Resource
  /** The column with the id of the person. */
  readonly column: string
}

const heldBy = (type: OwnerType, resources: ReadonlyArray<Resource>): ReadonlyArray<Rows> =>
  resources.map((resource) => ({ resource, column: ownerColumns[type] }))

/** All rows about a person, besides the worker's own. */
export const rowsOf: Readonly<Record<OwnerType, ReadonlyArray<Rows>>> = {
  worker: heldBy("worker", [Credential, Exemption, Ban, FetchRequest, Answer]),
  applicant: [
    { resource: Applicant, column: "id" },
    ...heldBy("applicant", [Credential, Exemption, RecruitmentCheck, Answer])
  ]
}

/** The event that announces an erasure, or tells that nothing is left. It has no `dueOn` without an announcement. */
export const eventOf = (
  kind: "worker.erasing" | "worker.erased",
  { dueOn, reason, workerId }: Erasure,
  id: string,
  at: Instant
): EventDraft => ({
  ...{ id, kind, subjectId: workerId, correlationId: null, about: { credentialType: null, jurisdiction: null }, at },
  data: { worker: { id: workerId, type: "worker" }, erasure: { reason, dueOn } }
})
