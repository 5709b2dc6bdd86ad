import { Schema } from "effect"
import { BanUrn } from "../holding/Ban.ts"
import { CodeOfType } from "../holding/CredentialType.ts"
import { decidable } from "../holding/Decision.ts"
import type { StatusDetail } from "../holding/Verification.ts"
import { enumeration } from "../resource/Enumeration.ts"
import type { Resource } from "../resource/Resource.ts"
import {
  AccountId,
  AnswerId,
  ApplicantId,
  CredentialId,
  prefixes,
  VerificationSourceId,
  WorkerId
} from "../shared/Id.ts"

/**
 * Why something needs a person: a review that waits, a question that a decision answers, a record of a register of bans
 * that may be about the worker, a source that fails, or an answer of the worker to a request.
 */
export const taskReasons = [
  "QUEUED_MANUAL",
  "POSSIBLE_MATCH",
  "CONDITIONAL",
  "MANUAL_REVIEW_REQUIRED",
  "VOLUNTEER_ONLY",
  "APPLICATION_IN_PROGRESS",
  "DETAILS_MISSING",
  "EXPIRED",
  "POSSIBLE_BAN",
  "SOURCE_FAILED",
  "ANSWER_WAITING"
] as const
export type TaskReason = (typeof taskReasons)[number]

/** Why a card needs a person. */
export type CardReason = TaskReason & StatusDetail

/** The reason for a card whose question is open; undefined if nobody can answer it. */
export const reasonOf = (question: StatusDetail): CardReason | undefined =>
  question === "QUEUED_MANUAL" || decidable[question] !== undefined
    ? taskReasons.find((reason): reason is CardReason => reason === question)
    : undefined

export const TaskFields = Schema.Struct({
  reason: enumeration("TaskReason", taskReasons).annotateKey({
    description:
      "What is open. `QUEUED_MANUAL` needs a review, `SOURCE_FAILED` a verification source that works, " +
      "`ANSWER_WAITING` a decision about the answer, " +
      "`POSSIBLE_BAN` a decision about the ban, and any other a decision about the card, or another card."
  }),
  credential: Schema.optionalKey(
    Schema.Struct({
      id: CredentialId,
      credentialType: CodeOfType.annotateKey({ description: "Type of the credential." })
    })
  ).annotateKey({ description: "The card, if the task is about one." }),
  answer: Schema.optionalKey(Schema.Struct({ id: AnswerId })).annotateKey({
    description: "The answer to a request, if the task is about one."
  }),
  ban: Schema.optionalKey(Schema.Struct({ id: BanUrn })).annotateKey({
    description: "The oldest open record, if the task is about bans of the worker."
  }),
  worker: Schema.optionalKey(Schema.Struct({ id: WorkerId })).annotateKey({
    description: "The worker whose card, ban or answer it is."
  }),
  applicant: Schema.optionalKey(Schema.Struct({ id: ApplicantId })).annotateKey({
    description: "The applicant whose answer it is, or whose card, if no worker owns the card."
  }),
  verificationSource: Schema.optionalKey(Schema.Struct({ id: VerificationSourceId })).annotateKey({
    description: "The source that fails, if the task is about one."
  }),
  assignee: Schema.Struct({
    id: Schema.NullOr(AccountId).annotate({ description: "Id of the user who owns the task; null if nobody does." })
  }).annotate({ description: "The user who owns the task." })
})
export type TaskFields = typeof TaskFields.Type

/**
 * Something that needs a person. `createdAt` is when the state began, so the list is sorted by age. The server opens and
 * ends tasks: a task is there as long as its state (DECISIONS.md#tasks).
 */
export const Task = {
  type: "task",
  naming: { by: "minting", kind: "task" },
  collection: "tasks",
  fields: TaskFields,
  computed: [],
  fixed: [],
  defaults: [],
  links: [],
  columns: {
    reason: { path: ["reason"] },
    worker_id: { path: ["worker", "id"] },
    applicant_id: { path: ["applicant", "id"] },
    assignee_id: { path: ["assignee", "id"], apart: true }
  },
  filters: {
    reason: { by: "equal", column: "reason", among: taskReasons },
    workerId: { by: "equal", column: "worker_id", of: "worker" },
    applicantId: { by: "equal", column: "applicant_id", of: "applicant" },
    unit: { by: "unit" },
    assigneeId: { by: "equal", column: "assignee_id", of: "account" }
  },
  sorts: {}
} as const satisfies Resource<TaskFields>

/** The id of the task about a credential, an answer, the bans of a worker, or a source. It is the same each time that the state begins. */
export const taskIdOf = (subject: string): string => prefixes.task + subject.slice(subject.indexOf("_") + 1)
