import type { Resource } from "@wcs/domain/resource/Resource"
import { prefixes } from "@wcs/domain/shared/Id"
import type { JsonObject, JsonValue } from "@wcs/domain/shared/Json"
import { Schema, type SchemaAST } from "effect"
import fc from "fast-check"

/**
 * Characters that stores treat differently: letter case, patterns, quotes, both sides of U+FFFF, the first and last
 * ones.
 */
const characters = [
  "a",
  "A",
  "b",
  "Z",
  "0",
  " ",
  "-",
  "_",
  "%",
  "\\",
  "'",
  '"',
  "é",
  "ß",
  "İ",
  "Σ",
  "ﬀ",
  "đ",
  "’",
  "山"
]
const edges = ["\u{a0}", "\u{e000}", "\u{ff5e}", "\u{fffd}", "\u{10000}", "\u{1F600}", "\u{10FFFF}"]

/** Text of few characters, so that values are often equal or share a prefix. */
export const text: fc.Arbitrary<string> = fc
  .string({ unit: fc.constantFrom(...characters, ...edges), minLength: 1, maxLength: 3 })
  .filter((value) => value.trim() !== "")

/** Endings of ids, unordered, in both letter cases. */
export const idTails: ReadonlyArray<string> = Array.from("mB7zA0cK9yQ2xW", (last) => `0123456789abcde${last}`)

/** A few texts of each form that a schema requires. */
const formed: ReadonlyArray<string> = [
  ...["1999-12-31", "2026-01-30", "2026-01-31", "2026-02-01", "9999-12-31"],
  ...["2026-01-31T09:30:00.000Z", "2026-01-31T09:30:00.001Z", "1999-12-31T23:59:59.999Z"],
  ...["a", "ab", "a-b", "a_b", "0", "b", "AU", "NZ"],
  ...characters.map((character) => `${character}x@B`),
  ...["https://a.example/", "https://b.example/?a=%20", "a.example", "b.example"],
  ...["urn:wcs:ban:a:1", "urn:wcs:ban:b:1"],
  ...Object.values(prefixes).flatMap((prefix) => idTails.slice(0, 2).map((tail) => prefix + tail))
]

const numbers: ReadonlyArray<number> = [0, 1, 2, 14, 90]

/** How many members of a set are drawn: few, so that values are often equal. */
const drawnOfSet = 4

const chosen = (ast: SchemaAST.AST, values: ReadonlyArray<JsonValue>): fc.Arbitrary<JsonValue> => {
  const accepted = values.filter(Schema.is(Schema.make(ast)))
  if (accepted.length === 0) throw new Error(`no sample text has the form of ${JSON.stringify(ast.annotations)}`)
  return fc.constantFrom(...accepted)
}

/** Values of a type, before its checks. */
const unchecked = (ast: SchemaAST.AST): fc.Arbitrary<JsonValue> => {
  switch (ast._tag) {
    case "Objects":
      return fc.record(Object.fromEntries(ast.propertySignatures.map(({ name, type }) => [name, valuesOf(type)])), {
        noNullPrototype: true,
        requiredKeys: ast.propertySignatures.flatMap(({ name, type }) =>
          type.context?.isOptional === true ? [] : [String(name)]
        )
      })
    case "Arrays":
      return fc.array(fc.oneof(...ast.rest.map(valuesOf)), { maxLength: 3 })
    case "Union":
      return fc.oneof(...ast.types.slice(0, drawnOfSet).map(valuesOf))
    case "Literal":
      return fc.constant(ast.literal as JsonValue)
    case "Null":
      return fc.constant(null)
    case "Boolean":
      return fc.boolean()
    case "Number":
      return chosen(ast, numbers)
    case "String":
      return Schema.is(Schema.make(ast))("Å \u{10FFFF}") ? text : chosen(ast, formed)
    default:
      throw new Error(`there is no generator for a ${ast._tag}`)
  }
}

const valuesOf = (ast: SchemaAST.AST): fc.Arbitrary<JsonValue> =>
  ast.checks === undefined ? unchecked(ast) : unchecked(ast).filter(Schema.is(Schema.make(ast)))

/**
 * Random fields of a resource, generated from its schema. Fails if the schema requires a form of text without samples.
 */
export const fieldsOf = <Fields extends JsonObject>({ fields }: Resource<Fields>): fc.Arbitrary<Fields> =>
  valuesOf(fields.ast) as fc.Arbitrary<Fields>

/** The document with the most fields among many random ones, the same each time. */
export const sampleOf = <Fields extends JsonObject>(resource: Resource<Fields>): Fields => {
  const drawn = fc.sample(fieldsOf(resource), { seed: 1, numRuns: 200 })
  const lengthOf = (fields: Fields): number => JSON.stringify(fields).length
  return drawn.reduce((fullest, fields) => (lengthOf(fields) > lengthOf(fullest) ? fields : fullest))
}
