import { serverActing } from "@wcs/domain/audit/AuditEntry"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import type { ChangedBy, Progression } from "@wcs/domain/crud/Progression"
import { type HoldingsOf, type Reference, ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import { Exemption, type ExemptionFields } from "@wcs/domain/holding/Exemption"
import type { Holdings } from "@wcs/domain/holding/Holdings"
import { enteringOwner, type OwnerReference, type OwnerType, ownerTypes } from "@wcs/domain/ownership/Ownership"
import { ownerResources } from "@wcs/domain/people/Owner"
import type { Stored } from "@wcs/domain/resource/Resource"
import * as FetchRequests from "@wcs/domain/screening/FetchRequests"
import * as Invitation from "@wcs/domain/screening/Invitation"
import { progressionOf, progressionsOfCredential, progressionsOfExemption } from "@wcs/domain/screening/Progressions"
import * as RecruitmentChecks from "@wcs/domain/screening/RecruitmentChecks"
import { defaultTimeZone, momentAt } from "@wcs/domain/shared/CalendarDay"
import { Effect, Option, Result } from "effect"
import {
  auditEntry,
  auditLog,
  created,
  credentialFields,
  eventDraft,
  find,
  mint,
  put,
  revise,
  type Stores,
  start,
  stored,
  workerRef
} from "../Fixtures.ts"
import { concludeBy, dueOne, noRuns, outcome, verification } from "../verification/VerificationFixtures.ts"

/** The time of a change of holdings. */
export const changedAt = start + 5

const moment = momentAt(changedAt, defaultTimeZone)

export const { today } = moment

export const by: ChangedBy = {
  ...moment,
  actor: serverActing("01K0000000000000000000TEST"),
  auditId: () => mint("audit"),
  eventId: () => mint("event")
}

/** The two types that a fetch request of these tests requires. */
export const [nsw, police] = ["WWCC_NSW", "POLICE_CHECK_NATIONAL"] as const

export const requestFields = (
  worker: string,
  fields: Partial<FetchRequests.FetchRequestFields> = {}
): FetchRequests.FetchRequestFields => ({
  worker: { id: worker },
  requestedCredentialTypes: [nsw],
  expiryDays: 14,
  expiryDate: today,
  status: "SENT",
  ...fields
})

export const checkFields = (
  applicant: string,
  fields: Partial<RecruitmentChecks.RecruitmentCheckFields> = {}
): RecruitmentChecks.RecruitmentCheckFields => ({
  applicant: { id: applicant },
  screeningPackageCode: "aged-care",
  requirements: { credentialTypes: [nsw] },
  expiryDays: 14,
  expiryDate: today,
  status: "SENT",
  ...fields
})

/** Stores a fetch request without evaluating holdings. */
export const putRequest = (
  tenant: string,
  worker: string,
  fields: Partial<FetchRequests.FetchRequestFields> = {},
  overrides: Partial<Stored> = {}
) => put(FetchRequests.FetchRequest, tenant, created(mint("captureRequest"), requestFields(worker, fields), overrides))

/** Stores a recruitment check without evaluating holdings. */
export const putCheck = (tenant: string, applicant: string) =>
  put(RecruitmentChecks.RecruitmentCheck, tenant, created(mint("credentialCheck"), checkFields(applicant)))

/** References to the owners of a credential, or the person of an exemption, as use cases make them. */
const referencesTo = (owners: Partial<Record<OwnerType, string | null | undefined>>): ReadonlyArray<Reference> =>
  ownerTypes.flatMap((type) => {
    const id = owners[type]
    return typeof id === "string" ? [{ resource: ownerResources[type], id }] : []
  })

const { asking } = FetchRequests

/** The holdings that a change of a fetch request needs, as the use case has it. */
const needing = (change: "created" | "updated", fields: FetchRequests.FetchRequestFields): HoldingsOf | undefined => {
  const whose = Invitation.holdingsOf(asking, change, fields, today)
  return whose && { ...whose, credentialTypes: () => fields.requestedCredentialTypes }
}

/** Creates a fetch request as the use case does, evaluating the worker's holdings. */
export const request = Effect.fnUntraced(function* (
  tenant: string,
  worker: string,
  requestedCredentialTypes: FetchRequests.FetchRequestFields["requestedCredentialTypes"]
) {
  const store = yield* ResourceStore
  const id = mint("captureRequest")
  const asked = requestFields(worker, { requestedCredentialTypes })
  yield* store.change(
    FetchRequests.FetchRequest,
    tenant,
    id,
    referencesTo({ worker }),
    ({ holdings }) => {
      const next = created(id, Invitation.progressed(asking, asked, holdings, today))
      return stored(next, {
        audit: [auditEntry(id)],
        events: Invitation.completedEvents(asking, () => mint("event"), next)
      })
    },
    () => needing("created", asked)
  )
  return id
})

/** Sends a fetch request again as the use case does, evaluating the worker's holdings. */
export const resend = Effect.fnUntraced(function* (tenant: string, id: string) {
  const store = yield* ResourceStore
  yield* store.change(
    FetchRequests.FetchRequest,
    tenant,
    id,
    [],
    ({ current, holdings }) => {
      const before = Option.getOrThrow(current)
      const sent = Result.getOrThrow(Invitation.decide(before.fields, "resend", moment))
      const fields = Invitation.progressed(asking, sent, holdings, today)
      const next = { ...before, version: before.version + 1, updatedAt: changedAt, fields }
      return stored(next, { audit: [], events: Invitation.completedEvents(asking, () => mint("event"), next) })
    },
    (current) => needing("updated", Option.getOrThrow(current).fields)
  )
})

export const valid = (
  owners: Parameters<typeof credentialFields>[0],
  credentialType: CredentialFields["attributes"]["credentialType"] = nsw
): CredentialFields => credentialFields(owners, { credentialType, eligibility: "MAY_ENGAGE" })

/** Stores a credential as the use case does, with references to its owners and their progressions. */
export const give = Effect.fnUntraced(function* (tenant: string, fields: CredentialFields) {
  const store = yield* ResourceStore
  const next = created(mint("credential"), fields)
  yield* store.change(Credential, tenant, next.id, referencesTo(fields.attributes.owners), () =>
    stored(next, { ...noRecords, progressions: progressionsOfCredential(next, by) })
  )
  return next.id
})

/** Stores an exemption as the use case does. */
export const exempt = Effect.fnUntraced(function* (tenant: string, fields: Partial<ExemptionFields>) {
  const store = yield* ResourceStore
  const next = created(mint("exemption"), { exemptionType: "MEDICAL", ...fields })
  const references = referencesTo({ worker: fields.worker?.id, applicant: fields.applicant?.id })
  yield* store.change(Exemption, tenant, next.id, references, () =>
    stored(next, { ...noRecords, progressions: progressionsOfExemption(next, by) })
  )
  return next.id
})

/** Links credentials as the use case does. */
export const link = Effect.fnUntraced(function* (tenant: string, ids: ReadonlyArray<string>, to: OwnerReference) {
  const ownership = yield* OwnershipStore
  const entering = enteringOwner({ _tag: "Link", to })
  yield* ownership.transition(tenant, { _tag: "Ids", ids }, entering, (found) =>
    Result.succeed({
      answer: undefined,
      changes: new Map(found.map(({ id, owners }) => [id, { ...owners, [to.type]: to.id }])),
      records: {
        audit: found.map(({ id }) => auditEntry(id)),
        events: found.map(({ id }) => eventDraft(id)),
        progressions: [progressionOf(to, by)]
      },
      at: changedAt
    })
  )
})

/** A progression that records its inputs and advances nothing. */
export const watching = (person: OwnerReference) => {
  const seen: Array<{ readonly open: ReadonlyArray<Stored>; readonly holdings: Holdings }> = []
  const progression: Progression = {
    ...progressionOf(person, by),
    decide: (open, holdings) => {
      seen.push({ open, holdings })
      return []
    }
  }
  return { seen, progression }
}

/** Status and version of a fetch request, with the distinguishing parts of its audit entries and events. */
export const lifeOf = Effect.fnUntraced(function* (tenant: string, id: string) {
  const row =
    (yield* find(FetchRequests.FetchRequest, tenant, id)) ??
    (yield* find(RecruitmentChecks.RecruitmentCheck, tenant, id))
  const audit = (yield* auditLog(tenant, 1000)).filter(({ entityId }) => entityId === id)
  const events = (yield* (yield* EventStore).events(tenant, 0, 1000)).filter(({ subjectId }) => subjectId === id)
  return {
    status: row?.fields.status,
    version: row?.version,
    updatedAt: row?.updatedAt,
    expiryDate: row?.fields.expiryDate,
    actions: audit.map(({ action }) => action),
    events: events.map(({ kind, sequence }) => `${kind} ${sequence}`)
  }
})

/** Prepares a change and returns it. */
type Cause = (tenant: string, worker: string) => Effect.Effect<Effect.Effect<unknown, never, Stores>, never, Stores>

/** Changes that give a worker a credential of the type `nsw`, or an exemption from it. */
export const causes: ReadonlyArray<readonly [string, Cause]> = [
  ["creating a credential", (tenant, worker) => Effect.succeed(give(tenant, valid({ worker })))],
  [
    "changing a credential",
    Effect.fnUntraced(function* (tenant, worker) {
      const { id } = yield* put(Credential, tenant, created(mint("credential"), credentialFields({ worker })))
      const next = { ...created(id, valid({ worker })), version: 2 }
      const records = { ...noRecords, progressions: progressionsOfCredential(next, by) }
      return revise(Credential, tenant, id, () => next, records)
    })
  ],
  [
    "creating an exemption",
    (tenant, worker) => Effect.succeed(exempt(tenant, { worker: { id: worker }, exemptedCredentialTypes: [nsw] }))
  ],
  [
    "changing an exemption",
    Effect.fnUntraced(function* (tenant, worker) {
      const id = yield* exempt(tenant, { worker: { id: worker } })
      const fields = { exemptionType: "MEDICAL", worker: { id: worker }, exemptedCredentialTypes: [nsw] } as const
      const next = { ...created(id, fields), version: 2 }
      return revise(Exemption, tenant, id, () => next, {
        ...noRecords,
        progressions: progressionsOfExemption(next, by)
      })
    })
  ],
  [
    "a link",
    Effect.fnUntraced(function* (tenant, worker) {
      return link(tenant, [yield* give(tenant, valid({ applicant: mint("applicant") }))], workerRef(worker))
    })
  ],
  [
    "a link of many",
    Effect.fnUntraced(function* (tenant, worker) {
      const owners = { applicant: mint("applicant") }
      const ids = [yield* give(tenant, credentialFields(owners)), yield* give(tenant, valid(owners))]
      return link(tenant, ids, workerRef(worker))
    })
  ],
  [
    "concluding a verification",
    Effect.fnUntraced(function* (tenant, worker) {
      yield* noRuns
      const row = created(mint("credential"), credentialFields({ worker }))
      yield* put(Credential, tenant, row, { ...noRecords, verifications: [verification(row.id)] })
      const claimed = yield* dueOne(start)
      return concludeBy(tenant, row.id, claimed, () => {
        const next = { ...row, version: 2, fields: valid({ worker }) }
        const records = { ...noRecords, progressions: progressionsOfCredential(next, by) }
        return { _tag: "Concluded", outcome: outcome(), next, records }
      })
    })
  ]
]
