import { assert, describe, it } from "@effect/vitest"
import * as CredentialType from "@wcs/domain/credential/CredentialType"
import { OwnerReference } from "@wcs/domain/ownership/Ownership"
import type { Fault } from "@wcs/domain/resource/SchemaFaults"
import { CorrelationId } from "@wcs/domain/shared/CorrelationId"
import { Code, WorkerId } from "@wcs/domain/shared/Id"
import { CalendarDate } from "@wcs/domain/shared/Instant"
import { decodeArgument, fromSchemaError, namedMax } from "@wcs/domain/shared/InvalidArgument"
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
  form: "a whole number from 1 to 90"
})
const names = Schema.Array(line(10)).check(Schema.isMaxLength(2, { message: "must have at most 2 names" }))
const either = Schema.Struct({ a: Schema.optionalKey(Schema.String), b: Schema.optionalKey(Schema.String) }).check(
  Schema.makeFilter(({ a, b }: { readonly a?: string; readonly b?: string }) =>
    (a === undefined) !== (b === undefined) ? undefined : { path: ["a"], issue: "is required, or b" }
  )
)

describe("the reason why a value is refused", () => {
  const rows: ReadonlyArray<readonly [string, AnyCodec, unknown, string]> = [
    ["a missing text", line(200), undefined, "is required: a text of 1 to 200 characters"],
    ["null for a text", line(200), null, "must be a text of 1 to 200 characters"],
    ["a number for a text", line(200), 7, "must be a text of 1 to 200 characters"],
    ["an empty text", line(200), " ", "must not be empty"],
    ["an overlong text", line(3), "four", "must have at most 3 characters"],
    ["a control character", line(200), "a\0", "must not contain control characters"],
    ["half a character", line(200), "\ud800", "must be well-formed Unicode"],
    ["a plain text", Schema.String, 7, "must be a text"],
    ["no id", WorkerId, undefined, "is required: wkr_ and 16 letters or digits"],
    ["an id of another kind", WorkerId, "app_0123456789abcdef", "must be wkr_ and 16 letters or digits"],
    ["a code with a capital", Code, "Code", "must be 1 to 64 of a to z, 0 to 9, _ and -, the first a letter or digit"],
    ["a date of no calendar", CalendarDate, "2026-02-30", "must be a calendar date, YYYY-MM-DD"],
    ["a number for a date", CalendarDate, 7, "must be a calendar date, YYYY-MM-DD"],
    ["a time as a number", Schema.String.annotate({ format: "date-time" }), 7, "must be an RFC 3339 time"],
    ["a fraction", days, 1.5, "must be a whole number from 1 to 90"],
    ["a number out of range", days, 91, "must be a whole number from 1 to 90"],
    ["a text for a number", days, "7", "must be a whole number from 1 to 90"],
    ["a plain number", Schema.Number, "7", "must be a number"],
    ["a text for a boolean", Schema.Boolean, "true", "must be true or false"],
    ["an unknown word", Schema.Literals(["A", "B", "C"]), "D", "must be one of A, B, C"],
    ["one of two words", Schema.Literals(["A", "B"]), undefined, "is required: A or B"],
    ["the only word", Schema.Literal("A"), "B", "must be A"],
    ["what may be null", Schema.NullOr(days), "7", "must be a whole number from 1 to 90 or null"],
    ["what may be null, out of range", Schema.NullOr(days), 0, "must be a whole number from 1 to 90 or null"],
    ["one of two kinds", Schema.Union([Schema.Number, Schema.Boolean]), "x", "must be a number or true or false"],
    ["a text for an array", names, "Ann", "must be an array, each item a text of 1 to 10 characters"],
    ["too many items", names, ["a", "b", "c"], "must have at most 2 names"],
    ["an array for an object", either, [], "must be an object"],
    ["the placeholder", CorrelationId, "string", 'must not be the literal "string"'],
    ["a check without words", Schema.String.check(Schema.isPattern(/^a$/)), "b", "must be a text"]
  ]
  it.each(rows)("ENV-05: of %s says the form", (_name, schema, value, expected) => {
    const body = value === undefined ? {} : { at: value }
    assert.deepStrictEqual(faults(Schema.Struct({ at: schema }), body), [["at", expected]])
  })

  it("names the required fields of a missing object, and the object where none is required", () => {
    const inner = Schema.Struct({ name: line(5), more: Schema.optionalKey(Schema.String), flag: Schema.Boolean })
    const body = Schema.Struct({ person: inner, options: Schema.Struct({ a: Schema.optionalKey(Schema.String) }) })
    assert.deepStrictEqual(faults(body, {}), [
      ["person.name", "is required: a text of 1 to 5 characters"],
      ["person.flag", "is required: true or false"],
      ["options", "is required: an object"]
    ])
  })

  it("names a field of a rule about the whole object", () => {
    assert.deepStrictEqual(faults(Schema.Struct({ at: either }), { at: {} }), [["at.a", "is required, or b"]])
    assert.deepStrictEqual(faults(OwnerReference, { type: "worker", id: "app_0123456789abcdef" }), [
      ["id", "must be wkr_ and 16 letters or digits"]
    ])
  })

  it("names every wrong field once, in the order of the schema, and items by their index", () => {
    const body = Schema.Struct({ first: names, second: Schema.NullOr(Schema.Struct({ id: WorkerId })), third: days })
    assert.deepStrictEqual(faults(body, { third: 0.5, second: { id: 7 }, first: [7, "a", ""] }), [
      ["first.0", "must be a text of 1 to 10 characters"],
      ["first.2", "must not be empty"],
      ["second.id", "must be wkr_ and 16 letters or digits"],
      ["third", "must be a whole number from 1 to 90"]
    ])
  })

  it("names every word of a choice", () => {
    const { field, reason } = refusal(CredentialType.Codes, ["WWCC_NSW", "NOPE"])
    assert.strictEqual(field, "1")
    assert.strictEqual(reason, `must be one of ${CredentialType.codes.join(", ")}`)
  })

  it("begins a path with the place of the decoded value", () => {
    assert.strictEqual(refusal(OwnerReference, {}, "to").field, "to.type")
    assert.strictEqual(refusal(OwnerReference, 7, "to").field, "to")
    assert.strictEqual(refusal(OwnerReference, 7).field, "")
  })

  it("names 20 fields at most and says that there are more", () => {
    assert.strictEqual(namedMax, 20)
    const list = Schema.Array(Schema.String)
    const exact = refusal(list, Array(20).fill(7))
    assert.deepStrictEqual([exact.others?.length, exact.isCut], [19, undefined])
    const more = refusal(list, Array(21).fill(7))
    assert.deepStrictEqual([more.others?.length, more.isCut], [19, true])
  })

  it("names the first wrong item of a long array, and a length that is wrong, beside the other fields", () => {
    const list = Schema.Array(Schema.String).check(Schema.isMaxLength(30, { message: "must have at most 30 items" }))
    const body = Schema.Struct({ list, flag: Schema.Boolean })
    const items = Array(500).fill("a")
    assert.deepStrictEqual(faults(body, { list: [...items, 7, 8], flag: 7 }), [
      ["flag", "must be true or false"],
      ["list.500", "must be a text"]
    ])
    assert.deepStrictEqual(faults(body, { list: items, flag: 7 }), [
      ["flag", "must be true or false"],
      ["list", "must have at most 30 items"]
    ])
  })

  it("threat 43: reports no more issues of a long array than it can name", () => {
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

  it("reads an error that stopped at the first fault, too", () => {
    const body = Schema.Struct({ a: Schema.String, b: Schema.String })
    const error = Result.getOrThrow(Result.flip(Schema.decodeUnknownResult(body)({})))
    assert.deepInclude(fromSchemaError(error), { field: "a", reason: "is required: a text" })
  })

  it("shows where it was cut, and has an end", () => {
    const said = (message: string) => refusal(Schema.String.check(Schema.makeFilter(() => message)), "x").reason
    assert.strictEqual(said("y".repeat(1000)), "y".repeat(1000))
    assert.strictEqual(said("y".repeat(1001)), `${"y".repeat(999)}…`)
  })
})
