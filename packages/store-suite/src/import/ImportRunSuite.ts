import { assert } from "@effect/vitest"
import { accountUrn } from "@wcs/domain/access/Account"
import { Caller } from "@wcs/domain/access/Caller"
import { ImportsBusy } from "@wcs/domain/import/Import"
import * as ImportSteps from "@wcs/domain/import/ImportSteps"
import { ImportStore } from "@wcs/domain/import/ImportStore"
import * as Imports from "@wcs/domain/import/Imports"
import { Worker } from "@wcs/domain/people/Worker"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Effect, Result, Stream } from "effect"
import { putToken } from "../access/AccessFixtures.ts"
import { auditLog, created, find, listIds, mint, put, workerFields } from "../Fixtures.ts"
import {
  callerOf,
  calling,
  check,
  countsOf,
  finish,
  header,
  importAll,
  people,
  person,
  requestId,
  revoke,
  step,
  type Test,
  upload,
  workOf
} from "./ImportWorld.ts"

/** Tests the run of an import. */
export const runTests = (test: Test): void => {
  test("a run creates and updates workers, keeps what the file does not name, and writes each in the audit log", (world) =>
    Effect.gen(function* () {
      const { account, tenantId } = world
      const known = mint("worker")
      const fields = workerFields({
        employment: { jobTitle: "Nurse" },
        source: { externalId: "E1", sourceSystem: "hr" }
      })
      yield* put(Worker, tenantId, created(known, fields))
      const { done, id } = yield* importAll(world, [person(1), person(2), ["E3", "", "", "", "x"]])
      assert.deepInclude(done, { status: "DONE", done: 3, problem: null })
      assert.deepStrictEqual(countsOf(done), { UPDATED: 1, CREATED: 1, FAULTY: 1 })
      const updated = yield* find(Worker, tenantId, known)
      assert.deepStrictEqual(updated?.fields, {
        identity: { displayName: "Ada Lovelace", firstName: "Ann1", lastName: "Lee1", birthDate: "1990-12-31" },
        contact: { workEmail: "ann1@example.org" },
        employment: { jobTitle: "Nurse" },
        source: { externalId: "E1", sourceSystem: "hr" }
      })
      const rows = yield* calling(world)((imports) => imports.rows(id, { outcome: "CREATED" }))
      const fresh = yield* find(Worker, tenantId, rows.documents[0]?.workerId ?? "")
      assert.deepInclude(fresh?.fields.identity, { displayName: "Ann2 Lee2" })
      const entries = (yield* auditLog(tenantId, 1000)).filter(({ entityType }) => entityType === "worker")
      assert.sameDeepMembers(
        entries.map(({ account, action, entityId, requestId }) => [account, action, entityId, requestId]),
        [
          [accountUrn(account.id), "update", known, requestId],
          [accountUrn(account.id), "create", fresh?.id ?? "", requestId]
        ]
      )
      const again = yield* importAll(world, [person(1), person(2)])
      assert.deepStrictEqual(countsOf(again.done), { UNCHANGED: 2 })
    }))

  test("skips duplicates unless asked", (world) =>
    Effect.gen(function* () {
      const rows = [person(1), ["", ...person(1).slice(1)]]
      assert.deepStrictEqual(countsOf((yield* importAll(world, rows)).done), { CREATED: 1, DUPLICATE: 1 })
      assert.deepStrictEqual(countsOf((yield* importAll(world, rows, true)).done), { UNCHANGED: 1, CREATED: 1 })
    }))

  test("refuses a run or an undo while another import of the tenant runs or is undone", (world) =>
    Effect.gen(function* () {
      const { tenantId } = world
      const checked = Effect.flatMap(upload(world, people(2)), ({ id }) => Effect.as(check(world, id), id))
      const ids = [yield* checked, yield* checked] as const
      const imports = yield* Imports.Imports
      const asked = <A, E, R>(call: Effect.Effect<A, E, R>) =>
        Effect.result(call).pipe(
          Effect.provideService(Caller, callerOf(world.account)),
          Effect.provideService(RequestId, requestId)
        )
      const run = (id: string) => asked(imports.run(id, {}))
      const results = yield* Effect.all(ids.map(run), { concurrency: "unbounded" })
      const first = ids[results.findIndex(Result.isSuccess)] ?? ""
      const second = ids.find((id) => id !== first) ?? ""
      const busy = (otherId: string): Effect.Success<ReturnType<typeof run>> =>
        Result.fail(new ImportsBusy({ otherId }))
      assert.deepStrictEqual(
        results.filter((each) => Result.isFailure(each)),
        [busy(first)]
      )
      yield* finish(world, first)
      yield* calling(world)((imports) => imports.undo(first))
      assert.deepStrictEqual(yield* run(second), busy(first))
      yield* finish(world, first)
      yield* run(second)
      assert.deepStrictEqual(countsOf(yield* finish(world, second)), { CREATED: 2 })
      assert.lengthOf(yield* listIds(Worker, tenantId), 2)
      const third = yield* checked
      yield* run(third)
      assert.deepStrictEqual(yield* asked(imports.undo(second)), busy(third))
    }))

  test("keeps the choice about duplicates when a run goes on after a stop", (world) =>
    Effect.gen(function* () {
      const { id } = yield* upload(world, [person(1), ["", ...person(1).slice(1)]])
      yield* check(world, id)
      yield* calling(world)((imports) => imports.run(id, { withDuplicates: true }))
      const work = yield* workOf(id)
      assert.isDefined(work)
      const { halt } = yield* ImportSteps.make
      yield* halt(work)
      yield* calling(world)((imports) => imports.run(id, {}))
      assert.deepStrictEqual(countsOf(yield* finish(world, id)), { CREATED: 2 })
    }))

  test("stops a run on request: the rows at hand are done once, and the rest goes on or all is undone", (world) =>
    Effect.gen(function* () {
      const { id } = yield* upload(world, people(450))
      yield* check(world, id)
      yield* calling(world)((imports) => imports.run(id, {}))
      yield* step(id)
      const work = yield* workOf(id)
      assert.isDefined(work)
      const stopping = yield* calling(world)((imports) => imports.stop(id))
      assert.deepInclude(stopping, { status: "RUNNING", stopping: true, done: 200 })
      assert.deepStrictEqual(yield* calling(world)((imports) => imports.stop(id)), stopping)
      const log = yield* auditLog(world.tenantId, 1000)
      assert.lengthOf(
        log.filter(({ action }) => action === "stop"),
        1
      )
      // A portion that was read before the stop loses the race for the import, but its rows are done.
      yield* (yield* ImportSteps.make).step(work)
      const stopped = yield* finish(world, id)
      assert.deepInclude(stopped, { status: "STOPPED", stopping: false, done: 400 })
      assert.deepStrictEqual(countsOf(stopped), { CREATED: 400 })
      yield* calling(world)((imports) => imports.run(id, {}))
      assert.deepStrictEqual(countsOf(yield* finish(world, id)), { CREATED: 450 })
      yield* calling(world)((imports) => imports.undo(id))
      yield* calling(world)((imports) => imports.stop(id)) // the undo has changed nothing yet
      assert.deepInclude(yield* finish(world, id), { status: "DONE", done: 450 })
      yield* calling(world)((imports) => imports.undo(id))
      assert.deepStrictEqual(countsOf(yield* finish(world, id)), { UNDONE: 450 })
    }))

  test("stops if the account loses a privilege, and goes on when asked by another", (world) =>
    Effect.gen(function* () {
      const { tenantId } = world
      const { id } = yield* upload(world, people(3))
      yield* check(world, id)
      yield* calling(world)((imports) => imports.run(id, {}))
      const store = yield* ImportStore
      const work = (yield* store.working(1000)).find(({ it }) => it.id === id)
      assert.isDefined(work)
      const { step } = yield* ImportSteps.make
      yield* step({ ...work, account: { role: "Viewer", deactivatedAt: null } })
      const stopped = yield* calling(world)((imports) => imports.read(id, {}))
      assert.strictEqual(stopped.status, "STOPPED")
      assert.isNotNull(stopped.problem)
      assert.deepStrictEqual(yield* listIds(Worker, tenantId), [])
      yield* calling(world)((imports) => imports.run(id, {}))
      assert.deepStrictEqual(countsOf(yield* finish(world, id)), { CREATED: 3 })
    }))
}

/** Tests imports whose login has ended. */
export const endedTests = (test: Test): void => {
  test("goes on with a check, a run and an undo whose login has ended", (world) =>
    Effect.gen(function* () {
      const { account, tenantId } = world
      const actions = ["check", "run", "undo"] as const
      const { id } = yield* upload(world, people(3))
      for (const action of actions) {
        const personal = (yield* putToken(account)).id
        yield* calling({ ...world, personal })((imports) => imports[action](id, {}))
        yield* revoke(world, personal)
        const done = yield* finish(world, id)
        assert.deepInclude(done, { done: 3, problem: null }, action)
      }
      assert.deepStrictEqual(yield* listIds(Worker, tenantId), [])
      assert.deepStrictEqual(countsOf(yield* calling(world)((imports) => imports.read(id, {}))), { UNDONE: 3 })
    }))

  test("keeps nothing of an upload whose login ends meanwhile", (world) =>
    Effect.gen(function* () {
      const personal = (yield* putToken(world.account)).id
      const revoking = Effect.provideService(revoke(world, personal), AccessStore, yield* AccessStore)
      const records = Stream.concat(
        Stream.make(header, person(1)),
        Stream.fromEffect(Effect.as(Effect.orDie(revoking), person(2)))
      )
      const failed = calling({ ...world, personal })((imports) => imports.upload("staff.csv", records))
      assert.strictEqual((yield* Effect.exit(failed))._tag, "Failure")
      const kept = yield* calling(world)((imports) => imports.list({}))
      assert.deepStrictEqual(kept.documents, [])
    }))
}
