import { assert, describe, it } from "@effect/vitest"
import { rowsOf } from "@wcs/domain/erasure/Erasure"
import { Credential } from "@wcs/domain/holding/Credential"
import { type Merge, type MovedType, movedKinds } from "@wcs/domain/merge/Merge"
import { type Held, type MergePlan, type Parties, planOfMerge, planOfUndo } from "@wcs/domain/merge/MergePlan"
import { decide } from "@wcs/domain/ownership/Ownership"
import type { WorkerFields } from "@wcs/domain/people/Worker"
import type { Stored } from "@wcs/domain/resource/Resource"
import { taskIdOf } from "@wcs/domain/screening/Task"
import { at, type JsonObject } from "@wcs/domain/shared/Json"
import { Result } from "effect"
import * as fc from "fast-check"

const [ann, bob, cat] = ["wkr_000000000000000A", "wkr_000000000000000B", "wkr_000000000000000C"]
const now = 1_000_000

const storedOf = <Fields extends JsonObject>(id: string, fields: Fields, deletedAt: number | null): Stored<Fields> => ({
  ...{ id, version: 3, createdAt: 1, updatedAt: 2, deletedAt, fields }
})

const worker = (id: string): Stored<WorkerFields> => storedOf(id, { identity: { displayName: id } }, null)

/** The fields of a row of a worker. An applicant can own a card, too. */
const fieldsOf = ({ resource }: Held["kind"], workerId: string, applicant: string | null): JsonObject =>
  resource.type === Credential.type
    ? { attributes: { credentialType: "FIRST_AID", owners: { worker: workerId, applicant } } }
    : { worker: { id: workerId }, note: applicant }

const row = fc.record({
  kind: fc.constantFrom(...movedKinds),
  owner: fc.constantFrom(ann, bob),
  applicant: fc.constantFrom(null, "app_0000000000000001"),
  deletedAt: fc.constantFrom(null, 5),
  hasTask: fc.boolean()
})

interface World {
  readonly workers: ReadonlyMap<string, Stored<WorkerFields>>
  readonly rows: ReadonlyMap<string, Held>
  readonly tasks: ReadonlyMap<string, Stored>
}

const worlds: fc.Arbitrary<World> = fc.array(row, { maxLength: 12 }).map((drawn) => {
  const rows = drawn.map(({ applicant, deletedAt, kind, owner }, n): readonly [string, Held] => {
    const id = `${kind.resource.type}_${n}`
    return [id, { kind, stored: storedOf(id, fieldsOf(kind, owner, applicant), deletedAt) }]
  })
  const tasks = drawn.flatMap(({ hasTask, kind, owner }, n): ReadonlyArray<readonly [string, Stored]> => {
    const id = taskIdOf(`${kind.resource.type}_${n}`)
    return hasTask && kind.resource.type === Credential.type
      ? [[id, storedOf(id, { worker: { id: owner }, assignee: { id: null } }, null)]]
      : []
  })
  const people = [ann, bob].map((id) => [id, worker(id)] as const)
  return { workers: new Map(people), rows: new Map(rows), tasks: new Map(tasks) }
})

const workerOf = ({ kind, stored }: Held) => at(stored.fields, kind.worker)

const heldBy = ({ rows, tasks }: World, id: string): Pick<Parties, "held" | "tasks"> => ({
  held: [...rows.values()].filter((held) => workerOf(held) === id),
  tasks: [...tasks.values()].filter(({ fields }) => at(fields, ["worker", "id"]) === id)
})

const found = <A>(all: ReadonlyMap<string, A>, id: string): A => all.get(id) ?? assert.fail(id)

/** The world after a plan was written. Each write follows the version that the plan has read. */
const written = (world: World, plan: MergePlan): World => {
  const workers = new Map(world.workers)
  for (const each of [plan.worker, plan.from]) {
    assert.strictEqual(each.version, found(workers, each.id).version + 1)
    workers.set(each.id, each)
  }
  const rows = new Map(world.rows)
  for (const { before, next } of plan.rows) {
    const held = found(rows, next.id)
    assert.deepStrictEqual(held.stored, before)
    assert.strictEqual(next.version, before.version + 1)
    rows.set(next.id, { ...held, stored: next })
  }
  const tasks = new Map(world.tasks)
  for (const { next } of plan.tasks) tasks.set(next.id, next)
  return { workers, rows, tasks }
}

const mergeIn = (world: World): MergePlan =>
  planOfMerge(
    decide,
    { worker: found(world.workers, ann), from: found(world.workers, bob), ...heldBy(world, bob), users: [] },
    now
  )

const recordOf = (plan: MergePlan): Pick<Merge, "id" | "moved"> => ({
  id: "mrg_1",
  moved: plan.rows.map(({ next, resource }) => ({ type: resource.type as MovedType, id: next.id }))
})

const undoIn = (world: World, merge: Pick<Merge, "id" | "moved">) =>
  planOfUndo(
    decide,
    merge,
    {
      worker: found(world.workers, ann),
      from: found(world.workers, bob),
      held: merge.moved.flatMap(({ id }) => world.rows.get(id) ?? []),
      tasks: [...world.tasks.values()],
      users: []
    },
    now + 1
  )

/** What a world says, without versions and times of changes. */
const contentOf = ({ rows, tasks, workers }: World) =>
  [...workers.values(), ...[...rows.values()].map(({ stored }) => stored), ...tasks.values()].map(
    ({ deletedAt, fields, id }) => ({ id, deletedAt, fields })
  )

describe("the plan of a merge", () => {
  it("threat 66: moves all rows of the other worker and no other, once, and leaves everything else in them", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const plan = mergeIn(world)
        const merged = written(world, plan)
        assert.lengthOf(new Set(plan.rows.map(({ next }) => next.id)), plan.rows.length)
        assert.sameMembers(
          plan.rows.map(({ next }) => next.id),
          heldBy(world, bob).held.map(({ stored }) => stored.id)
        )
        assert.deepStrictEqual([...merged.rows.keys()], [...world.rows.keys()])
        for (const [id, held] of merged.rows) {
          assert.strictEqual(workerOf(held), ann)
          const before = found(world.rows, id)
          const { deletedAt, fields } = held.stored
          assert.deepStrictEqual(
            [JSON.stringify(fields), deletedAt],
            [JSON.stringify(before.stored.fields).replace(bob, ann), before.stored.deletedAt]
          )
        }
        assert.deepStrictEqual(heldBy(merged, bob).tasks, [])
        assert.deepInclude(plan.from, { deletedAt: now })
        assert.deepStrictEqual(plan.from.fields.mergedInto, { id: ann })
        assert.deepStrictEqual(plan.worker.fields, found(world.workers, ann).fields)
      })
    )
  })

  it("moves every kind of row that an erasure of the worker erases", () => {
    assert.deepStrictEqual(
      movedKinds.map(({ resource }) => resource),
      rowsOf.worker.map(({ resource }) => resource)
    )
  })
})

describe("the undo of a merge", () => {
  it("puts back exactly what the merge moved", () => {
    fc.assert(
      fc.property(worlds, (world) => {
        const plan = mergeIn(world)
        const undone = undoIn(written(world, plan), recordOf(plan))
        const restored = written(written(world, plan), Result.getOrThrow(undone))
        assert.deepStrictEqual(contentOf(restored), contentOf(world))
      })
    )
  })

  it("keeps changes of moved rows and new rows, and is refused with the ids of rows that have another owner", () => {
    fc.assert(
      fc.property(worlds, fc.infiniteStream(fc.constantFrom("none", "changed", "gone")), (world, fates) => {
        const plan = mergeIn(world)
        const merged = written(world, plan)
        const rows = new Map(merged.rows)
        const gone: Array<string> = []
        for (const { next } of plan.rows) {
          const fate = fates.next().value
          const held = found(rows, next.id)
          const fields = fate === "gone" ? fieldsOf(held.kind, cat, null) : { ...held.stored.fields, changed: fate }
          rows.set(next.id, { ...held, stored: { ...next, fields } })
          if (fate === "gone") gone.push(next.id)
        }
        const undone = undoIn({ ...merged, rows }, recordOf(plan))
        if (gone.length > 0) {
          const refusal = Result.isFailure(undone) ? undone.failure : assert.fail()
          assert.sameMembers([...refusal.ids], gone)
          return
        }
        const restored = written({ ...merged, rows }, Result.getOrThrow(undone))
        for (const { next } of plan.rows) {
          const { fields } = found(restored.rows, next.id).stored
          assert.strictEqual(fields["changed"], found(rows, next.id).stored.fields["changed"])
          assert.strictEqual(workerOf(found(restored.rows, next.id)), bob)
        }
        assert.lengthOf(heldBy(restored, ann).held, heldBy(world, ann).held.length)
      })
    )
  })

  it("is refused if a row that was moved is not there", () => {
    const { fields } = worker(bob)
    const parties = { worker: worker(ann), from: { ...worker(bob), fields }, held: [], tasks: [], users: [] }
    const undone = planOfUndo(decide, { id: "mrg_1", moved: [{ type: "exemption", id: "exm_1" }] }, parties, now)
    assert.deepStrictEqual(Result.isFailure(undone) && undone.failure.ids, ["exm_1"])
  })
})
