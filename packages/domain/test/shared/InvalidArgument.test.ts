import { assert, describe, it } from "@effect/vitest"
import * as CredentialType from "@wcs/domain/holding/CredentialType"
import { OwnerReference } from "@wcs/domain/ownership/Ownership"
import { CorrelationId } from "@wcs/domain/shared/CorrelationId"
import { Code, WorkerId } from "@wcs/domain/shared/Id"
import { CalendarDate } from "@wcs/domain/shared/Instant"
import { decodeArgument, fromSchemaError, namedMax } from "@wcs/domain/shared/InvalidArgument"
import type { Fault } from "@wcs/domain/shared/SchemaFaults"
import { line } from "@wcs/domain/shared/Text"
import { Result, Schema } from "effect"

type AnyCodec = Schema.Codec<unknown, unknown>

const refusal = (schema: AnyCodec, value: unknown, within?: string) =>
  Result.getOrThrow(Result.flip(decodeArgument(schema, within === undefined ? {} : { within })(value)))

/** Every wrong field with its reason. */
const faults = (schema: AnyCodec, value: unknown): ReadonlyArray<readonly [string, string]> => {
  const { field, others = [], reason } = refusal(schema, value)
  return [{ field, reason }, ...others].map((fault: Fault) => [fault.field, fault.reason] as const)
}

const days = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 90 })).annotate({
  valueFormat: "a whole number from 1 to 90"
})
const names = Schema.Array(line(10)).check(Schema.isMaxLength(2, { message: "must have at most 2 names" }))
const either = Schema.Struct({ a: Schema.optionalKey(Schema.String), b: Schema.optionalKey(Schema.String) }).check(
  Schema.makeFilter(({ a, b }: { readonly a?: string; readonly b?: string }) =>
    (a === undefined) !== (b === undefined) ? undefined : { path: ["a"], issue: "is required, or b" }
  )
)

describe("the reason of an error", () => {
  const rows: ReadonlyArray<readonly [string, AnyCodec, unknown, string]> = [
    ["a missing string", line(200), undefined, "is required: a string of 1 to 200 characters"],
    ["null for a string", line(200), null, "must be a string of 1 to 200 characters"],
    ["a number for a string", line(200), 7, "must be a string of 1 to 200 characters"],
    ["an empty string", line(200), " ", "must not be empty"],
    ["an overlong string", line(3), "four", "must have at most 3 characters"],
    ["a control character", line(200), "a\0", "must not contain control characters"],
    ["a lone surrogate", line(200), "\ud800", "must be well-formed Unicode"],
    ["a plain string", Schema.String, 7, "must be a string"],
    ["no id", WorkerId, undefined, "is required: wkr_ and 16 letters or digits"],
    ["an id of another kind", WorkerId, "app_0123456789abcdef", "must be wkr_ and 16 letters or digits"],
    [
      "a code with a capital",
      Code,
      "Code",
      "must be 1 to 64 characters of a-z, 0-9, _ and -, starting with a letter or digit"
    ],
    ["a date that does not exist", CalendarDate, "2026-02-30", "must be a date that exists, YYYY-MM-DD"],
    ["a number for a date", CalendarDate, 7, "must be a date that exists, YYYY-MM-DD"],
    ["a time as a number", Schema.String.annotate({ format: "date-time" }), 7, "must be an RFC 3339 time"],
    ["a fraction", days, 1.5, "must be a whole number from 1 to 90"],
    ["a number out of range", days, 91, "must be a whole number from 1 to 90"],
    ["a string for a number", days, "7", "must be a whole number from 1 to 90"],
    ["a plain number", Schema.Number, "7", "must be a number"],
    ["a string for a boolean", Schema.Boolean, "true", "must be true or false"],
    ["an unknown literal", Schema.Literals(["A", "B", "C"]), "D", "must be one of A, B, C"],
    ["one of two literals", Schema.Literals(["A", "B"]), undefined, "is required: A or B"],
    ["the only literal", Schema.Literal("A"), "B", "must be A"],
    ["a nullable value", Schema.NullOr(days), "7", "must be a whole number from 1 to 90, or null"],
    ["a nullable value out of range", Schema.NullOr(days), 0, "must be a whole number from 1 to 90, or null"],
    ["one of two types", Schema.Union([Schema.Number, Schema.Boolean]), "x", "must be a number or true or false"],
    ["a string for an array", names, "Ann", "must be an array, each item a string of 1 to 10 characters"],
    ["too many items", names, ["a", "b", "c"], "must have at most 2 names"],
    ["an array for an object", either, [], "must be an object"],
    ["the placeholder", CorrelationId, "string", 'must not be the literal "string"'],
    ["a check without a form", Schema.String.check(Schema.isPattern(/^a$/)), "b", "must be a string"]
  ]
  it.each(rows)("ENV-05: names the expected format of %s", (_name, schema, value, expected) => {
    const body = value === undefined ? {} : { at: value }
    assert.deepStrictEqual(faults(Schema.Struct({ at: schema }), body), [["at", expected]])
  })

  it("names the required fields of a missing object, or the object if it has none", () => {
    const inner = Schema.Struct({ name: line(5), more: Schema.optionalKey(Schema.String), flag: Schema.Boolean })
    const body = Schema.Struct({ person: inner, options: Schema.Struct({ a: Schema.optionalKey(Schema.String) }) })
    assert.deepStrictEqual(faults(body, {}), [
      ["person.name", "is required: a string of 1 to 5 characters"],
      ["person.flag", "is required: true or false"],
      ["options", "is required: an object"]
    ])
  })

  it("names the field of a rule about the whole object", () => {
    assert.deepStrictEqual(faults(Schema.Struct({ at: either }), { at: {} }), [["at.a", "is required, or b"]])
    assert.deepStrictEqual(faults(OwnerReference, { type: "worker", id: "app_0123456789abcdef" }), [
      ["id", "must be wkr_ and 16 letters or digits"]
    ])
  })

  it("names every wrong field once in the order of the schema, and items by index", () => {
    const body = Schema.Struct({ first: names, second: Schema.NullOr(Schema.Struct({ id: WorkerId })), third: days })
    assert.deepStrictEqual(faults(body, { third: 0.5, second: { id: 7 }, first: [7, "a", ""] }), [
      ["first.0", "must be a string of 1 to 10 characters"],
      ["first.2", "must not be empty"],
      ["second.id", "must be wkr_ and 16 letters or digits"],
      ["third", "must be a whole number from 1 to 90"]
    ])
  })

  it("names all allowed values", () => {
    const { field, reason } = refusal(CredentialType.Codes, ["WWCC_NSW", "NOPE"])
    assert.strictEqual(field, "1")
    assert.strictEqual(reason, `must be one of ${CredentialType.codes.join(", ")}`)
  })

  it("prefixes paths with the place of the decoded value", () => {
    assert.strictEqual(refusal(OwnerReference, {}, "to").field, "to.type")
    assert.strictEqual(refusal(OwnerReference, 7, "to").field, "to")
    assert.strictEqual(refusal(OwnerReference, 7).field, "")
  })

  it("names at most 20 fields and says that there are more", () => {
    assert.strictEqual(namedMax, 20)
    const list = Schema.Array(Schema.String)
    const exact = refusal(list, Array(20).fill(7))
    assert.deepStrictEqual([exact.others?.length, exact.isCut], [19, undefined])
    const more = refusal(list, Array(21).fill(7))
    assert.deepStrictEqual([more.others?.length, more.isCut], [19, true])
  })

  it("names the first wrong item of a long array, a wrong length and the other fields", () => {
    const list = Schema.Array(Schema.String).check(Schema.isMaxLength(30, { message: "must have at most 30 items" }))
    const body = Schema.Struct({ list, flag: Schema.Boolean })
    const items = Array(500).fill("a")
    assert.deepStrictEqual(faults(body, { list: [...items, 7, 8], flag: 7 }), [
      ["flag", "must be true or false"],
      ["list.500", "must be a string"]
    ])
    assert.deepStrictEqual(faults(body, { list: items, flag: 7 }), [
      ["flag", "must be true or false"],
      ["list", "must have at most 30 items"]
    ])
  })

  it("threat 43: collects no more faults of a long array than it can name", () => {
    let judged = 0
    const counted = Schema.String.check(
      Schema.makeFilter(() => {
        judged++
        return false
      })
    )
    refusal(Schema.Array(counted), Array(10_000).fill("a"))
    assert.isAtMost(judged, 1 + 21)
  })

  it("names the fault of an error that stopped at the first one", () => {
    const body = Schema.Struct({ a: Schema.String, b: Schema.String })
    const error = Result.getOrThrow(Result.flip(Schema.decodeUnknownResult(body)({})))
    assert.deepInclude(fromSchemaError(error), { field: "a", reason: "is required: a string" })
  })

  it("cuts long texts with an ellipsis", () => {
    const said = (message: string) => refusal(Schema.String.check(Schema.makeFilter(() => message)), "x").reason
    assert.strictEqual(said("y".repeat(1000)), "y".repeat(1000))
    assert.strictEqual(said("y".repeat(1001)), `${"y".repeat(999)}…`)
  })
})
