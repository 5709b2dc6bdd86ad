import { entryOf } from "../audit/AuditEntry.ts"
import type { Advance, ChangedBy, Progression } from "../crud/Progression.ts"
import { letsEngage } from "../holding/Clearance.ts"
import * as Credential from "../holding/Credential.ts"
import { type ExemptionFields, isInForceOn, personsOf } from "../holding/Exemption.ts"
import type { Holdings } from "../holding/Holdings.ts"
import { type OwnerReference, type OwnerType, ownersIn } from "../ownership/Ownership.ts"
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

/** The progression by the resource that asks persons of each type. */
const progressions: Readonly<Record<OwnerType, typeof progressionOf>> = {
  worker: (person, by) => progressionBy(FetchRequests.asking, person, by),
  applicant: (person, by) => progressionBy(RecruitmentChecks.asking, person, by)
}

/** Returns the progression of a person with new holdings. */
export const progressionOf = (person: OwnerReference, by: ChangedBy): Progression =>
  progressions[person.type](person, by)

/**
 * Returns the progressions of a credential's owners after a change; none if the credential does not allow them to
 * engage.
 */
export const progressionsOfCredential = (
  stored: Stored<Credential.CredentialFields>,
  by: ChangedBy
): ReadonlyArray<Progression> =>
  letsEngage(Credential.readOn(stored, by.today).fields)
    ? ownersIn(stored.fields.attributes.owners).map((owner) => progressionOf(owner, by))
    : []

/** Returns the progression of an exemption's person after a change; none if the exemption is not in force. */
export const progressionsOfExemption = (
  { fields }: Stored<ExemptionFields>,
  by: ChangedBy
): ReadonlyArray<Progression> =>
  isInForceOn(fields, by.today) ? personsOf(fields).map((person) => progressionOf(person, by)) : []
