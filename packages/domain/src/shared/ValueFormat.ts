import { SchemaAST } from "effect"

/**
 * The annotation for the expected format of a value in words, which follow "must be". Only needed if `formatOf` cannot
 * derive them: `Schema.String.check(…).annotate({ valueFormat: "an email address" })`.
 */
const key = "valueFormat"

const wordsOf = (annotations: { readonly [name: string]: unknown } | undefined): string | undefined => {
  const words = annotations?.[key]
  return typeof words === "string" ? words : undefined
}

/**
 * Returns the words in a schema's annotations. Effect puts the annotations of a schema with checks on its last check.
 */
const annotated = ({ annotations, checks }: SchemaAST.AST): string | undefined =>
  [annotations, ...(checks ?? []).map((check) => check.annotations)]
    .map(wordsOf)
    .findLast((words) => words !== undefined)

/** Returns a choice in words: "A or B", "one of A, B, C". */
export const oneOf = (words: ReadonlyArray<string>): string =>
  words.length <= 2 ? words.join(" or ") : `one of ${words.join(", ")}`

const isLiteral = (ast: SchemaAST.AST): ast is SchemaAST.Literal => ast._tag === "Literal"

const formatOfUnion = (types: ReadonlyArray<SchemaAST.AST>): string => {
  const literals = types.filter(isLiteral).map(({ literal }) => String(literal))
  const others = types.filter((type) => !isLiteral(type) && type._tag !== "Null").map(formatOf)
  const choices = [...(literals.length === 0 ? [] : [oneOf(literals)]), ...new Set(others)].join(" or ")
  if (!types.some(({ _tag }) => _tag === "Null")) return choices
  // The comma keeps null apart from a format that ends in a choice: "16 letters or digits, or null".
  return choices === "" ? "null" : `${choices}, or null`
}

const formatOfArray = ({ elements, rest }: SchemaAST.Arrays): string => {
  const [item] = [...elements, ...rest]
  return item === undefined ? "an array" : `an array, each item ${formatOf(item)}`
}

/** Returns the expected format of a schema in words: "a string of 1 to 200 characters". */
export const formatOf = (ast: SchemaAST.AST): string => {
  const words = annotated(ast)
  if (words !== undefined) return words
  switch (ast._tag) {
    case "String":
      return SchemaAST.resolve(ast)?.["format"] === "date-time" ? "an RFC 3339 time" : "a string"
    case "Number":
      return "a number"
    case "Boolean":
      return "true or false"
    case "Null":
      return "null"
    case "Literal":
      return String(ast.literal)
    case "Union":
      return formatOfUnion(ast.types)
    case "Arrays":
      return formatOfArray(ast)
    case "Objects":
      return "an object"
    default:
      return "a valid value"
  }
}
