import { assert, describe } from "@effect/vitest"
import { Caller } from "@wcs/domain/access/Caller"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ImportsMax, isWorking, keptMillis, uploadMillis } from "@wcs/domain/import/Import"
import { ImportStore } from "@wcs/domain/import/ImportStore"
import * as Imports from "@wcs/domain/import/Imports"
import { Worker } from "@wcs/domain/people/Worker"
import { CollectionFull } from "@wcs/domain/resource/Resource"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { Clock, Effect, Option, Result, Stream } from "effect"
import { created, find, mint, put, type StoresTest, workerFields } from "../Fixtures.ts"
import { checkTests, idsTests } from "./ImportCheckSuite.ts"
import { endedTests, runTests } from "./ImportRunSuite.ts"
import { killTests, undoTests } from "./ImportUndoSuite.ts"
import {
  begin,
  callerOf,
  calling,
  header,
  layer,
  outcomesOf,
  people,
  person,
  requestId,
  type Test,
  upload,
  workOf
} from "./ImportWorld.ts"

const storeTests = (test: Test): void => {
  test("keeps nothing of an upload that fails, and a limited number of imports", (world) =>
    Effect.gen(function* () {
      const failing = Stream.concat(Stream.make(header, person(1)), Stream.fail("broken off" as const))
      const imports = yield* Imports.Imports
      const asCaller = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
        effect.pipe(Effect.provideService(Caller, callerOf(world.account)), Effect.provideService(RequestId, requestId))
      assert.deepStrictEqual(
        yield* Effect.result(asCaller(imports.upload("f", failing))),
        Result.fail("broken off" as const)
      )
      assert.deepStrictEqual((yield* asCaller(Effect.orDie(imports.list({})))).documents, [])
      const importsMax = yield* ImportsMax
      for (let count = 0; count < importsMax; count++) yield* upload(world, [person(1)])
      const refusal = yield* Effect.result(asCaller(imports.upload("f", Stream.make(header, person(1)))))
      assert.deepStrictEqual(refusal, Result.fail(new CollectionFull({ entityType: "import", most: importsMax })))
      const { documents } = yield* asCaller(Effect.orDie(imports.list({ pageSize: "100" })))
      assert.lengthOf(documents, importsMax)
      assert.strictEqual(documents[0]?.status, "UPLOADED")
    }))

  test("deletes old imports, deleted ones and lost uploads with their rows, and no others", (world) =>
    Effect.gen(function* () {
      const store = yield* ImportStore
      const { tenantId } = world
      const now = yield* Clock.currentTimeMillis
      const kept = yield* upload(world, people(5))
      const gone = yield* upload(world, people(5))
      const lost = yield* upload(world, people(5))
      yield* store.change(tenantId, lost.id, (it) => {
        const before = Option.getOrThrow(it)
        const next = { ...before, version: before.version + 1, status: "UPLOADING" as const }
        return Result.succeed({ next, audit: null })
      })
      yield* calling(world)((imports) => imports.remove(gone.id))
      const rowsOf = (id: string) =>
        Effect.map(store.rows(tenantId, id, { after: 0, limit: 100 }), ({ length }) => length)
      assert.strictEqual(yield* rowsOf(gone.id), 5)
      while (yield* store.forget(now - keptMillis, now - uploadMillis, 3));
      assert.deepStrictEqual(yield* Effect.forEach([kept.id, gone.id, lost.id], rowsOf), [5, 0, 5])
      while (yield* store.forget(now - keptMillis, now + 60_000, 3));
      assert.deepStrictEqual(yield* Effect.forEach([kept.id, gone.id, lost.id], rowsOf), [5, 0, 0])
      assert.isTrue((yield* store.find(tenantId, kept.id))._tag === "Some")
    }))

  test("marks a row in the transaction of its change, once: a second change of the row writes nothing", (world) =>
    Effect.gen(function* () {
      const store = yield* ImportStore
      const { tenantId } = world
      const { id } = yield* upload(world, people(1))
      const changed = (workerId: string) => {
        const imported = { importId: id, row: 2, from: ["NEW"], outcome: "CREATED", workerId, tag: '"1"', before: null }
        return put(Worker, tenantId, created(workerId, workerFields()), { ...noRecords, imported })
      }
      const [first, second] = [mint("worker"), mint("worker")]
      yield* changed(first)
      assert.strictEqual((yield* Effect.exit(changed(second)))._tag, "Failure")
      assert.isUndefined(yield* find(Worker, tenantId, second))
      const [row] = yield* store.rows(tenantId, id, { after: 0, limit: 1 })
      assert.deepInclude(row, { outcome: "CREATED", workerId: first, tag: '"1"' })
    }))

  test("advances an import only from the version before", (world) =>
    Effect.gen(function* () {
      const store = yield* ImportStore
      const { id } = yield* upload(world, people(2))
      yield* calling(world)((imports) => imports.check(id, {}))
      const work = yield* workOf(id)
      assert.isDefined(work)
      assert.isTrue(isWorking(work.it.status))
      const next = { ...work.it, version: work.it.version + 1, cursor: 2 }
      const mark = { row: 2, outcome: "CREATE", fault: null, workerId: null, sameAsRow: null } as const
      assert.isTrue(yield* store.advance(next, [mark]))
      assert.isFalse(yield* store.advance(next, [{ ...mark, outcome: "FAULTY" }]))
      assert.deepStrictEqual((yield* outcomesOf(world, id))[0], [2, "CREATE", null])
    }))
}

/** Tests the contract of the import store, and the work of imports on it. */
export const importSuite = (it: StoresTest): void => {
  const test: Test = (name, body, timeout) =>
    it.effect(name, () => Effect.flatMap(begin, body).pipe(Effect.provide(layer)) as never, timeout)
  describe("ImportStore", () => {
    checkTests(test)
    idsTests(test)
    runTests(test)
    endedTests(test)
    killTests(test)
    undoTests(test)
    storeTests(test)
  })
}
