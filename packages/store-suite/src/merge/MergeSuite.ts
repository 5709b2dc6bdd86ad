import { assert, describe } from "@effect/vitest"
import { EventStore } from "@wcs/domain/audit/EventStore"
import { ErasureStore } from "@wcs/domain/erasure/ErasureStore"
import { Erasures, layer as erasures } from "@wcs/domain/erasure/Erasures"
import { Credential } from "@wcs/domain/holding/Credential"
import { Merges } from "@wcs/domain/merge/Merges"
import { Worker } from "@wcs/domain/people/Worker"
import { FetchRequest } from "@wcs/domain/screening/FetchRequests"
import { KeptComplianceStore } from "@wcs/domain/screening/KeptComplianceStore"
import { Task, taskIdOf } from "@wcs/domain/screening/Task"
import { AccessStore } from "@wcs/domain/token/AccessStore"
import { UserStore } from "@wcs/domain/user/UserStore"
import { Clock, Effect, Layer, Option, Result } from "effect"
import { allowed, user } from "../access/AccessFixtures.ts"
import * as ComplianceWorld from "../compliance/ComplianceWorld.ts"
import {
  auditEntry,
  auditLog,
  created,
  find,
  freshTenant,
  listIds,
  mint,
  put,
  subscribe,
  type TenantTest
} from "../Fixtures.ts"
import { changeOwner } from "../ownership/Owning.ts"
import {
  as,
  begin,
  contentOf,
  furnish,
  merge,
  putBan,
  putCard,
  putPerson,
  putRequest,
  undo,
  type World
} from "./Merging.ts"

const ownersOf = (tenant: string, card: string) =>
  Effect.map(find(Credential, tenant, card), (stored) => stored?.fields.attributes.owners)

const erase = (world: World, workerId: string) =>
  Effect.provide(
    Erasures.use((all) => all.erase(workerId, "PERSON_ASKED")),
    Layer.provideMerge(erasures, as(world))
  )

/** Erases a worker, and lets another call come just before the transaction that decides it. */
const eraseAfter = Effect.fnUntraced(function* <E, R>(call: Effect.Effect<unknown, E, R>, world: World, id: string) {
  const store = yield* ErasureStore
  const context = yield* Effect.context<R>()
  const before = yield* Effect.cached(Effect.orDie(Effect.provide(call, context)))
  const begin: typeof store.begin = (...given) => Effect.andThen(before, store.begin(...given))
  return yield* Effect.provideService(erase(world, id), ErasureStore, ErasureStore.of({ ...store, begin }))
})

/** Two workers of one tenant: one with a card, and one with a row of each kind. */
const pair = Effect.gen(function* () {
  const world = yield* begin
  const [ann, anne] = [yield* putPerson(world.tenantId), yield* putPerson(world.tenantId)]
  const own = yield* putCard(world.tenantId, ann, { identifier: "2222" })
  return { world, tenantId: world.tenantId, ann, anne, own, rows: yield* furnish(world.tenantId, anne) }
})

/** Tests `MergeStore` through the use cases. */
export const mergeSuite = (it: TenantTest): void => {
  describe("a merge", () => {
    it("threat 66: moves everything about the other worker in one transaction, and its undo puts it back", function* () {
      const { ann, anne, own, rows, tenantId, world } = yield* pair
      yield* subscribe(tenantId, mint("webhook"), ["credential.updated"])
      const before = yield* contentOf(tenantId)
      const merged = yield* merge(world, ann, anne)
      assert.deepInclude(merged, { status: "MERGED", undoneAt: null })
      assert.deepStrictEqual(merged.moved, { credential: 2, exemption: 1, ban: 1, captureRequest: 1 })
      const worker = { worker: ann }
      for (const card of [rows.card, rows.deleted, own]) assert.deepInclude(yield* ownersOf(tenantId, card), worker)
      const after = yield* contentOf(tenantId)
      assert.strictEqual(after.length, before.length)
      assert.notInclude(JSON.stringify(after.slice(2)), anne)
      const from = yield* find(Worker, tenantId, anne)
      assert.deepStrictEqual([from?.deletedAt !== null, from?.fields.mergedInto], [true, { id: ann }])
      assert.deepStrictEqual(yield* listIds(Worker, tenantId), [ann])

      const events = yield* (yield* EventStore).events(tenantId, 0, 10)
      assert.deepStrictEqual(
        events.map(({ kind, sequence, subjectId }) => [kind, subjectId, sequence]),
        [["credential.updated", rows.card, 2]]
      )
      const log = yield* auditLog(tenantId)
      const entries = log.filter(({ action }) => action === "merge")
      assert.sameMembers(
        entries.map(({ entityId }) => entityId),
        [ann, anne, ...Object.values(rows)]
      )
      const [entry] = entries.filter(({ entityId }) => entityId === ann)
      assert.deepStrictEqual([entry?.ownership?.before.worker, entry?.ownership?.after.worker], [anne, ann])

      const undone = yield* undo(world, merged.id)
      assert.strictEqual(undone.status, "UNDONE")
      assert.deepStrictEqual(yield* contentOf(tenantId), before)
      assert.deepStrictEqual(yield* undo(world, merged.id), undone) // repeated: nothing changes
      assert.lengthOf(
        (yield* auditLog(tenantId)).filter(({ action }) => action === "unmerge"),
        entries.length
      )
      const page = yield* Effect.provide(
        Merges.use(({ list }) => list({ fromId: anne, status: "UNDONE" })),
        as(world)
      )
      assert.deepStrictEqual(page.documents, [undone])
    })

    it("takes tasks with their owner along, and marks both workers for a new evaluation", function* () {
      const { ann, anne, rows, tenantId, world } = yield* pair
      const task = taskIdOf(rows.card)
      const fields = {
        ...({ reason: "CONDITIONAL", credential: { id: rows.card, credentialType: "WWCC_NSW" } } as const),
        ...{ worker: { id: anne }, assignee: { id: world.account.id } }
      }
      yield* put(Task, tenantId, created(task, fields))
      yield* ComplianceWorld.keepAll(tenantId, 0)
      yield* put(Task, tenantId, created(task, fields))
      const merged = yield* merge(world, ann, anne)
      assert.deepStrictEqual((yield* find(Task, tenantId, task))?.fields, { ...fields, worker: { id: ann } })
      const kept = yield* (yield* KeptComplianceStore).read(tenantId, [ann, anne])
      for (const id of [ann, anne]) assert.isAbove(kept.get(id)?.marks.length ?? 0, 0, id)
      yield* undo(world, merged.id)
      assert.deepStrictEqual((yield* find(Task, tenantId, task))?.fields, fields)
    })

    it("takes the owner of the task about bans along, unless the worker that stays has one with an owner", function* () {
      for (const stays of ["without a task", "without an owner", "with an owner"] as const) {
        const { ann, anne, rows, tenantId, world } = yield* pair
        const taskOf = (worker: string, owner: string | null) => ({
          ...{ reason: "POSSIBLE_BAN" as const, ban: { id: rows.ban } },
          ...{ worker: { id: worker }, assignee: { id: owner } }
        })
        const given = (worker: string, owner: string | null) =>
          put(Task, tenantId, created(taskIdOf(worker), taskOf(worker, owner)))
        const ownerOf = (worker: string) =>
          Effect.map(find(Task, tenantId, taskIdOf(worker)), (task) => task?.fields.assignee.id)
        const [owner, other] = [world.account.id, mint("account")]
        yield* given(anne, owner)
        if (stays !== "without a task") yield* given(ann, stays === "with an owner" ? other : null)
        const merged = yield* merge(world, ann, anne)
        const kept = yield* find(Task, tenantId, taskIdOf(ann))
        assert.deepStrictEqual(kept?.fields, taskOf(ann, stays === "with an owner" ? other : owner), stays)
        // The evaluation of the merged worker ends its task, and the undo opens it with the owner of then.
        yield* ComplianceWorld.keepAll(tenantId, 0)
        assert.isUndefined(yield* ownerOf(anne))
        if (stays !== "without a task") yield* given(ann, stays === "with an owner" ? other : owner)
        yield* undo(world, merged.id)
        assert.strictEqual(yield* ownerOf(anne), owner, stays)
        const left = { "without a task": undefined, "without an owner": null, "with an owner": other }[stays]
        assert.strictEqual(yield* ownerOf(ann), left, stays)
      }
    })

    it("links the users of the other worker to the one that stays, so that their own cards stay their own", function* () {
      const { ann, anne, tenantId, world } = yield* pair
      const access = yield* AccessStore
      const users = yield* UserStore
      const own = user(tenantId, { workerId: anne })
      yield* access.insertAccount(own, auditEntry(own.id, { entityType: "account" }), allowed)
      const workerOf = Effect.map(users.find(tenantId, own.id), (found) => Option.getOrThrow(found).account.workerId)
      const before = access.epoch()
      const merged = yield* merge(world, ann, anne)
      assert.strictEqual(yield* workerOf, ann)
      assert.isAbove(access.epoch(), before)
      yield* undo(world, merged.id)
      assert.strictEqual(yield* workerOf, anne)
    })

    it("completes the requests that the cards of both meet", function* () {
      const { ann, anne, rows, tenantId, world } = yield* pair
      const clear = { eligibility: "MAY_ENGAGE", statusDetail: "VALID", credentialType: "FIRST_AID" } as const
      yield* putCard(tenantId, anne, { ...clear, credentialType: "WWCC_NSW" })
      yield* putCard(tenantId, ann, clear)
      const asked = yield* putRequest(tenantId, ann, "WWCC_NSW")
      const merged = yield* merge(world, ann, anne)
      for (const id of [asked, rows.request]) {
        assert.strictEqual((yield* find(FetchRequest, tenantId, id))?.fields.status, "COMPLETED")
      }
      yield* undo(world, merged.id) // a request that is complete stays so
      const moved = yield* find(FetchRequest, tenantId, rows.request)
      assert.deepInclude(moved?.fields, { status: "COMPLETED", worker: { id: anne } })
    })

    it("of two at the same time, one wins, in both directions too", function* () {
      for (const isSwapped of [false, true]) {
        const { ann, anne, rows, tenantId, world } = yield* pair
        const calls = [merge(world, ann, anne), isSwapped ? merge(world, anne, ann) : merge(world, ann, anne)]
        const done = yield* Effect.all(calls.map(Effect.result), { concurrency: "unbounded" })
        assert.lengthOf(done.filter(Result.isSuccess), 1)
        const refused = done.find(Result.isFailure)
        assert.include(["LinkNotFound", "ResourceNotFound"], refused?.failure._tag)
        const [left = ""] = yield* listIds(Worker, tenantId)
        assert.deepInclude(yield* ownersOf(tenantId, rows.card), { worker: left })
      }
    })

    it("of a card that moves at the same time, loses no owner", function* () {
      const { ann, anne, rows, tenantId, world } = yield* pair
      const cat = yield* putPerson(tenantId)
      const reference = (id: string) => ({ type: "worker", id }) as const
      const transfer = changeOwner(tenantId, rows.card, {
        ...{ _tag: "Transfer", from: reference(anne), to: reference(cat) }
      })
      const [merged] = yield* Effect.all([merge(world, ann, anne), transfer], { concurrency: "unbounded" })
      const owner = (yield* ownersOf(tenantId, rows.card))?.worker
      assert.include([ann, cat], owner)
      assert.strictEqual(merged.moved.credential, owner === ann ? 2 : 1)
    })

    it("threat 66: is refused if a check would not read all bans of the worker that stays", function* () {
      const world = yield* begin
      const { tenantId } = world
      const [ann, anne] = [yield* putPerson(tenantId), yield* putPerson(tenantId)]
      for (let count = 0; count < 50; count++) for (const id of [ann, anne]) yield* putBan(tenantId, id)
      yield* undo(world, (yield* merge(world, ann, anne)).id)
      yield* putBan(tenantId, anne)
      assert.deepInclude(yield* Effect.flip(merge(world, ann, anne)), { _tag: "TooManyBans", limit: 100 })
    })

    it("does not see workers of another tenant", function* () {
      const { ann, anne, world } = yield* pair
      const stranger = yield* putPerson(freshTenant())
      const refused = [yield* Effect.flip(merge(world, ann, stranger)), yield* Effect.flip(merge(world, stranger, ann))]
      assert.deepStrictEqual(
        refused.map(({ _tag }) => _tag),
        ["LinkNotFound", "ResourceNotFound"]
      )
      const other = yield* begin
      const merged = yield* merge(world, ann, anne)
      assert.strictEqual((yield* Effect.flip(undo(other, merged.id)))._tag, "MergeNotFound")
    })
  })

  describe("the undo of a merge", () => {
    it("is refused with the rows that belong to somebody else now, and then changes nothing", function* () {
      const { ann, anne, rows, tenantId, world } = yield* pair
      const merged = yield* merge(world, ann, anne)
      const cat = yield* putPerson(tenantId)
      yield* changeOwner(tenantId, rows.card, {
        ...{ _tag: "Transfer", from: { type: "worker", id: ann }, to: { type: "worker", id: cat } }
      })
      const before = yield* contentOf(tenantId)
      const refused = yield* Effect.flip(undo(world, merged.id))
      assert.deepInclude(refused, { _tag: "MovedOn", ids: [rows.card] })
      assert.deepStrictEqual(yield* contentOf(tenantId), before)
    })

    it("threat 66: of an earlier merge waits for that of the later one, also if no row moved", function* () {
      const world = yield* begin
      const { tenantId } = world
      const [ann, anne, anna] = [yield* putPerson(tenantId), yield* putPerson(tenantId), yield* putPerson(tenantId)]
      const first = yield* merge(world, ann, anne)
      const second = yield* merge(world, anna, ann)
      assert.deepInclude(yield* Effect.flip(undo(world, first.id)), { _tag: "MergedAgain", intoId: anna })
      for (const { id } of [second, first]) assert.strictEqual((yield* undo(world, id)).status, "UNDONE")
    })

    it("works for 30 days", function* () {
      const { ann, anne, world } = yield* pair
      const merged = yield* merge(world, ann, anne)
      const until = Date.parse(merged.undoableUntil)
      const clock = yield* Clock.Clock
      const at = (millis: number) =>
        Effect.provideService(undo(world, merged.id), Clock.Clock, {
          ...clock,
          sleep: clock.sleep.bind(clock),
          currentTimeNanos: clock.currentTimeNanos,
          currentTimeNanosUnsafe: () => clock.currentTimeNanosUnsafe(),
          currentTimeMillis: Effect.succeed(millis),
          currentTimeMillisUnsafe: () => millis
        })
      assert.deepInclude(yield* Effect.flip(at(until + 1)), { _tag: "MergeFinal", why: "EXPIRED" })
      assert.strictEqual((yield* at(until)).status, "UNDONE")
    })
  })

  describe("the erasure of a merged person", () => {
    it("erases both workers, by either id and over two merges, and no undo brings one back", function* () {
      for (const which of ["anna", "ann", "anne"] as const) {
        const { ann, anne, tenantId, world } = yield* pair
        const anna = yield* putPerson(tenantId)
        const first = yield* merge(world, ann, anne)
        const second = yield* merge(world, anna, ann)
        const erasure = yield* erase(world, { anna, ann, anne }[which])
        assert.deepInclude(erasure, { id: anna, status: "ERASED" })
        for (const id of [ann, anne, anna]) {
          assert.isDefined((yield* find(Worker, tenantId, id))?.fields.erasedAt, id)
        }
        for (const { id } of [first, second]) {
          assert.deepInclude(yield* Effect.flip(undo(world, id)), { _tag: "MergeFinal", why: "ERASED" })
        }
        const open = yield* (yield* ErasureStore).unfinished(1_000)
        assert.notInclude(
          open.map((each) => each.tenantId),
          tenantId
        )
      }
    })

    it("threat 66: erases the person of the asked id, also if a merge or an undo comes just before", function* () {
      const { ann, anne, tenantId, world } = yield* pair
      const merged = yield* merge(world, ann, anne)
      const undone = yield* eraseAfter(undo(world, merged.id), world, anne)
      assert.strictEqual(undone.id, anne)
      assert.isUndefined((yield* find(Worker, tenantId, ann))?.fields.erasedAt)

      const other = yield* pair
      const erasure = yield* eraseAfter(merge(other.world, other.ann, other.anne), other.world, other.anne)
      assert.strictEqual(erasure.id, other.ann)
      for (const id of [other.ann, other.anne]) {
        assert.isDefined((yield* find(Worker, other.tenantId, id))?.fields.erasedAt, id)
      }
    })
  })
}
