import { assert } from "@effect/vitest"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { Ban, type BanFields } from "@wcs/domain/holding/Ban"
import { Credential } from "@wcs/domain/holding/Credential"
import { Worker } from "@wcs/domain/people/Worker"
import { tagAt } from "@wcs/domain/resource/EntityTag"
import { Effect } from "effect"
import * as fc from "fast-check"
import {
  auditLog,
  created,
  credentialFields,
  find,
  idFor,
  listIds,
  mint,
  put,
  remove,
  revise,
  type Stores,
  start,
  workerFields
} from "../Fixtures.ts"
import {
  calling,
  check,
  countsOf,
  finish,
  importAll,
  killedStep,
  people,
  step,
  type Test,
  upload
} from "./ImportWorld.ts"

/** Tests an import that is killed. */
export const killTests = (test: Test): void => {
  test(
    "does each row exactly once, whenever it is killed and by however many workers",
    (world) =>
      Effect.gen(function* () {
        const { tenantId } = world
        const rows = people(230)
        const { id } = yield* upload(world, rows)
        yield* check(world, id)
        yield* calling(world)((imports) => imports.run(id, {}))
        const kills = fc.sample(fc.record({ call: fc.nat(230), isAfter: fc.boolean() }), 6)
        for (const kill of kills) yield* killedStep(id, kill)
        // Two workers that act on the same lease.
        yield* Effect.all([Effect.exit(step(id)), Effect.exit(step(id))], { concurrency: "unbounded" })
        const done = yield* finish(world, id)
        assert.deepStrictEqual(countsOf(done), { CREATED: 230 })
        assert.strictEqual(done.done, 230)
        const workers = yield* listIds(Worker, tenantId, { pageSize: 500 })
        assert.lengthOf(workers, 230)
        const entries = (yield* auditLog(tenantId, 1000)).filter(({ entityType }) => entityType === "worker")
        assert.sameMembers(
          entries.map(({ entityId }) => entityId),
          workers
        )
        yield* calling(world)((imports) => imports.undo(id))
        yield* finish(world, id)
        assert.deepStrictEqual(yield* listIds(Worker, tenantId), [])
      }),
    120_000
  )
}

const banOf = (worker: string): BanFields => ({
  ...{ register: "ndis", worker: { id: worker }, checkedAt: "2026-01-30T00:00:00.000Z", matches: [] },
  eligibility: "MAY_NOT_ENGAGE"
})

/** Tests the undo of an import. */
export const undoTests = (test: Test): void => {
  test("an undo deletes the created workers and restores the updated ones, although it is killed", (world) =>
    Effect.gen(function* () {
      const { tenantId } = world
      const known = mint("worker")
      const fields = workerFields({ source: { externalId: "E1" } })
      yield* put(Worker, tenantId, created(known, fields))
      const { id } = yield* importAll(world, people(3))
      yield* calling(world)((imports) => imports.undo(id))
      yield* step(id) // looks at the rows
      yield* killedStep(id, { call: 1, isAfter: true })
      const undone = yield* finish(world, id)
      assert.deepInclude(undone, { status: "UNDONE", problem: null })
      assert.deepStrictEqual(countsOf(undone), { UNDONE: 3 })
      assert.deepStrictEqual(yield* listIds(Worker, tenantId), [known])
      assert.deepStrictEqual((yield* find(Worker, tenantId, known))?.fields, fields)
    }))

  test("an undo keeps workers that are changed or banned after it has looked at the rows, and says so", (world) =>
    Effect.gen(function* () {
      const { tenantId } = world
      const { id } = yield* importAll(world, people(3))
      const { documents } = yield* calling(world)((imports) => imports.rows(id, {}))
      const worker = documents[1]?.workerId ?? ""
      yield* calling(world)((imports) => imports.undo(id))
      yield* step(id) // looks at the rows
      yield* revise(Worker, tenantId, worker, (before) => ({ ...before, version: before.version + 1 }))
      const banned = documents[2]?.workerId ?? ""
      yield* put(Ban, tenantId, created(idFor(Ban), banOf(banned)))
      const undone = yield* finish(world, id)
      assert.deepStrictEqual(countsOf(undone), { UNDONE: 1, KEPT: 2 })
      assert.sameMembers(yield* listIds(Worker, tenantId), [worker, banned])
    }))

  test("an undo keeps an updated worker whose earlier fields are erased", (world) =>
    Effect.gen(function* () {
      const { tenantId } = world
      const known = mint("worker")
      yield* put(Worker, tenantId, created(known, workerFields({ source: { externalId: "E1" } })))
      const { id } = yield* importAll(world, people(1))
      const stored = yield* find(Worker, tenantId, known)
      assert.isDefined(stored)
      const next = { ...stored, version: stored.version + 1 }
      const { text: tag } = tagAt(Worker, next, { today: "" })
      const mark = { importId: id, row: 2, from: ["UPDATED"], outcome: "UPDATED", workerId: known, tag, before: null }
      yield* revise(Worker, tenantId, known, () => next, { ...noRecords, imported: mark })
      yield* calling(world)((imports) => imports.undo(id))
      assert.deepStrictEqual(countsOf(yield* finish(world, id)), { KEPT: 1 })
      assert.deepStrictEqual(yield* listIds(Worker, tenantId), [known])
    }))

  const touches: Readonly<Record<string, (tenantId: string, worker: string) => Effect.Effect<unknown, never, Stores>>> =
    {
      "was changed": (tenantId, worker) =>
        revise(Worker, tenantId, worker, (before) => ({ ...before, version: before.version + 1, updatedAt: start })),
      "was deleted": (tenantId, worker) => remove(Worker, tenantId, worker),
      "owns a card": (tenantId, worker) =>
        put(Credential, tenantId, created(mint("credential"), credentialFields({ worker }))),
      "was banned": (tenantId, worker) => put(Ban, tenantId, created(idFor(Ban), banOf(worker)))
    }
  for (const [name, touch] of Object.entries(touches)) {
    test(`an undo changes nothing if a worker ${name} since`, (world) =>
      Effect.gen(function* () {
        const { tenantId } = world
        const { id } = yield* importAll(world, people(3))
        const { documents } = yield* calling(world)((imports) => imports.rows(id, {}))
        const worker = documents[1]?.workerId ?? ""
        yield* touch(tenantId, worker)
        const before = yield* listIds(Worker, tenantId, { includeDeleted: false })
        yield* calling(world)((imports) => imports.undo(id))
        const refused = yield* finish(world, id)
        assert.deepInclude(refused, { status: "DONE", done: 3 })
        assert.deepStrictEqual(countsOf(refused), { CREATED: 3 })
        assert.include(refused.problem, worker)
        assert.deepStrictEqual(yield* listIds(Worker, tenantId), before)
      }))
  }
}
