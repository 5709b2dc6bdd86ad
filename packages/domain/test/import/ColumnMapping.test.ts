import { assert, describe, it } from "@effect/vitest"
import {
  cellText,
  completed,
  dateIn,
  documentOf,
  type ImportField,
  importFields,
  makeOrderProposal,
  namelessIn,
  propose,
  targets
} from "@wcs/domain/import/ColumnMapping"
import { Worker, WorkerFields } from "@wcs/domain/people/Worker"
import { dayAfter } from "@wcs/domain/shared/Instant"
import { at, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { Result, type SchemaAST } from "effect"
import * as fc from "fast-check"

/** The fields of a schema, without the objects that contain others. */
const leavesOf = (ast: SchemaAST.AST, path: ReadonlyArray<string> = []): ReadonlyArray<string> =>
  ast._tag === "Objects"
    ? ast.propertySignatures.flatMap(({ name, type }) => leavesOf(type, [...path, String(name)]))
    : [path.join(".")]

const valueAt = (document: JsonObject, field: ImportField) => at(document, field.split("."))

describe("the fields that a column can fill", () => {
  it("are all fields of a worker that a caller sets", () => {
    const computed: ReadonlyArray<string> = Worker.computed.map((path) => path.join("."))
    const settable = leavesOf(WorkerFields.ast).filter((field) => !computed.includes(field.replace(/\.id$/, "")))
    // A file names units by the caller's own ids.
    const named = settable.map((field) => (field === "unit.id" ? "unit.externalId" : field))
    assert.sameMembers([...importFields], named)
  })

  it("are proposed by the usual names of columns, each for one column", () => {
    const columns = ["Employee ID", "First name", "Surname", "D.O.B.", "E-mail", "Phone", "Shoe size", "Email address"]
    assert.deepStrictEqual(propose(columns), [
      "source.externalId",
      "identity.firstName",
      "identity.lastName",
      "identity.birthDate",
      "contact.workEmail",
      "contact.mobileNumber",
      null,
      null
    ])
    assert.deepStrictEqual(propose(importFields), importFields)
    const usual = Object.values(targets).flatMap(({ names }) => names as ReadonlyArray<string>)
    assert.strictEqual(new Set(usual).size, usual.length)
  })
})

describe("the document of a row", () => {
  const date = fc.integer({ min: 0, max: 40_000 }).map((days) => dayAfter("1940-01-01", days))
  const text = fc.stringMatching(/^[A-Za-z=+@-][A-Za-z ;=+-]{0,20}$/).map((value) => `${value.trim()}x`)

  it("has the text of each mapped cell, in any order of columns and dates", () => {
    const cells = fc.record({
      fields: fc.shuffledSubarray([...importFields]),
      dateOrder: fc.constantFrom("YMD" as const, "DMY" as const, "MDY" as const),
      date,
      text
    })
    fc.assert(
      fc.property(cells, ({ date, dateOrder, fields, text }) => {
        const [year = "", month = "", day = ""] = date.split("-")
        const written = { YMD: date, DMY: `${day}/${month}/${year}`, MDY: `${month}.${day}.${year}` }[dateOrder]
        const columns = fields.map((field) => `of ${field}`)
        const mapped = fields.map((field) => ({ column: `of ${field}`, field }))
        const row = fields.map((field) => (targets[field].kind === "date" ? written : ` '${text} `))
        const expected = (field: ImportField): JsonValue => {
          switch (targets[field].kind) {
            case "date":
              return date
            case "names":
              return cellText(`'${text}`)
                .split(";")
                .map((name) => name.trim())
                .filter((name) => name !== "")
            case "code":
              return cellText(`'${text}`)
                .toUpperCase()
                .replaceAll(/[\s-]+/g, "_")
            case "text":
              return cellText(`'${text}`)
          }
        }
        const document = Result.getOrThrow(documentOf({ columns, mapped, dateOrder }, row))
        for (const field of importFields) {
          assert.deepStrictEqual(valueAt(document, field), fields.includes(field) ? expected(field) : undefined, field)
        }
      }),
      { numRuns: 50 }
    )
  })

  const mapping = {
    columns: ["Name", "Born"],
    mapped: [
      { column: "Name", field: "identity.displayName" },
      { column: "Born", field: "identity.birthDate" }
    ],
    dateOrder: "DMY"
  } as const

  it("lacks empty and missing cells", () => {
    assert.deepStrictEqual(documentOf(mapping, ["Ann", " "]), Result.succeed({ identity: { displayName: "Ann" } }))
    assert.deepStrictEqual(documentOf(mapping, ["Ann"]), Result.succeed({ identity: { displayName: "Ann" } }))
  })

  it("names the column of a date that does not exist, and a row with too many cells", () => {
    assert.deepStrictEqual(
      documentOf(mapping, ["Ann", "30/02/1990"]),
      Result.fail({ column: "Born", reason: "must be a date like 31/12/1990" })
    )
    assert.isTrue(Result.isFailure(documentOf(mapping, ["Ann", "", "beyond"])))
  })

  it("gets a display name of the other names only if it has none", () => {
    assert.deepStrictEqual(completed({ identity: { firstName: "Ann", lastName: "Lee" } }), {
      identity: { firstName: "Ann", lastName: "Lee", displayName: "Ann Lee" }
    })
    const named = { identity: { displayName: "A. Lee", lastName: "Lee" } }
    assert.strictEqual(completed(named), named)
  })

  it("is faulty without any name; a column of display names is named instead", () => {
    const column = (field: ImportField) => [{ column: "Name", field }]
    const nameless = completed({ identity: { birthDate: "1990-02-01" } })
    for (const document of [nameless, {}]) {
      assert.strictEqual(namelessIn(column("identity.lastName"), document)?.reason, "has no name")
      assert.isUndefined(namelessIn(column("identity.displayName"), document))
    }
    assert.isUndefined(namelessIn(column("identity.lastName"), completed({ identity: { lastName: "Lee" } })))
  })
})

describe("dates", () => {
  it("with the year first are understood in every order", () => {
    for (const order of ["YMD", "DMY", "MDY"] as const) assert.strictEqual(dateIn(order, "1990-02-03"), "1990-02-03")
    assert.strictEqual(dateIn("DMY", "3/2/1990"), "1990-02-03")
    assert.strictEqual(dateIn("MDY", "3/2/1990"), "1990-03-02")
    assert.isUndefined(dateIn("DMY", "3/2/90"))
  })

  it("with the English name of their month are understood in every order", () => {
    for (const order of ["YMD", "DMY", "MDY"] as const) {
      for (const text of ["4-Apr-1990", "04 April 1990", "4/APR/1990", "4 apr. 1990"]) {
        assert.strictEqual(dateIn(order, text), "1990-04-04", text)
      }
      for (const text of ["31 Apr 1990", "4 Ap 1990", "4 Apx 1990", "4 Apr 90"])
        assert.isUndefined(dateIn(order, text), text)
    }
  })

  it("propose the order that fits most of them, and none if two orders fit and differ", () => {
    const proposed = (...dates: ReadonlyArray<string>) => {
      const order = makeOrderProposal()
      for (const date of dates) order.add(date)
      return order.proposal()
    }
    assert.strictEqual(proposed("1/2/1990", "12/31/1990"), "MDY")
    assert.strictEqual(proposed("1/2/1990", "31/12/1990"), "DMY")
    assert.strictEqual(proposed("2/2/1990", "1990-12-31", "none", ""), "DMY")
    assert.isUndefined(proposed("1990-12-31", "x"))
    assert.isNull(proposed("1/2/1990"))
    assert.isNull(proposed("1/2/1990", "31/12/1990", "12/31/1990"))
  })
})

describe("a cell", () => {
  it("loses the apostrophe with which our own files guard a formula, and no other", () => {
    assert.deepStrictEqual(["'=1+1", "'+61 400", "'ndrangheta", " O'Neil "].map(cellText), [
      "=1+1",
      "+61 400",
      "'ndrangheta",
      "O'Neil"
    ])
  })
})
