import { assert, describe } from "@effect/vitest"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { Exemption } from "@wcs/domain/holding/Exemption"
import { Worker } from "@wcs/domain/people/Worker"
import type { Resource } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import fc from "fast-check"
import {
  created,
  credentialFields,
  find,
  freshTenant,
  idFor,
  mint,
  put,
  remove,
  select,
  start,
  type TenantTest,
  workerFields
} from "../Fixtures.ts"
import { check } from "../Property.ts"
import { definitions } from "./Definitions.ts"
import { fullWorker } from "./FullWorker.ts"
import { fieldsOf } from "./RandomFields.ts"

/** Stores a resource and checks that `find` and a list return it unchanged. */
const roundTrip = Effect.fnUntraced(function* <Fields extends JsonObject>(resource: Resource<Fields>, fields: Fields) {
  const store = yield* ResourceStore
  const tenant = freshTenant()
  const row = created(idFor(resource), fields, { createdAt: start - 1, updatedAt: start + 1 })
  assert.deepStrictEqual(yield* put(resource, tenant, row), row)
  assert.deepStrictEqual(yield* find(resource, tenant, row.id), row)
  const page = yield* store.list(resource, tenant, select({ pageSize: 1 }))
  assert.deepStrictEqual(page, { items: [row], hasMore: false, total: undefined })
})

const roundTripTests = (it: TenantTest): void => {
  for (const resource of definitions) {
    it(`WRK-14: keeps a ${resource.type} as given: absent fields stay absent, present ones unchanged`, function* () {
      yield* check(fieldsOf(resource), (fields) => roundTrip(resource, fields), { numRuns: 30 })
    })
  }

  it("WRK-14: keeps text that is easily corrupted", function* () {
    yield* roundTrip(Worker, fullWorker)
  })
}

const findTests = (it: TenantTest): void => {
  it("finds a deleted resource with its time of deletion", function* (tenant) {
    const row = created(mint("worker"), fullWorker)
    yield* put(Worker, tenant, row)
    const deleted = yield* remove(Worker, tenant, row.id)
    assert.deepStrictEqual(deleted, { ...row, version: 2, updatedAt: start + 1, deletedAt: start + 1 })
    assert.deepStrictEqual(yield* find(Worker, tenant, row.id), deleted)
  })
}

const findAllTests = (it: TenantTest): void => {
  it("finds the resources with the ids, deleted or not, each once, and omits missing ones", function* (tenant) {
    const store = yield* ResourceStore
    const other = freshTenant()
    const [kept, gone] = [created(mint("worker"), fullWorker), created(mint("worker"), workerFields())]
    const foreign = created(mint("worker"), workerFields())
    yield* put(Worker, tenant, kept)
    yield* put(Worker, tenant, gone)
    yield* put(Worker, other, foreign)
    yield* put(Worker, tenant, created(mint("worker"), workerFields()))
    const deleted = yield* remove(Worker, tenant, gone.id)
    const asked = [gone.id, kept.id, mint("worker"), foreign.id, gone.id, "' OR 1=1 --"]
    const found = yield* store.findAll(Worker, tenant, asked)
    assert.deepStrictEqual(found, new Map([kept, deleted].map((row) => [row.id, row])))
    assert.deepStrictEqual(yield* store.findAll(Worker, tenant, []), new Map())
    const versions = new Map([
      [kept.id, 1],
      [gone.id, 2]
    ])
    assert.deepStrictEqual(yield* store.versions(Worker, tenant, asked), versions)
    assert.deepStrictEqual(yield* store.versions(Worker, tenant, []), new Map())
  })

  for (const resource of definitions) {
    it(`finds a hundred of type ${resource.type}, each as given`, function* () {
      yield* check(
        fc.array(fieldsOf(resource), { minLength: 1, maxLength: 100 }),
        Effect.fnUntraced(function* (drawn) {
          const store = yield* ResourceStore
          const tenant = freshTenant()
          const rows = drawn.map((fields) => created(idFor(resource), fields))
          for (const row of rows) yield* put(resource, tenant, row)
          const found = yield* store.findAll(
            resource,
            tenant,
            rows.map(({ id }) => id)
          )
          assert.deepStrictEqual(
            rows.map(({ id }) => found.get(id)),
            rows
          )
        }),
        { numRuns: 2 }
      )
    })
  }
}

const heldTests = (it: TenantTest): void => {
  it("finds what each worker holds, oldest first, without deleted ones, up to the limit", function* (tenant) {
    const store = yield* ResourceStore
    const other = freshTenant()
    const [one, two, none] = [mint("worker"), mint("worker"), mint("worker")]
    const ages = [3, 1, 2, 2, 5]
    const rows = yield* Effect.forEach([one, two], (worker) =>
      Effect.forEach(ages, (age) =>
        put(
          Credential,
          tenant,
          created(mint("credential"), credentialFields({ worker, applicant: mint("applicant") }), {
            createdAt: start + age
          })
        )
      )
    )
    yield* put(Credential, other, created(mint("credential"), credentialFields({ worker: one })))
    yield* put(Credential, tenant, created(mint("credential"), credentialFields({ applicant: mint("applicant") })))
    const gone = yield* put(Credential, tenant, created(mint("credential"), credentialFields({ worker: one })))
    yield* remove(Credential, tenant, gone.id)
    const exempt = yield* put(
      Exemption,
      tenant,
      created(mint("exemption"), { exemptionType: "MEDICAL", worker: { id: two } })
    )
    for (const limit of [1, 4, 5, 6]) {
      const found = yield* store.heldByEach(Credential, tenant, [two, none, one, two], limit)
      const expected = [one, two].map((worker, index) => [
        worker,
        (rows[index] ?? []).toSorted((a, b) => a.createdAt - b.createdAt || (a.id < b.id ? -1 : 1)).slice(0, limit)
      ])
      assert.deepStrictEqual(
        [one, two].map((worker) => [worker, found.get(worker)]),
        expected
      )
      assert.strictEqual(found.size, 2)
    }
    assert.deepStrictEqual(yield* store.heldByEach(Exemption, tenant, [one, two], 9), new Map([[two, [exempt]]]))
    assert.deepStrictEqual(yield* store.heldByEach(Exemption, tenant, [], 9), new Map())
    const many = Array.from({ length: 50 }, () => mint("worker"))
    assert.deepStrictEqual(yield* store.heldByEach(Exemption, tenant, [...many, two], 9), new Map([[two, [exempt]]]))
  })
}

/** Tests `ResourceStore.find`, and that resources are kept unchanged. */
export const resourceFindSuite = (it: TenantTest): void => {
  describe("ResourceStore.find", () => {
    roundTripTests(it)
    findTests(it)
  })
  describe("ResourceStore.findAll and versions", () => findAllTests(it))
  describe("ResourceStore.heldByEach", () => heldTests(it))
}
