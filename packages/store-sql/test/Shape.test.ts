import { assert, describe, it } from "@effect/vitest"
import { isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { shapeOf } from "@wcs/store-sql/resource/Shape"
import { definitions } from "@wcs/store-suite/resource/Definitions"
import { fieldsOf } from "@wcs/store-suite/resource/RandomFields"
import { Result, Schema } from "effect"
import fc from "fast-check"

/** Replaces one value in a document, or adds or removes a key. */
const damaged = (document: JsonValue, steps: ReadonlyArray<number>, by: JsonValue): JsonValue => {
  const [step = 0, ...rest] = steps
  if (Array.isArray(document) && document.length > 0 && rest.length > 0) {
    const place = step % document.length
    return document.map((item: JsonValue, index) => (index === place ? damaged(item, rest, by) : item))
  }
  if (!isObject(document) || rest.length === 0) return by
  const keys = [...Object.keys(document), "unknown"]
  const key = keys[step % keys.length] ?? ""
  if (by === null && step % 2 === 0)
    return Object.fromEntries(Object.entries(document).filter(([name]) => name !== key))
  return { ...document, [key]: damaged(document[key] ?? null, rest, by) }
}

/** The value with the keys of every object in one order. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted)
  if (!isObject(value)) return value
  const entries = Object.entries(value).map(([key, inner]): [string, unknown] => [key, sorted(inner)])
  return Object.fromEntries(entries.toSorted(([one], [two]) => (one < two ? -1 : 1)))
}

const values = fc.oneof(fc.constant(null), fc.boolean(), fc.integer(), fc.string(), fc.constant([]), fc.constant({}))

const stepsOf = fc.array(fc.nat({ max: 20 }), { minLength: 1, maxLength: 5 })

describe("the shape of a resource", () => {
  for (const resource of definitions) {
    const { fits } = shapeOf(resource.fields.ast)
    const decode = Schema.decodeUnknownResult(resource.fields, { disableChecks: true })

    it(`fits every ${resource.type}, and other values only if decoding does not change them`, () => {
      let refused = 0
      fc.assert(
        fc.property(fieldsOf<JsonObject>(resource), stepsOf, values, (fields, steps, by) => {
          assert.isTrue(fits(fields))
          const other = damaged(fields, steps, by)
          const decoded = decode(other)
          const isKept =
            Result.isSuccess(decoded) && JSON.stringify(sorted(decoded.success)) === JSON.stringify(sorted(other))
          assert.strictEqual(fits(other), isKept, JSON.stringify(other))
          if (!isKept) refused++
        }),
        { numRuns: 300 }
      )
      assert.isAbove(refused, 50)
    })
  }

  it("has the same text only for the same keys and types", () => {
    const schemas = [
      Schema.Struct({ a: Schema.String }),
      Schema.Struct({ a: Schema.optionalKey(Schema.String) }),
      Schema.Struct({ a: Schema.Number }),
      Schema.Struct({ b: Schema.String }),
      Schema.Struct({ a: Schema.String, b: Schema.String }),
      Schema.Struct({ a: Schema.NullOr(Schema.String) }),
      Schema.Struct({ a: Schema.Array(Schema.String) }),
      Schema.Struct({ a: Schema.Literals(["string", "x"]) }),
      Schema.Struct({ a: Schema.Literals(["string"]) })
    ]
    assert.strictEqual(new Set(schemas.map(({ ast }) => shapeOf(ast).text)).size, schemas.length)
    const checked = Schema.Struct({ a: Schema.String.check(Schema.isMaxLength(1)) })
    assert.strictEqual(shapeOf(checked.ast).text, "{a:string}")
  })

  it("does not exist for a transformation, a record, a tuple or a type outside JSON", () => {
    for (const schema of [
      Schema.NumberFromString,
      Schema.Record(Schema.String, Schema.String),
      Schema.Tuple([Schema.String]),
      Schema.Unknown
    ]) {
      assert.throws(() => shapeOf(Schema.Struct({ a: schema }).ast), "stored fields cannot have the type")
    }
  })
})
