import { assert, describe } from "@effect/vitest"
import { Applicant } from "@wcs/domain/Applicant"
import { Ban } from "@wcs/domain/Bans"
import { ComplianceCheck } from "@wcs/domain/ComplianceChecks"
import { Credential } from "@wcs/domain/Credential"
import { Exemption } from "@wcs/domain/Exemptions"
import type { JsonObject } from "@wcs/domain/Json"
import type { Resource } from "@wcs/domain/Resource"
import { ResourceStore } from "@wcs/domain/ResourceStore"
import { ScreeningPackage } from "@wcs/domain/ScreeningPackages"
import { Worker } from "@wcs/domain/Worker"
import { Effect } from "effect"
import {
  applicantFields,
  created,
  credentialFields,
  find,
  freshTenant,
  idFor,
  listIds,
  mint,
  put,
  remove,
  type StoresTest,
  select,
  start,
  workerFields
} from "./Fixtures.ts"
import {
  fullApplicant,
  fullComplianceCheck,
  fullCredential,
  fullExemption,
  fullScreeningPackage,
  fullWorker
} from "./FullFields.ts"

/** Stores a resource and finds it again, through `find` and through a list, exactly as it was given. */
const roundTrip = Effect.fnUntraced(function* <Fields extends JsonObject>(resource: Resource<Fields>, fields: Fields) {
  const store = yield* ResourceStore
  const tenant = freshTenant()
  const row = created(idFor(resource), fields, { createdAt: start - 1, updatedAt: start + 1 })
  assert.deepStrictEqual(yield* put(resource, tenant, row), row)
  assert.deepStrictEqual(yield* find(resource, tenant, row.id), row)
  const page = yield* store.list(resource, tenant, select({ pageSize: 1 }))
  assert.deepStrictEqual(page, { items: [row], hasMore: false, total: undefined })
})

const roundTripTests = (it: StoresTest): void => {
  it.effect("WRK-14: keeps a worker as it was given: absent fields stay absent, present ones as they are", () =>
    Effect.andThen(roundTrip(Worker, workerFields()), roundTrip(Worker, fullWorker))
  )

  it.effect("keeps an applicant as it was given", () =>
    Effect.andThen(roundTrip(Applicant, applicantFields()), roundTrip(Applicant, fullApplicant))
  )

  it.effect("keeps an exemption as it was given", () =>
    Effect.gen(function* () {
      yield* roundTrip(Exemption, fullExemption(mint("worker")))
      yield* roundTrip(Exemption, { exemptionType: "MEDICAL", applicant: { id: mint("applicant") } })
    })
  )

  it.effect("DEL-04: keeps what is named by a code as it was given: truth and lists too", () =>
    Effect.gen(function* () {
      yield* roundTrip(ScreeningPackage, fullScreeningPackage)
      yield* roundTrip(ComplianceCheck, fullComplianceCheck)
    })
  )

  it.effect("PRV-12: keeps a ban as its register gave it", () =>
    roundTrip(Ban, {
      register: "ndis",
      worker: { id: mint("worker") },
      checkedAt: "2026-01-31T09:30:00.000Z",
      eligibility: "MAY_NOT_ENGAGE",
      matches: [{ name: "Zoë O'Neill", reference: "B/1" }, {}]
    })
  )

  it.effect("keeps a credential as it was given, with one owner or both", () =>
    Effect.gen(function* () {
      yield* roundTrip(Credential, fullCredential(mint("worker"), mint("applicant")))
      yield* roundTrip(Credential, credentialFields({ worker: mint("worker") }))
      yield* roundTrip(Credential, credentialFields({ applicant: mint("applicant") }))
    })
  )
}

const findTests = (it: StoresTest): void => {
  it.effect("finds nothing under an id that nothing has", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      yield* put(Worker, tenant, created(mint("worker"), workerFields()))
      assert.isUndefined(yield* find(Worker, tenant, mint("worker")))
    })
  )

  it.effect("finds what is deleted, and says since when", () =>
    Effect.gen(function* () {
      const tenant = freshTenant()
      const row = created(mint("worker"), fullWorker)
      yield* put(Worker, tenant, row)
      const deleted = yield* remove(Worker, tenant, row.id)
      assert.deepStrictEqual(deleted, { ...row, version: 2, updatedAt: start + 1, deletedAt: start + 1 })
      assert.deepStrictEqual(yield* find(Worker, tenant, row.id), deleted)
    })
  )

  it.effect("TRN-05: sees one tenant only", () =>
    Effect.gen(function* () {
      const [mine, yours] = [freshTenant(), freshTenant()]
      const row = created(mint("worker"), workerFields())
      yield* put(Worker, mine, row)
      assert.isUndefined(yield* find(Worker, yours, row.id))
      assert.deepStrictEqual(yield* listIds(Worker, yours), [])
      assert.deepStrictEqual(yield* listIds(Worker, mine), [row.id])
    })
  )
}

/** What `ResourceStore` promises of `find`, and of keeping what it is given. */
export const resourceFindSuite = (it: StoresTest): void => {
  describe("ResourceStore.find", () => {
    roundTripTests(it)
    findTests(it)
  })
}
