import { entryOf } from "../audit/AuditEntry.ts"
import type { Advance, ChangedBy, Progression } from "../crud/Progression.ts"
import * as Credential from "../holding/Credential.ts"
import { type ExemptionFields, isInForceOn } from "../holding/Exemption.ts"
import type { Holdings } from "../holding/Holdings.ts"
import type { OwnerReference } from "../ownership/Ownership.ts"
import type { Stored } from "../resource/Resource.ts"
import { equals } from "../shared/Json.ts"
import * as FetchRequests from "./FetchRequests.ts"
import { type Asking, completedEvents, type InvitationFields, progressed } from "./Invitation.ts"
import * as RecruitmentChecks from "./RecruitmentChecks.ts"
import { requiredTypes } from "./ScreeningProgress.ts"

const advance = <F extends InvitationFields>(
  asking: Asking<F>,
  before: Stored<F>,
  holdings: Holdings,
  { actor, auditId, eventId, now, today }: ChangedBy
): ReadonlyArray<Advance> => {
  const fields = progressed(asking, before.fields, holdings, today)
  if (equals(fields, before.fields)) return []
  const next = { ...before, version: before.version + 1, updatedAt: now, fields }
  const action = fields.status === "COMPLETED" ? "complete" : "progress"
  const auditedAction = { operation: "UPDATE", action, entityType: asking.resource.type, entityId: before.id } as const
  return [
    {
      before,
      next,
      audit: entryOf(auditId(), actor, auditedAction, now),
      events: completedEvents(asking, eventId, next)
    }
  ]
}

const progressionBy = <F extends InvitationFields>(
  asking: Asking<F>,
  person: OwnerReference,
  by: ChangedBy
): Progression => ({
  person,
  resource: asking.resource,
  today: by.today,
  // The rows were decoded by the resource's definition.
  credentialTypes: (open) => requiredTypes(open.map(({ fields }) => asking.requirementsOf(fields as F))),
  decide: (open, holdings) => open.flatMap((before) => advance(asking, before as Stored<F>, holdings, by))
})

/** Returns the progression of a person with new holdings. */
export const progressionOf = (person: OwnerReference, by: ChangedBy): Progression =>
  person.type === "worker"
    ? progressionBy(FetchRequests.asking, person, by)
    : progressionBy(RecruitmentChecks.asking, person, by)

/**
 * Returns the progressions of a credential's owners after a change; none if the credential does not allow them to
 * engage.
 */
export const progressionsOfCredential = (
  stored: Stored<Credential.CredentialFields>,
  by: ChangedBy
): ReadonlyArray<Progression> =>
  Credential.letsEngage(Credential.readOn(stored, by.today).fields)
    ? Credential.ownersOf(stored.fields).map((owner) => progressionOf(owner, by))
    : []

/** Returns the progression of an exemption's person after a change; none if the exemption is not in force. */
export const progressionsOfExemption = (
  { fields }: Stored<ExemptionFields>,
  by: ChangedBy
): ReadonlyArray<Progression> => {
  const { applicant, worker } = fields
  if (!isInForceOn(fields, by.today)) return []
  if (worker !== undefined) return [progressionOf({ type: "worker", id: worker.id }, by)]
  return applicant === undefined ? [] : [progressionOf({ type: "applicant", id: applicant.id }, by)]
}
