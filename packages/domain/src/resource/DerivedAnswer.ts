import { type EntityType, type Privilege, readOf } from "../access/Privilege.ts"

/**
 * The answers that tell of more than the entity type of their group, with the entity types that each tells of. An
 * answer needs READ on all of them (§5.2, item 7). Each list is in the order in which a refusal names the first lack.
 */
export const derivedAnswers = {
  /** Which workers lack which credentials. */
  evaluation: ["complianceCheck", "worker", "credential"],
  /** The same when exemptions count as credentials: a pass then tells of an exemption. */
  evaluationWithExemptions: ["complianceCheck", "worker", "credential", "exemption"],
  /** `include=credentials`. */
  workerWithCredentials: ["worker", "credential"],
  /** `include=owners`. */
  credentialWithOwners: ["credential", "worker", "applicant"],
  /** The credential as a review leaves it. */
  reviewedCredential: ["credential"]
} as const satisfies Record<string, readonly [EntityType, ...ReadonlyArray<EntityType>]>

/** The privileges that a derived answer needs. */
export const readsOf = (answer: keyof typeof derivedAnswers): readonly [Privilege, ...ReadonlyArray<Privilege>] => {
  const [first, ...others] = derivedAnswers[answer]
  return [readOf(first), ...others.map(readOf)]
}
