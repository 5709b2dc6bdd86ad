import { Schema } from "effect"
import { CodeOfType } from "../holding/CredentialType.ts"
import { decidable } from "../holding/Decision.ts"
import type { StatusDetail } from "../holding/Verification.ts"
import { enumeration } from "../resource/Enumeration.ts"
import type { Resource } from "../resource/Resource.ts"
import { AccountId, CredentialId, prefixes, VerificationSourceId, WorkerId } from "../shared/Id.ts"

/** Why something needs a person: a review that waits, a question that a decision answers, or a source that fails. */
export const taskReasons = [
  "QUEUED_MANUAL",
  "POSSIBLE_MATCH",
  "CONDITIONAL",
  "MANUAL_REVIEW_REQUIRED",
  "VOLUNTEER_ONLY",
  "APPLICATION_IN_PROGRESS",
  "DETAILS_MISSING",
  "EXPIRED",
  "SOURCE_FAILED"
] as const
export type TaskReason = (typeof taskReasons)[number]

/** The reason for a card whose question is open; undefined if nobody can answer it. */
export const reasonOf = (question: StatusDetail): TaskReason | undefined =>
  question === "QUEUED_MANUAL" || decidable[question] !== undefined
    ? taskReasons.find((reason) => reason === question)
    : undefined

export const TaskFields = Schema.Struct({
  reason: enumeration("TaskReason", taskReasons).annotateKey({
    description:
      "What is open. `QUEUED_MANUAL` needs a review, `SOURCE_FAILED` a verification source that works, and any other a " +
      "decision or another card."
  }),
  credential: Schema.optionalKey(
    Schema.Struct({
      id: CredentialId,
      credentialType: CodeOfType.annotateKey({ description: "Type of the credential." })
    })
  ).annotateKey({ description: "The card. Absent if the task is about a source." }),
  worker: Schema.optionalKey(Schema.Struct({ id: WorkerId })).annotateKey({
    description: "The worker who holds the card. Absent if the task is about a source."
  }),
  verificationSource: Schema.optionalKey(Schema.Struct({ id: VerificationSourceId })).annotateKey({
    description: "The source that fails. Absent if the task is about a card."
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
    assignee_id: { path: ["assignee", "id"], apart: true }
  },
  filters: {
    reason: { by: "equal", column: "reason", among: taskReasons },
    workerId: { by: "equal", column: "worker_id", of: "worker" },
    assigneeId: { by: "equal", column: "assignee_id", of: "account" }
  },
  sorts: {}
} as const satisfies Resource<TaskFields>

/** The id of the task about a credential or a source. It is the same each time that the state begins. */
export const taskIdOf = (subject: string): string => prefixes.task + subject.slice(subject.indexOf("_") + 1)
