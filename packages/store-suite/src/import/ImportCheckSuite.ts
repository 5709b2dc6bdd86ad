import { assert } from "@effect/vitest"
import { Worker } from "@wcs/domain/people/Worker"
import { Effect, Stream } from "effect"
import * as fc from "fast-check"
import { created, listIds, mint, put, workerFields } from "../Fixtures.ts"
import { calling, check, countsOf, outcomesOf, people, person, type Test, upload } from "./ImportWorld.ts"

/** Tests what a check of an import tells. */
export const checkTests = (test: Test): void => {
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

/** Tests cells and ids that a check compares. */
export const idsTests = (test: Test): void => {
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
