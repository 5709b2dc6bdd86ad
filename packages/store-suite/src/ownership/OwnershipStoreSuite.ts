import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { type Chosen, OwnershipStore, type Transition } from "@wcs/domain/credential/OwnershipStore"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { Credential, type CredentialFields, type Slots } from "@wcs/domain/holding/Credential"
import type { OwnerFacts, OwnerReference, Owners } from "@wcs/domain/ownership/Ownership"
import { Applicant } from "@wcs/domain/people/Applicant"
import { Worker } from "@wcs/domain/people/Worker"
import type { Condition } from "@wcs/domain/resource/ListQuery"
import type { Stored } from "@wcs/domain/resource/Resource"
import { Data, Effect, Exit, Result } from "effect"
import {
  applicantRef,
  auditEntry,
  auditLog,
  created,
  credentialFields,
  eventDraft,
  find,
  freshTenant,
  listIds,
  mint,
  put,
  remove,
  revise,
  start,
  subscribe,
  type TenantTest,
  workerFields,
  workerRef
} from "../Fixtures.ts"
import { putApplicant, putCredential, putWorker, recordsOf } from "./Owning.ts"

/** A reason for which a decision refuses. */
class NotToday extends Data.TaggedError("NotToday")<{ readonly day: string }> {}

const ids = (...ids: ReadonlyArray<string>): Chosen => ({ _tag: "Ids", ids })
const heldBy = (owner: OwnerReference, limit = 100): Chosen => ({ _tag: "HeldBy", owner, limit })

/** The decision to change nothing. */
const stay: Transition<undefined> = { answer: undefined, changes: new Map(), records: noRecords, at: start }

/** Returns the input of a decision. */
const look = Effect.fnUntraced(function* (tenant: string, chosen: Chosen, entering?: OwnerReference) {
  const store = yield* OwnershipStore
  let seen: { readonly found: ReadonlyArray<Slots>; readonly facts: OwnerFacts } | undefined
  yield* store.transition(tenant, chosen, entering, (found, facts) => {
    seen = { found: found.map(({ stored: _, ...slots }) => slots), facts }
    return Result.succeed(stay)
  })
  if (seen === undefined) return yield* Effect.die(new Error("no decision was made"))
  return seen
})

const foundIds = (tenant: string, chosen: Chosen) =>
  Effect.map(look(tenant, chosen), ({ found }) => found.map(({ id }) => id))

/** Writes owners into credentials with records, without the rules. */
const write = Effect.fnUntraced(function* (tenant: string, changes: ReadonlyMap<string, Owners>, at = start + 60_000) {
  const store = yield* OwnershipStore
  return yield* store.transition(tenant, ids(...changes.keys()), undefined, () =>
    Result.succeed({ answer: "written", changes, records: recordsOf(changes), at })
  )
})

const attributesOf = (stored: Stored<CredentialFields> | undefined) => stored?.fields.attributes

const chosenTests = (it: TenantTest): void => {
  it("reads the slots and the type of the credentials, by id", function* (tenant) {
    const worker = yield* putWorker(tenant)
    const applicant = yield* putApplicant(tenant)
    const one = yield* putCredential(tenant, { worker, applicant })
    const fields = credentialFields({ applicant }, { credentialType: "POLICE_CHECK_NATIONAL", jurisdiction: "VIC" })
    const two = (yield* put(Credential, tenant, created(mint("credential"), fields))).id
    yield* putCredential(tenant, { worker })
    const { found } = yield* look(tenant, ids(two, one))
    assert.deepStrictEqual(found, [
      { id: one, credentialType: "WWCC_NSW", jurisdiction: null, owners: { worker, applicant } },
      {
        id: two,
        credentialType: "POLICE_CHECK_NATIONAL",
        jurisdiction: "VIC",
        owners: { worker: null, applicant }
      }
    ])
  })

  it("BLK-13, SIL-16: finds a repeated id once, and unknown or malformed ones not at all", function* (tenant) {
    const id = yield* putCredential(tenant, { worker: mint("worker") })
    assert.deepStrictEqual(yield* foundIds(tenant, ids(id, mint("credential"), id, "no id'", id)), [id])
    assert.deepStrictEqual(yield* foundIds(tenant, ids()), [])
    assert.deepStrictEqual(yield* foundIds(tenant, ids(mint("credential"))), [])
  })

  it("finds by id in the order of ids, independent of creation", function* (tenant) {
    const worker = mint("worker")
    const stem = mint("credential").slice(0, -1)
    const made = ["a", "1", "B", "b", "0"].map((last) => stem + last)
    for (const id of made) yield* put(Credential, tenant, created(id, credentialFields({ worker })))
    const ordered = ["0", "1", "B", "a", "b"].map((last) => stem + last)
    assert.deepStrictEqual(yield* foundIds(tenant, ids(...made)), ordered)
    assert.deepStrictEqual(yield* foundIds(tenant, heldBy(workerRef(worker))), ordered)
    assert.deepStrictEqual(yield* foundIds(tenant, heldBy(workerRef(worker), 3)), ordered.slice(0, 3))
  })

  it("TRN-05: sees one tenant only", function* (mine) {
    const yours = freshTenant()
    const worker = yield* putWorker(mine)
    const id = yield* putCredential(mine, { worker })
    assert.deepStrictEqual(yield* foundIds(yours, ids(id)), [])
    assert.deepStrictEqual(yield* foundIds(yours, heldBy(workerRef(worker))), [])
    yield* put(Credential, yours, created(id, credentialFields({ applicant: mint("applicant") })))
    yield* write(yours, new Map([[id, { worker: null, applicant: null }]]))
    assert.deepStrictEqual(attributesOf(yield* find(Credential, mine, id))?.owners, { worker, applicant: null })
  })
}

const enteringTests = (it: TenantTest): void => {
  it("reports whether the new owner exists and is not deleted, and false if there is no new owner", function* (tenant) {
    const other = freshTenant()
    const id = yield* putCredential(tenant, { worker: mint("worker") })
    const [worker, applicant] = [yield* putWorker(tenant), yield* putApplicant(tenant)]
    const isPresent = (entering: OwnerReference | undefined) =>
      Effect.map(look(tenant, ids(id), entering), ({ facts }) => facts.isPresent)

    assert.isFalse(yield* isPresent(undefined))
    assert.isTrue(yield* isPresent(workerRef(worker)))
    assert.isTrue(yield* isPresent(applicantRef(applicant)))
    assert.isFalse(yield* isPresent(workerRef(mint("worker"))))
    assert.isFalse(yield* isPresent(applicantRef(mint("applicant"))))
    assert.isFalse(yield* isPresent(workerRef(applicant)), "an applicant's id is not a worker's")
    assert.isFalse(yield* isPresent(workerRef(yield* putWorker(other))), "another tenant's worker")
    yield* remove(Worker, tenant, worker)
    yield* remove(Applicant, tenant, applicant)
    assert.isFalse(yield* isPresent(workerRef(worker)))
    assert.isFalse(yield* isPresent(applicantRef(applicant)))
  })

  it("reports whether the new owner exists even if no credential is found", function* (tenant) {
    const worker = yield* putWorker(tenant)
    const present = yield* look(tenant, ids(), workerRef(worker))
    assert.deepStrictEqual(present, { found: [], facts: { isPresent: true } })
    const absent = yield* look(tenant, heldBy(workerRef(worker)), workerRef(mint("worker")))
    assert.deepStrictEqual(absent, { found: [], facts: { isPresent: false } })
  })
}

const writeTests = (it: TenantTest): void => {
  it("writes slots, time and next version of changed credentials, and leaves the rest untouched", function* (tenant) {
    const worker = yield* putWorker(tenant)
    const full = credentialFields({ worker: mint("worker") }, { identifier: "WWC1234567E", holder: { lastName: "Å" } })
    const changing = yield* put(Credential, tenant, created(mint("credential"), full))
    const untouched = yield* put(Credential, tenant, created(mint("credential"), credentialFields({ worker })))
    const store = yield* OwnershipStore
    const owners = { worker, applicant: null }
    const done = yield* store.transition(tenant, ids(changing.id, untouched.id), undefined, () =>
      Result.succeed({ answer: 42, changes: new Map([[changing.id, owners]]), records: noRecords, at: start + 5 })
    )
    const fields = { attributes: { ...full.attributes, owners } }
    const expected = { ...changing, version: 2, updatedAt: start + 5, fields }
    assert.strictEqual(done.answer, 42)
    assert.deepStrictEqual(done.credential(changing.id), expected)
    assert.deepStrictEqual(done.credential(untouched.id), untouched)
    assert.deepStrictEqual(yield* find(Credential, tenant, changing.id), expected)
    assert.deepStrictEqual(yield* find(Credential, tenant, untouched.id), untouched)
  })

  it("empties and fills both slots, of many credentials in one transition", function* (tenant) {
    const [worker, applicant] = [mint("worker"), mint("applicant")]
    const states: ReadonlyArray<Owners> = [
      { worker, applicant: null },
      { worker: null, applicant },
      { worker, applicant },
      { worker: null, applicant: null }
    ]
    const wanted = new Map<string, Owners>()
    for (const from of states) for (const to of states) wanted.set(yield* putCredential(tenant, from), to)
    yield* write(tenant, wanted)
    for (const [id, owners] of wanted) {
      assert.deepStrictEqual(attributesOf(yield* find(Credential, tenant, id))?.owners, owners)
    }
    assert.deepStrictEqual(
      yield* foundIds(tenant, heldBy(workerRef(worker))),
      [...wanted].filter(([, owners]) => owners.worker === worker).map(([id]) => id)
    )
  })

  it("changes nothing if the decision fails, and fails with its error", function* (tenant) {
    const store = yield* OwnershipStore
    const events = yield* EventStore
    yield* subscribe(tenant, "webhook", ["credential.updated"])
    const row = yield* put(
      Credential,
      tenant,
      created(mint("credential"), credentialFields({ worker: mint("worker") }))
    )
    const refusal = yield* Effect.flip(
      store.transition(tenant, ids(row.id), undefined, () => Result.fail(new NotToday({ day: "Sunday" })))
    )
    assert.strictEqual(refusal.day, "Sunday")
    const thrown = yield* Effect.exit(
      store.transition(tenant, ids(row.id), undefined, (): Result.Result<Transition<void>> => {
        throw new Error("a defect of the rules")
      })
    )
    assert.isTrue(Exit.hasDies(thrown))
    assert.deepStrictEqual(yield* find(Credential, tenant, row.id), row)
    assert.deepStrictEqual(yield* events.events(tenant, 0, 10), [])
    assert.deepStrictEqual(yield* auditLog(tenant), [])
  })

  it("writes the records with the slots: an event carries its credential's version", function* (tenant) {
    const events = yield* EventStore
    const store = yield* OwnershipStore
    yield* subscribe(tenant, "webhook", ["credential.updated"])
    const worker = mint("worker")
    const [one, two] = [yield* putCredential(tenant, { worker }), yield* putCredential(tenant, { worker })]
    const owners = { worker, applicant: mint("applicant") }
    yield* write(tenant, new Map([[two, owners]]))
    const audit = [auditEntry(one), auditEntry(two)]
    const told = [eventDraft(two), eventDraft(one), eventDraft(one, "credential.verified")]
    const changes = new Map([one, two].map((id) => [id, owners]))
    yield* store.transition(tenant, ids(one, two), undefined, () =>
      Result.succeed({ answer: undefined, changes, records: { audit, events: told }, at: start })
    )
    assert.deepStrictEqual(
      (yield* events.events(tenant, 0, 10)).map(({ sequence, subjectId }) => [subjectId, sequence]),
      [
        [two, 2],
        [two, 3],
        [one, 2]
      ]
    )
    assert.deepStrictEqual(
      (yield* auditLog(tenant)).slice(1).map(({ position: _, ...entry }) => entry),
      audit
    )
  })
}

const visibilityTests = (it: TenantTest): void => {
  it("is visible in lists immediately: by slot, by the owner's external id and by update time", function* (tenant) {
    const source = { externalId: "HR-1" }
    const worker = (yield* put(Worker, tenant, created(mint("worker"), workerFields({ source })))).id
    const [from, applicant] = [yield* putWorker(tenant), yield* putApplicant(tenant)]
    const [moved, kept] = [yield* putCredential(tenant, { worker: from }), yield* putCredential(tenant, { applicant })]
    yield* write(tenant, new Map([[moved, { worker, applicant: null }]]), start + 5)
    const list = (condition: Condition) => listIds(Credential, tenant, { conditions: [condition] })
    const holders = [{ column: "worker_id", resource: "worker", lookup: "external_id" }]
    assert.deepStrictEqual(yield* list({ _tag: "Equal", column: "worker_id", value: worker }), [moved])
    assert.deepStrictEqual(yield* list({ _tag: "Equal", column: "worker_id", value: from }), [])
    assert.deepStrictEqual(yield* list({ _tag: "HeldBy", holders, value: "HR-1" }), [moved])
    assert.deepStrictEqual(yield* list({ _tag: "UpdatedAfter", value: start }), [moved])
    assert.deepStrictEqual(yield* list({ _tag: "UpdatedBefore", value: start + 1 }), [kept])
  })

  it("sees earlier changes of the resource, owners and type included, and keeps its other fields", function* (tenant) {
    const [worker, applicant] = [mint("worker"), mint("applicant")]
    const id = yield* putCredential(tenant, { worker })
    const attributes = { credentialType: "FIRST_AID", identifier: "FA-1", expiryDate: "2027-01-01" } as const
    const fields = credentialFields({ applicant }, attributes)
    yield* revise(Credential, tenant, id, (row) => ({ ...row, version: 2, fields }))
    const { found } = yield* look(tenant, heldBy(applicantRef(applicant)))
    assert.deepStrictEqual(found, [
      { id, credentialType: "FIRST_AID", jurisdiction: null, owners: { worker: null, applicant } }
    ])
    assert.deepStrictEqual(yield* foundIds(tenant, heldBy(workerRef(worker))), [])
    yield* write(tenant, new Map([[id, { worker, applicant }]]))
    const left = yield* find(Credential, tenant, id)
    assert.deepStrictEqual(left?.fields, credentialFields({ worker, applicant }, attributes))
    assert.strictEqual(left?.version, 3)
  })
}

const answerTests = (it: TenantTest): void => {
  it("returns a credential as the transition left it, not as later changes did", function* (tenant) {
    const [worker, other] = [mint("worker"), mint("worker")]
    const id = yield* putCredential(tenant, { worker })
    const first = yield* write(tenant, new Map([[id, { worker: other, applicant: null }]]))
    yield* write(tenant, new Map([[id, { worker, applicant: null }]]))
    yield* remove(Credential, tenant, id)
    const left = first.credential(id)
    assert.strictEqual(left?.version, 2)
    assert.strictEqual(left?.deletedAt, null)
    assert.strictEqual(left?.updatedAt, start + 60_000)
    assert.deepStrictEqual(attributesOf(left)?.owners, { worker: other, applicant: null })
  })

  it("refuses changes of credentials that were not found", function* (tenant) {
    const store = yield* OwnershipStore
    const other = freshTenant()
    const worker = mint("worker")
    const [kept, gone] = [yield* putCredential(tenant, { worker }), yield* putCredential(tenant, { worker })]
    const notChosen = yield* putCredential(tenant, { worker: mint("worker") })
    const foreign = yield* putCredential(other, { worker })
    yield* remove(Credential, tenant, gone)
    const unknown = mint("credential")
    for (const chosen of [ids(kept, gone, unknown, foreign), heldBy(workerRef(worker))]) {
      const done = yield* store.transition(tenant, chosen, undefined, () => Result.succeed(stay))
      assert.deepStrictEqual(done.credential(kept), yield* find(Credential, tenant, kept))
      for (const id of [gone, unknown, foreign, notChosen]) assert.isUndefined(done.credential(id))
    }
  })
}

/** Tests single transitions of `OwnershipStore`. */
export const ownershipStoreSuite = (it: TenantTest): void => {
  describe("OwnershipStore.transition", () => {
    chosenTests(it)
    enteringTests(it)
    writeTests(it)
    visibilityTests(it)
    answerTests(it)
  })
}
