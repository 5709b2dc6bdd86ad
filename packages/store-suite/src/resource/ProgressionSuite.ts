import { assert, describe } from "@effect/vitest"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { type HoldingsOf, ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { decidedLimit, decidedLimitOfType, type Holdings, noHoldings } from "@wcs/domain/holding/Holdings"
import { Worker } from "@wcs/domain/people/Worker"
import { FetchRequest } from "@wcs/domain/screening/FetchRequests"
import { progressionOf } from "@wcs/domain/screening/Progressions"
import { Effect, Exit, Option } from "effect"
import {
  applicantRef,
  created,
  credentialFields,
  find,
  freshTenant,
  mint,
  put,
  remove,
  start,
  stored,
  subscribe,
  type TenantTest,
  workerFields,
  workerRef
} from "../Fixtures.ts"
import { putApplicant, putWorker } from "../ownership/Owning.ts"
import {
  by,
  causes,
  changedAt,
  exempt,
  give,
  lifeOf,
  nsw,
  police,
  putCheck,
  putRequest,
  request,
  requestFields,
  valid,
  watching
} from "./ProgressionFixtures.ts"

/** A tenant with a webhook that subscribes to completions. */
const listening = Effect.gen(function* () {
  const tenant = freshTenant()
  yield* subscribe(tenant, mint("webhook"), ["recruitmentCheck.completed", "fetchRequest.completed"])
  return tenant
})

const causeTests = (it: TenantTest): void => {
  for (const [name, prepare] of causes) {
    it(`completes the open fetch requests of a worker, each once, on ${name}`, function* () {
      const tenant = yield* listening
      const worker = yield* putWorker(tenant)
      const ids = [(yield* putRequest(tenant, worker)).id, (yield* putRequest(tenant, worker)).id]
      yield* yield* prepare(tenant, worker)
      for (const id of ids) {
        assert.deepStrictEqual(yield* lifeOf(tenant, id), {
          status: "COMPLETED",
          version: 2,
          updatedAt: changedAt,
          expiryDate: undefined,
          actions: ["complete"],
          events: ["fetchRequest.completed 2"]
        })
      }
      yield* yield* prepare(tenant, worker)
      assert.strictEqual((yield* lifeOf(tenant, ids[0] ?? "")).version, 2)
    })
  }

  it("advances an applicant's recruitment checks and a worker's fetch requests by one credential", function* () {
    const tenant = yield* listening
    const [worker, applicant] = [yield* putWorker(tenant), yield* putApplicant(tenant)]
    const [check, both] = [
      yield* putCheck(tenant, applicant),
      yield* putRequest(tenant, worker, { requestedCredentialTypes: [nsw, police] })
    ]
    yield* give(tenant, valid({ worker, applicant }))
    assert.deepInclude(yield* lifeOf(tenant, check.id), {
      status: "COMPLETED",
      events: ["recruitmentCheck.completed 2"]
    })
    assert.deepInclude(yield* lifeOf(tenant, both.id), { status: "IN_PROGRESS", actions: ["progress"], events: [] })
    yield* give(tenant, valid({ worker }, police))
    assert.deepInclude(yield* lifeOf(tenant, both.id), {
      status: "COMPLETED",
      version: 3,
      actions: ["progress", "complete"],
      events: ["fetchRequest.completed 3"]
    })
  })

  it("keeps the event of a completion only if the tenant has a subscriber for it", function* (tenant) {
    yield* subscribe(tenant, mint("webhook"), ["recruitmentCheck.completed", "credential.updated"])
    const worker = yield* putWorker(tenant)
    const { id } = yield* putRequest(tenant, worker)
    yield* give(tenant, valid({ worker }))
    assert.deepInclude(yield* lifeOf(tenant, id), { status: "COMPLETED", actions: ["complete"], events: [] })
  })
}

const readTests = (it: TenantTest): void => {
  it("gives a progression only the person's open requests, ordered by id", function* (tenant) {
    const [worker, other] = [mint("worker"), mint("worker")]
    const expected = [
      yield* putRequest(tenant, worker, { status: "IN_PROGRESS" }),
      yield* putRequest(tenant, worker, { status: "INITIATED" }),
      yield* putRequest(tenant, worker)
    ]
    const { expiryDate: _, ...closed } = requestFields(worker)
    for (const status of ["COMPLETED", "CANCELLED"] as const) {
      yield* put(FetchRequest, tenant, created(mint("captureRequest"), { ...closed, status }))
    }
    yield* putRequest(tenant, worker, { expiryDate: "2026-01-30" })
    yield* putRequest(tenant, other)
    yield* putRequest(freshTenant(), worker)
    const gone = yield* putRequest(tenant, worker)
    yield* remove(FetchRequest, tenant, gone.id)
    const { progression, seen } = watching(workerRef(worker))
    yield* put(Worker, tenant, created(worker, workerFields()), { ...noRecords, progressions: [progression] })
    assert.deepStrictEqual(
      seen.map(({ open }) => open),
      [expected]
    )
  })

  it("runs no progression if nothing is open", function* () {
    const { progression, seen } = watching(workerRef(mint("worker")))
    yield* put(Worker, freshTenant(), created(mint("worker"), workerFields()), {
      ...noRecords,
      progressions: [progression]
    })
    assert.deepStrictEqual(seen, [])
  })

  it("gives a progression the person's holdings after the change, without deleted ones", function* (tenant) {
    const worker = mint("worker")
    yield* putRequest(tenant, worker)
    const kept = yield* give(tenant, credentialFields({ worker }))
    const exemption = yield* exempt(tenant, { worker: { id: worker } })
    yield* give(tenant, valid({ worker: mint("worker"), applicant: mint("applicant") }))
    yield* exempt(tenant, { applicant: { id: mint("applicant") } })
    const gone = yield* put(Credential, tenant, created(mint("credential"), credentialFields({ worker })))
    yield* remove(Credential, tenant, gone.id)
    const { progression, seen } = watching(workerRef(worker))
    const next = created(mint("credential"), credentialFields({ worker }), { createdAt: start + 1 })
    yield* put(Credential, tenant, next, { ...noRecords, progressions: [progression] })
    const [read] = seen
    assert.sameMembers(read?.holdings.credentials.map(({ id }) => id) ?? [], [kept, next.id])
    assert.deepStrictEqual(
      read?.holdings.exemptions.map(({ id }) => id),
      [exemption]
    )
    assert.deepStrictEqual(
      read?.holdings.credentials.find(({ id }) => id === next.id),
      next
    )
  })

  it("finds a credential of a required type behind any number of newer ones of other types", function* (tenant) {
    const [worker, applicant] = [yield* putWorker(tenant), yield* putApplicant(tenant)]
    yield* give(tenant, valid({ worker, applicant }))
    for (let newer = 1; newer <= decidedLimit + 1; newer++) {
      const fields = credentialFields({ worker, applicant }, { credentialType: "FIRST_AID" })
      yield* put(Credential, tenant, created(mint("credential"), fields, { createdAt: start + newer }))
    }
    const createdId = yield* request(tenant, worker, [nsw])
    const [open, check] = [yield* putRequest(tenant, worker), yield* putCheck(tenant, applicant)]
    yield* give(tenant, valid({ worker, applicant }, "WWCC_VIC"))
    for (const id of [createdId, open.id, check.id]) {
      assert.strictEqual((yield* lifeOf(tenant, id)).status, "COMPLETED")
    }
  })

  it("gives a progression the newest credentials of each required type, equally many of each", function* (tenant) {
    const worker = mint("worker")
    yield* putRequest(tenant, worker, { requestedCredentialTypes: [nsw, police] })
    const limit = decidedLimitOfType(2)
    const given = (credentialType: typeof nsw | typeof police | "FIRST_AID", newer: number) =>
      put(
        Credential,
        tenant,
        created(mint("credential"), credentialFields({ worker }, { credentialType }), { createdAt: start + newer })
      )
    const [, ...nsws] = yield* Effect.forEach(Array.from({ length: limit + 1 }), (_, newer) => given(nsw, newer))
    const polices = [yield* given(police, 0), yield* given(police, 1)]
    yield* given("FIRST_AID", 1)
    const { progression, seen } = watching(workerRef(worker))
    yield* put(Worker, tenant, created(worker, workerFields()), { ...noRecords, progressions: [progression] })
    assert.sameMembers(
      seen.flatMap(({ holdings }) => holdings.credentials.map(({ id }) => id)),
      [...nsws, ...polices].map(({ id }) => id)
    )
  })

  it("writes nothing of the change if the progression fails", function* (tenant) {
    const worker = mint("worker")
    const { id } = yield* putRequest(tenant, worker)
    const broken = {
      ...progressionOf(workerRef(worker), by),
      decide: () => {
        throw new Error("broken")
      }
    }
    const next = created(mint("credential"), valid({ worker }))
    const exit = yield* Effect.exit(put(Credential, tenant, next, { ...noRecords, progressions: [broken] }))
    assert.isTrue(Exit.isFailure(exit))
    assert.strictEqual((yield* lifeOf(tenant, id)).status, "SENT")
  })

  it("decides with the holdings of the named person, and without holdings if no person is named", function* (tenant) {
    const applicant = mint("applicant")
    const id = yield* give(tenant, valid({ applicant }))
    const store = yield* ResourceStore
    const next = created(mint("worker"), workerFields())
    const seen: Array<Holdings> = []
    const currents: Array<number | undefined> = []
    const change = (version: number, whose: HoldingsOf | undefined) =>
      store.change(
        Worker,
        tenant,
        next.id,
        [],
        ({ holdings }) => {
          seen.push(holdings)
          return stored({ ...next, version })
        },
        (current) => {
          currents.push(Option.getOrUndefined(current)?.version)
          return whose
        }
      )
    const credentialTypes = () => [nsw]
    yield* change(1, { person: applicantRef(applicant), credentialTypes, isLocked: true })
    yield* change(2, { person: applicantRef(applicant), credentialTypes, isLocked: false })
    yield* change(3, { person: workerRef(mint("worker")), credentialTypes, isLocked: true })
    yield* change(4, undefined)
    const held = { credentials: [yield* find(Credential, tenant, id)], exemptions: [] }
    assert.deepStrictEqual<ReadonlyArray<unknown>>(seen, [held, held, noHoldings, noHoldings])
    assert.deepStrictEqual(currents, [undefined, 1, 2, 3])
  })
}

/** Tests the progressions of a change, and the holdings that a decision reads. */
export const progressionSuite = (it: TenantTest): void => {
  describe("A progression", () => {
    causeTests(it)
    readTests(it)
  })
}
