import { assert, describe, it } from "@effect/vitest"
import { Caller } from "@wcs/domain/access/Caller"
import { everyPrivilege, privilegesOf, roles } from "@wcs/domain/access/Privilege"
import { mayDelete, mayRead, NoteText, noteLimits, subjectOf } from "@wcs/domain/note/Note"
import { makeReadable } from "@wcs/domain/note/NoteReach"
import { Effect, Schema } from "effect"
import * as fc from "fast-check"

const isText = Schema.is(NoteText)

describe("a note", () => {
  it("is a text of several lines, of at most 4,000 characters", () => {
    assert.isTrue(isText("first\n\tsecond"))
    assert.isTrue(isText("💡".repeat(noteLimits.characters)))
    for (const text of ["", " \n", "a\u0000b", "a\u001bb", "\ud800", "a".repeat(noteLimits.characters + 1)]) {
      assert.isFalse(isText(text), JSON.stringify(text.slice(0, 10)))
    }
  })

  it("is about a worker, an applicant or a task", () => {
    const id = "0".repeat(16)
    assert.deepStrictEqual(
      ["wkr_", "app_", "tsk_", "cred_", "acc_", ""].map((prefix) => subjectOf(prefix + id)),
      ["worker", "applicant", "task", undefined, undefined, undefined]
    )
  })

  it("threat 96: is deleted by its author or a Super Admin alone", () => {
    const note = { account: "urn:wcs:account:acc_1" }
    const by = (account: string, privileges: ReadonlySet<(typeof everyPrivilege)[number]>, limitedTo?: Array<string>) =>
      mayDelete(note, { account, privileges, ...(limitedTo === undefined ? {} : { limitedTo }) })
    assert.isTrue(by(note.account, new Set()))
    assert.isTrue(by("urn:wcs:account:acc_2", roles["Super Admin"]))
    for (const role of ["Admin", "Data Manager", "Auditor", "Viewer"] as const) {
      assert.isFalse(by("urn:wcs:account:acc_2", roles[role]), role)
    }
    assert.isFalse(by("urn:wcs:account:acc_2", new Set(everyPrivilege), []))
  })
})

describe("threat 96: a user who is mentioned, or looks after a person", () => {
  const tree = new Map([
    ["unit_1", null],
    ["unit_2", "unit_1"],
    ["unit_3", null]
  ])
  const viewer = { privileges: privilegesOf("Viewer"), isActive: true }

  it("is active, may read the record, and reaches the unit of the person", () => {
    assert.isTrue(mayRead(viewer, "worker", tree, undefined))
    assert.isFalse(mayRead({ ...viewer, isActive: false }, "worker", tree, undefined))
    assert.isFalse(mayRead({ ...viewer, privileges: new Set(["applicant:READ"]) }, "worker", tree, undefined))
    assert.isTrue(mayRead({ ...viewer, privileges: new Set(["applicant:READ"]) }, "applicant", tree, undefined))
    const limited = { ...viewer, limitedTo: ["unit_1"] }
    assert.isTrue(mayRead(limited, "worker", tree, "unit_2"))
    assert.isFalse(mayRead(limited, "worker", tree, "unit_3"))
    assert.isFalse(mayRead(limited, "worker", tree, undefined))
  })

  it("never reads more than without a limit", () => {
    const units = fc.option(fc.constantFrom("unit_1", "unit_2", "unit_3"), { nil: undefined })
    fc.assert(
      fc.property(units, fc.subarray(["unit_1", "unit_2", "unit_3"]), fc.boolean(), (unit, limitedTo, isActive) => {
        const reader = { ...viewer, isActive }
        if (mayRead({ ...reader, limitedTo }, "task", tree, unit)) assert.isTrue(mayRead(reader, "task", tree, unit))
      })
    )
  })
})

describe("the records of many notes", () => {
  it.effect("are read a hundred at once, and only those that the reader may read count", () =>
    Effect.gen(function* () {
      const idOf = (prefix: string, count: number) => `${prefix}_${String(count).padStart(16, "0")}`
      const abouts = Array.from({ length: 250 }, (_, count) => idOf("wkr", count))
      const reads: Array<number> = []
      const readable = makeReadable({
        findAll: (_, __, ids) => {
          reads.push(ids.length)
          const rows = ids.map((id) => [id, { id, fields: {}, deletedAt: id.endsWith("7") ? 1 : null }] as const)
          return Effect.succeed(new Map(rows as never))
        }
      })
      const found = yield* readable([...abouts, ...abouts, idOf("app", 1), "unknown"]).pipe(
        Effect.provideService(Caller, { tenantId: "tnt_1", privileges: new Set(["worker:READ"]) } as never)
      )
      assert.deepStrictEqual(reads, [100, 100, 50])
      assert.deepStrictEqual(
        [...found],
        abouts.filter((id) => !id.endsWith("7"))
      )
      const tasks = [idOf("tsk", 1), idOf("tsk", 2)]
      const reader = { tenantId: "tnt_1", privileges: new Set(["task:READ"]) } as never
      const others = yield* Effect.provideService(readable(tasks), Caller, reader)
      assert.deepStrictEqual([...others], [], "a task needs what it is about")
    })
  )
})
