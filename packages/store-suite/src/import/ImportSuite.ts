import { assert, describe } from "@effect/vitest"
import { type Account, accountUrn } from "@wcs/domain/access/Account"
import { Caller } from "@wcs/domain/access/Caller"
import { privilegesOf } from "@wcs/domain/access/Privilege"
import { noRecords } from "@wcs/domain/crud/ChangeRecords"
import { ResourceStore } from "@wcs/domain/crud/ResourceStore"
import { Ban, type BanFields } from "@wcs/domain/holding/Ban"
import { Credential } from "@wcs/domain/holding/Credential"
import {
  type ImportDocument,
  ImportsBusy,
  ImportsMax,
  isWorking,
  keptMillis,
  uploadMillis
} from "@wcs/domain/import/Import"
import type { Outcome } from "@wcs/domain/import/ImportRow"
import * as ImportSteps from "@wcs/domain/import/ImportSteps"
import { ImportStore } from "@wcs/domain/import/ImportStore"
import * as Imports from "@wcs/domain/import/Imports"
import { Worker } from "@wcs/domain/people/Worker"
import { tagAt } from "@wcs/domain/resource/EntityTag"
import { CollectionFull } from "@wcs/domain/resource/Resource"
import * as Id from "@wcs/domain/shared/Id"
import * as Notifications from "@wcs/domain/shared/Notifications"
import { RequestId } from "@wcs/domain/shared/RequestId"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { Clock, Effect, Layer, Option, Result, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import * as fc from "fast-check"
import { allowed, putTenant, putToken, user } from "../access/AccessFixtures.ts"
import {
  auditEntry,
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
  type StoresTest,
  start,
  workerFields
} from "../Fixtures.ts"

type Rows = ReadonlyArray<ReadonlyArray<string>>

const services = Layer.mergeAll(Notifications.layer, Layer.provide(Id.layer, SecureRandom.layerWebCrypto))
const layer = Layer.provideMerge(Imports.layer, services)

const callerOf = (account: Account, personal?: string): Caller["Service"] => ({
  ...{ tenantId: account.tenantId, timeZone: "Australia/Perth", account: accountUrn(account.id) },
  privileges: privilegesOf(account.role),
  bearer: personal === undefined ? { kind: "password", id: account.id } : { kind: "personal", id: personal },
  ...{ rateLimitKey: account.id, rateLimit: null, workerId: null }
})

const requestId = "01K000000000000000IMPORTED"

/** A tenant with a user who imports. */
const begin = Effect.gen(function* () {
  const access = yield* AccessStore
  const { tenant } = yield* putTenant
  const account = user(tenant.id)
  yield* access.insertAccount(account, auditEntry(account.id, { entityType: "account" }), allowed)
  return { account, tenantId: tenant.id }
})

interface World extends Effect.Success<typeof begin> {
  /** The id of the personal token of the calls; by default they have a password. */
  readonly personal?: string
}

const calling =
  ({ account, personal }: World) =>
  <A, E, R>(use: (imports: Imports.Imports["Service"]) => Effect.Effect<A, E, R>) =>
    Effect.orDie(Effect.flatMap(Imports.Imports, use)).pipe(
      Effect.provideService(Caller, callerOf(account, personal)),
      Effect.provideService(RequestId, requestId)
    )

/** Revokes a personal token. */
const revoke = ({ tenantId }: World, id: string) =>
  AccessStore.use((access) => access.revokePersonalToken(tenantId, id, start + 9, auditEntry(id)))

const header = ["Staff ID", "First name", "Last name", "DOB", "Email"]

const upload = (world: World, rows: Rows) =>
  calling(world)((imports) => imports.upload("staff.csv", Stream.fromArray([header, ...rows])))

/** The work of an import, if there is any. */
const workOf = Effect.fnUntraced(function* (id: string) {
  const store = yield* ImportStore
  return (yield* store.working(1000)).find(({ it }) => it.id === id)
})

const step = (id: string) =>
  Effect.gen(function* () {
    const work = yield* workOf(id)
    if (work === undefined) return false
    const { step } = yield* ImportSteps.make
    yield* step(work)
    return true
  })

/** Does the work of an import to its end. */
const finish = Effect.fnUntraced(function* (world: World, id: string) {
  while (yield* step(id));
  return yield* calling(world)((imports) => imports.read(id, {}))
})

const check = Effect.fnUntraced(function* (world: World, id: string) {
  yield* calling(world)((imports) => imports.check(id, {}))
  return yield* finish(world, id)
})

/** Uploads, checks and runs. */
const importAll = Effect.fnUntraced(function* (world: World, rows: Rows, withDuplicates = false) {
  const { id } = yield* upload(world, rows)
  const checked = yield* check(world, id)
  yield* calling(world)((imports) => imports.run(id, { withDuplicates }))
  return { id, checked, done: yield* finish(world, id) }
})

const countsOf = ({ counts }: ImportDocument) =>
  Object.fromEntries(Object.entries(counts).filter(([, count]) => count > 0)) as Partial<Record<Outcome, number>>

const outcomesOf = (world: World, id: string) =>
  Effect.map(
    calling(world)((imports) => imports.rows(id, { pageSize: "100" })),
    ({ documents }) => documents.map(({ fault, outcome, row }) => [row, outcome, fault?.column ?? null] as const)
  )

const person = (number: number): ReadonlyArray<string> => [
  `E${number}`,
  `Ann${number}`,
  `Lee${number}`,
  "31/12/1990",
  `ann${number}@example.org`
]

const people = (count: number): Rows => Array.from({ length: count }, (_, index) => person(index + 1))

type Services = Stores | Layer.Success<typeof layer>
type Test = (name: string, body: (world: World) => Effect.Effect<void, never, Services>, timeout?: number) => void

const checkTests = (test: Test): void => {
  test("a check tells what each row would do, and writes no worker", (world) =>
    Effect.gen(function* () {
      const { tenantId } = world
      const [known, same, twice, other] = [mint("worker"), mint("worker"), mint("worker"), mint("worker")]
      const named = (externalId: string, fields = {}) =>
        workerFields({ identity: { displayName: "X" }, source: { externalId }, ...fields })
      yield* put(Worker, tenantId, created(known, named("E1")))
      yield* put(
        Worker,
        tenantId,
        created(
          same,
          named("E2", {
            identity: { displayName: "Ann2 Lee2", firstName: "Ann2", lastName: "Lee2", birthDate: "1990-12-31" },
            contact: { workEmail: "ann2@example.org" }
          })
        )
      )
      yield* put(Worker, tenantId, created(twice, named("E3")))
      yield* put(Worker, tenantId, created(other, named("E3")))
      const namesake = created(
        mint("worker"),
        workerFields({ identity: { displayName: "ANN4 lee4", birthDate: "1990-12-31" } })
      )
      yield* put(Worker, tenantId, namesake)
      const before = yield* listIds(Worker, tenantId)
      const { id, rows } = yield* upload(world, [
        ...people(4),
        ["", "", ""],
        person(5),
        ["E5", "Bob", "Other", "", ""],
        ["", "Ann5", "Lee5", "31/12/1990", ""],
        ["E8", "Ann", "", "31/02/1990", ""],
        ["E9", "Ann", "", "1/1/2090", ""],
        ["E10", "Ann", "", "", "nobody"],
        ["E11", "", "", "", ""]
      ])
      assert.strictEqual(rows, 11)
      const checked = yield* check(world, id)
      assert.deepStrictEqual(yield* outcomesOf(world, id), [
        [2, "UPDATE", null],
        [3, "UNCHANGED", null],
        [4, "FAULTY", null],
        [5, "DUPLICATE", null],
        [7, "CREATE", null],
        [8, "FAULTY", null],
        [9, "DUPLICATE", null],
        [10, "FAULTY", "DOB"],
        [11, "FAULTY", "DOB"],
        [12, "FAULTY", "Email"],
        [13, "FAULTY", null]
      ])
      assert.deepStrictEqual(countsOf(checked), { CREATE: 1, UPDATE: 1, UNCHANGED: 1, DUPLICATE: 2, FAULTY: 6 })
      assert.deepInclude(checked, { status: "CHECKED", done: 11 })
      const shown = yield* calling(world)((imports) => imports.rows(id, { outcome: "DUPLICATE" }))
      assert.deepStrictEqual(
        shown.documents.map(({ sameAsRow, workerId }) => [workerId, sameAsRow]),
        [
          [namesake.id, null],
          [null, 7]
        ]
      )
      assert.deepStrictEqual(yield* listIds(Worker, tenantId), before)
    }))

  test("finds a repeated person far up in the file", (world) =>
    Effect.gen(function* () {
      const { id } = yield* upload(world, [...people(250), person(3), ["", ...person(4).slice(1)]])
      const checked = yield* check(world, id)
      assert.deepStrictEqual(countsOf(checked), { CREATE: 250, FAULTY: 1, DUPLICATE: 1 })
      const again = yield* check(world, id)
      assert.deepStrictEqual(countsOf(again), countsOf(checked))
    }))
}

const idsTests = (test: Test): void => {
  test("a check faults a cell of any length, and judges the other rows", (world) =>
    Effect.gen(function* () {
      // Text that Postgres cannot compress below the limit of an index.
      const [long = ""] = fc.sample(fc.string({ minLength: 20_000, maxLength: 20_000, unit: "grapheme-ascii" }), 1)
      const { id } = yield* upload(world, [[long], ["E2", long, "Lee", "31/12/1990"], person(3)])
      assert.deepStrictEqual(countsOf(yield* check(world, id)), { FAULTY: 2, CREATE: 1 })
    }))

  test("a check faults a second row that updates the same worker, also far down and with another source system", (world) =>
    Effect.gen(function* () {
      const { tenantId } = world
      const known = workerFields({ source: { externalId: "7", sourceSystem: "HR" } })
      yield* put(Worker, tenantId, created(mint("worker"), known))
      const row = (system: string) => ["7", system, "Ann"]
      const others = people(250).map((cells) => [cells[0] ?? "", "", cells[1] ?? ""])
      const records = [["Id", "System", "First name"], row(""), row("HR"), ...others, row("HR")]
      const { id } = yield* calling(world)((imports) => imports.upload("staff.csv", Stream.fromArray(records)))
      assert.deepStrictEqual(countsOf(yield* check(world, id)), { UPDATE: 1, CREATE: 250, FAULTY: 2 })
      const { documents } = yield* calling(world)((imports) => imports.rows(id, { outcome: "FAULTY" }))
      assert.deepStrictEqual(
        documents.map(({ row, sameAsRow }) => [row, sameAsRow]),
        [
          [3, 2],
          [254, 2]
        ]
      )
    }))
}

const runTests = (test: Test): void => {
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

const endedTests = (test: Test): void => {
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

/** Does a step that is killed at a call of a store: before it, or after its commit. */
const killedStep = (id: string, at: { readonly call: number; readonly isAfter: boolean }) =>
  Effect.gen(function* () {
    const store = yield* ImportStore
    const resources = yield* ResourceStore
    let calls = 0
    const dying = <A, E>(effect: Effect.Effect<A, E>): Effect.Effect<A, E> =>
      Effect.suspend(() => {
        const isLast = calls++ === at.call
        if (calls > at.call + 1 || (isLast && !at.isAfter)) return Effect.die("killed")
        return isLast ? Effect.andThen(effect, Effect.die("killed")) : effect
      })
    yield* Effect.exit(step(id)).pipe(
      Effect.provideService(
        ImportStore,
        ImportStore.of({ ...store, advance: (next, marks) => dying(store.advance(next, marks)) })
      ),
      Effect.provideService(
        ResourceStore,
        ResourceStore.of({ ...resources, change: (...asked) => dying(resources.change(...asked)) as never })
      )
    )
  })

const killTests = (test: Test): void => {
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

const undoTests = (test: Test): void => {
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
