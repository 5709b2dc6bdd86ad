import { assert, describe, it } from "@effect/vitest"
import {
  type Action,
  after as acted,
  advanced,
  halted,
  type Import,
  mayDelete,
  type Status,
  statuses,
  stopping
} from "@wcs/domain/import/Import"
import { headerOf, makeColumns, requireText, separatorOf } from "@wcs/domain/import/ImportFile"
import { requireMapping } from "@wcs/domain/import/Imports"
import { Result } from "effect"

const actor = { account: "urn:wcs:account:acc_1", bearer: null, requestId: "r" }
const it1: Import = {
  ...{ id: "imp_1", tenantId: "tnt_1", version: 3, name: "f", status: "UPLOADED", rows: 9, columns: [], mapped: [] },
  ...{ dateOrder: "DMY", withDuplicates: false, cursor: 5, seen: 4, counts: { CREATE: 4 }, isUntouched: true },
  ...{ beforeUndo: null, problem: "x", actor, createdAt: 1, updatedAt: 1 }
}

describe("the actions on an import", () => {
  it("lead from these statuses to these, and are refused in all others", () => {
    const table: Readonly<Record<Action, Partial<Record<Status, Status>>>> = {
      check: { UPLOADED: "CHECKING", CHECKED: "CHECKING" },
      run: { CHECKED: "RUNNING", STOPPED: "RUNNING" },
      undo: { DONE: "UNDOING", STOPPED: "UNDOING", UNDO_STOPPED: "UNDOING" }
    }
    for (const action of ["check", "run", "undo"] as const) {
      for (const status of statuses) {
        const next = acted({ ...it1, status }, action, actor, 2)
        const expected = table[action][status]
        assert.strictEqual(Result.isSuccess(next) ? next.success.status : undefined, expected, `${action} ${status}`)
        if (Result.isSuccess(next)) {
          assert.strictEqual(next.success.version, 4)
          assert.strictEqual(next.success.cursor, 0)
          assert.isNull(next.success.problem)
        }
      }
    }
  })

  it("stop work after its present rows, with what is done, unless these were the last", () => {
    const allowed = statuses.filter((status) => stopping({ ...it1, status }, 2).isStopping)
    assert.deepStrictEqual(allowed, ["CHECKING", "RUNNING", "UNDOING"])
    const once = stopping({ ...it1, status: "RUNNING" }, 2)
    assert.deepStrictEqual([once.version, stopping(once, 3)], [4, once])
    const place = { cursor: 9, seen: 7, counts: { CREATED: 7 }, isLast: false }
    const stopped = (it: Partial<Import>, isLast = false) =>
      advanced(stopping({ ...it1, ...it }, 2), { ...place, isLast }, 3)
    const begun = Result.getOrThrow(acted({ ...it1, status: "DONE" }, "undo", actor, 2))
    const ended = [
      stopped({ status: "CHECKING" }),
      stopped({ status: "RUNNING" }),
      stopped({ status: "RUNNING" }, true),
      stopped({ status: "UNDOING" }),
      stopped(begun),
      stopped(begun, true) // it has looked at all rows, and changed none
    ]
    assert.deepStrictEqual(
      ended.map(({ counts, problem, seen, status }) => [status, seen, counts, problem]),
      [
        ["UPLOADED", 7, { CREATED: 7 }, "The check was stopped."],
        ["STOPPED", 7, { CREATED: 7 }, "The import was stopped."],
        ["DONE", 7, { CREATED: 7 }, "x"],
        ["UNDO_STOPPED", 7, { CREATED: 7 }, "The undo was stopped."],
        ["DONE", 4, { CREATE: 4 }, null],
        ["DONE", 4, { CREATE: 4 }, null]
      ]
    )
    for (const it of ended) assert.isFalse(it.isStopping)
  })

  it("do not delete an import while work goes on", () => {
    const kept = statuses.filter((status) => Result.isFailure(mayDelete({ ...it1, status })))
    assert.deepStrictEqual(kept, ["CHECKING", "RUNNING", "UNDOING"])
  })

  it("return to the state before an undo that has undone nothing, and go on with one that has", () => {
    const undoing = (it: Import) => Result.getOrThrow(acted(it, "undo", actor, 2))
    for (const status of ["DONE", "STOPPED"] as const) {
      const begun = undoing({ ...it1, status })
      const { counts, seen } = it1
      assert.deepInclude(halted(begun, "changed", 3), { status, counts, seen, problem: "changed", beforeUndo: null })
      const stopped = halted({ ...begun, isUntouched: true }, "ended", 3)
      assert.strictEqual(stopped.status, "UNDO_STOPPED")
      assert.isTrue(undoing(stopped).isUntouched)
    }
    const halts = (["CHECKING", "RUNNING"] as const).map((status) => halted({ ...it1, status }, "x", 2).status)
    assert.deepStrictEqual(halts, ["UPLOADED", "STOPPED"])
  })

  it("look at all rows before an undo changes the first", () => {
    const place = { cursor: 9, seen: 9, counts: { CREATED: 9 }, isLast: true }
    const looked = advanced({ ...it1, status: "UNDOING", isUntouched: false }, place, 2)
    assert.deepInclude(looked, { status: "UNDOING", isUntouched: true, cursor: 0, seen: 0, counts: {} })
    assert.strictEqual(advanced({ ...looked }, place, 3).status, "UNDONE")
    assert.strictEqual(advanced({ ...looked }, { ...place, isLast: false }, 3).status, "UNDOING")
  })
})

describe("a file", () => {
  const bytes = (...values: ReadonlyArray<number>) => Uint8Array.from(values)

  it("threat 65: is refused with a sentence if its first bytes are not those of a CSV file in UTF-8", () => {
    const reasonOf = (start: Uint8Array) =>
      Result.match(requireText(start), { onSuccess: () => "", onFailure: ({ reason }) => reason.split(".")[0] })
    assert.deepStrictEqual(
      [
        bytes(0x50, 0x4b, 3, 4),
        bytes(0xd0, 0xcf, 0x11, 0xe0, 0xa1),
        bytes(0xff, 0xfe, 0x41, 0),
        bytes(0x41, 0, 0x42, 0),
        new TextEncoder().encode("%PDF-1.7"),
        new TextEncoder().encode("\uFEFFName,Born\n"),
        new TextEncoder().encode("PKZ,Name\n")
      ].map(reasonOf),
      [
        "is a workbook (XLSX or ODS) or another ZIP file",
        "is an old Excel workbook (XLS)",
        "is encoded in UTF-16",
        "is not a text file",
        "is a PDF document",
        "",
        ""
      ]
    )
  })

  it("has the order of the dates in all columns that can be mapped, and none if they differ or fit several", () => {
    const orderOf = (...rows: ReadonlyArray<readonly [born: string, other: string, phone: string]>) => {
      const columns = makeColumns(["Born", "D.O.B. (staff)", "Phone"])
      for (const row of rows) columns.add(row)
      return columns.dateOrder()
    }
    assert.strictEqual(orderOf(["12/31/1990", "", "3/12/1990"]), "MDY")
    assert.strictEqual(orderOf(["", "12/31/1990", ""], ["", "3/12/1990", ""]), "MDY")
    assert.strictEqual(orderOf(["1990-12-31", "x", ""]), "DMY")
    assert.isNull(orderOf(["12/31/1990", "3/12/1990", ""]))
    assert.isNull(orderOf(["", "3/12/1990", ""]))
    assert.isNull(orderOf(["12/31/1990", "31/12/1990", ""]))
  })

  it("is separated by what its first line has most of, outside of quotes", () => {
    assert.deepStrictEqual(["a,b;c,d\n;;;;", 'a;b;"c,,,,"\n', "a\tb\tc,d", "a"].map(separatorOf), [",", ";", "\t", ","])
  })

  it("must have names for its columns, each once", () => {
    assert.deepStrictEqual(headerOf([" Name ", "", "Born", "", " "]), Result.succeed(["Name", "Column 2", "Born"]))
    const refused = [
      [],
      ["", " "],
      ["a", "a"],
      ["x".repeat(201)],
      ["a\nb"],
      Array.from({ length: 101 }, (_, n) => `c${n}`)
    ]
    for (const cells of refused) assert.isTrue(Result.isFailure(headerOf(cells)), cells.join())
  })

  it("must be mapped to a name or an external id, each column and each field once", () => {
    const columns = ["A", "B"].map((name) => ({ name, samples: [], proposal: null }))
    const fieldOf = (mapped: Parameters<typeof requireMapping>[1]) =>
      Result.match(requireMapping(columns, mapped), { onSuccess: () => "", onFailure: ({ field }) => field })
    const [name, born] = ["identity.displayName", "identity.birthDate"] as const
    assert.deepStrictEqual(
      [
        [{ column: "A", field: name }],
        [{ column: "B", field: "source.externalId" as const }],
        [{ column: "C", field: name }],
        [
          { column: "A", field: name },
          { column: "A", field: born }
        ],
        [
          { column: "A", field: name },
          { column: "B", field: name }
        ],
        [{ column: "A", field: born }],
        []
      ].map(fieldOf),
      ["", "", "mapping.0.column", "mapping.1.column", "mapping.1.field", "mapping", "mapping"]
    )
  })
})
