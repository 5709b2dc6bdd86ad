import { type EntityType, type Privilege, readOf } from "../access/Privilege.ts"
import { ownerTypes } from "../ownership/Ownership.ts"

/**
 * Responses that reveal data of several entity types. Each needs READ on all types listed (§5.2, item 7). A refusal
 * names the first type that the caller lacks, in this order.
 */
export const derivedAnswers = {
  /** Reveals which workers lack which credentials, and which are banned. */
  evaluation: ["complianceCheck", "worker", "credential", "ban"],
  /** The same if exemptions count, because a PASS then reveals an exemption. */
  evaluationWithExemptions: ["complianceCheck", "worker", "credential", "ban", "exemption"],
  /** Shows a person with cards, verdicts, exemptions and bans at a time. */
  proof: ["complianceCheck", "worker", "credential", "ban", "exemption"],
  /** Shows people with their cards and verdicts. */
  verificationReport: ["worker", "credential"],
  /** `include=credentials`. */
  workerWithCredentials: ["worker", "credential"],
  /** `include=owners`. */
  credentialWithOwners: ["credential", ...ownerTypes],
  /** `include=owners` of other records that name people, besides the records themselves. */
  peopleOfRecords: ownerTypes,
  /** The credential after a review. */
  reviewedCredential: ["credential"],
  /** The credential after a decision. Its questions depend on how the worker is engaged. */
  decidedCredential: ["credential", "worker"],
  /** Tasks about cards and bans of workers, with their names. */
  cardTasks: ["credential", "worker", "ban"],
  /** Tasks about cards that only applicants own, with their names, besides those of workers. */
  applicantTasks: ["credential", "worker", "ban", "applicant"],
  /** A ban after a decision. */
  decidedBan: ["ban", "worker"],
  /** Messages to workers and applicants, about their cards and requests. */
  personalMessages: [...ownerTypes, "credential", "captureRequest", "credentialCheck"],
  /** Tasks about sources. */
  sourceTasks: ["verificationSource"],
  /** `include=auditEvents`. */
  changesWithAuditEvents: ["auditEvent"],
  /** `include=changes` of the audit log. Each change also needs READ of its record. */
  auditEventsWithChanges: ["auditEvent"]
} as const satisfies Record<string, readonly [EntityType, ...ReadonlyArray<EntityType>]>

/** Returns the privileges that a derived answer needs. */
export const readsOf = (answer: keyof typeof derivedAnswers): readonly [Privilege, ...ReadonlyArray<Privilege>] => {
  const [first, ...others] = derivedAnswers[answer]
  return [readOf(first), ...others.map(readOf)]
}
