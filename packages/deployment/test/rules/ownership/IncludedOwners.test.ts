import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { applicant, at, credential, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { assertRefused, assertStatus, dataOf, get, put, remove } from "../NewerSurface.ts"
import { list } from "../resource/Listing.ts"

const shown = (path: string) => Effect.map(get(path), (answer) => at(answer, "data"))

/** The expected owners of a credential, each as its own GET shows it. */
const ownersOf = Effect.fnUntraced(function* (owners: { readonly worker?: string; readonly applicant?: string }) {
  return {
    worker: owners.worker === undefined ? null : yield* shown(`/workers/${owners.worker}`),
    applicant: owners.applicant === undefined ? null : yield* shown(`/applicants/${owners.applicant}`)
  }
})

layer(layerService(), { excludeTestServices: true })("credentials with their owners", (it) => {
  it.effect("a credential shows each owner as its own GET does, and is otherwise the same", () =>
    Effect.gen(function* () {
      const both = { worker: yield* worker(), applicant: yield* applicant() }
      for (const owners of [{ worker: both.worker }, { applicant: both.applicant }, both]) {
        const id = yield* credential(owners)
        const answer = yield* get(`/credentials/${id}?include=owners`)
        assertStatus(answer, 200)
        const { owners: included, ...rest } = Object(at(answer, "data"))
        assert.deepStrictEqual(included, yield* ownersOf(owners))
        assert.deepStrictEqual(rest, yield* shown(`/credentials/${id}`))
      }
    })
  )

  it.effect("omits a deleted owner, and keeps its id in the slot", () =>
    Effect.gen(function* () {
      const owners = { worker: yield* worker(), applicant: yield* applicant() }
      const id = yield* credential(owners)
      assertStatus(yield* remove(`/workers/${owners.worker}`), 204)
      const read = Object(yield* shown(`/credentials/${id}?include=owners`))
      assert.deepStrictEqual(read.owners, yield* ownersOf({ applicant: owners.applicant }))
      assert.strictEqual(read.attributes.owners.worker, owners.worker)
      assertStatus(yield* remove(`/credentials/${id}`), 204)
      assertRefused(yield* get(`/credentials/${id}?include=owners`), "NOT_FOUND")
      const deleted = Object(yield* shown(`/credentials/${id}?include=owners&includeDeleted=true`))
      assert.deepStrictEqual(deleted.owners, read.owners)
    })
  )

  it.effect("a list shows the owners of each credential, with the usual filters, orders and pages", () =>
    Effect.gen(function* () {
      const person = yield* worker()
      const people = yield* Effect.replicateEffect(applicant(), 2)
      for (const each of [undefined, people[0], people[1], people[0], undefined]) {
        yield* credential({ worker: person, ...(each === undefined ? {} : { applicant: each }) })
      }
      const asked = { ownerType: "worker", ownerId: person }
      const plain = dataOf(yield* list("credentials", asked)).map(Object)
      assert.lengthOf(plain, 5)
      const expected = yield* Effect.forEach(plain, (document) =>
        Effect.map(
          ownersOf({
            worker: person,
            ...(document.attributes.owners.applicant === null
              ? {}
              : { applicant: document.attributes.owners.applicant })
          }),
          (owners) => ({ ...document, owners })
        )
      )
      const whole = yield* list("credentials", { ...asked, include: "owners", includeTotal: "true" })
      assert.deepStrictEqual(dataOf(whole), expected)
      assert.strictEqual(at(whole, "meta.total"), 5)
      const first = yield* list("credentials", { ...asked, include: "owners", pageSize: "3" })
      const cursor = String(at(first, "meta.nextCursor"))
      const second = yield* list("credentials", { ...asked, include: "owners", pageSize: "3", cursor })
      assert.deepStrictEqual([...dataOf(first), ...dataOf(second)], expected)
    })
  )

  it.effect(
    "any other value of include is 400; a body with included owners can be sent back, and they are ignored",
    () =>
      Effect.gen(function* () {
        const id = yield* credential({ worker: yield* worker() })
        for (const query of ["include=", "include=owner", "include=owners,owners", "include=owners&include=owners"]) {
          for (const path of ["/credentials", `/credentials/${id}`]) {
            assertRefused(yield* get(`${path}?${query}`), "INVALID_ARGUMENT", "include")
          }
        }
        const read = yield* shown(`/credentials/${id}?include=owners`)
        const answer = yield* put(`/credentials/${id}`, read)
        assertStatus(answer, 200)
        assert.include(String(at(answer, "meta.warnings")), "owners")
        assert.isUndefined(at(answer, "data.owners"))
        assert.deepStrictEqual(at(yield* get(`/credentials/${id}?include=owners`), "data"), read)
      })
  )
})
