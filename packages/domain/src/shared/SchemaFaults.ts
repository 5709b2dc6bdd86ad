import type { Schema, SchemaAST, SchemaIssue } from "effect"
import { isObject } from "./Json.ts"
import { formatOf } from "./ValueFormat.ts"

/** A wrong field of a request. */
export interface Fault {
  /** A dotted path in the body, or the name of a parameter. Empty for the whole body. */
  readonly field: string
  /** The error, in words that follow the field's name. Never has the value that was sent. */
  readonly reason: string
}

type Path = ReadonlyArray<PropertyKey>

/** A path in a value, with its schema if known. */
interface Place {
  readonly path: Path
  readonly ast: SchemaAST.AST | undefined
}

const faultAt = ({ path }: Place, reason: string): Fault => ({ field: path.map(String).join("."), reason })

const mustBe = ({ ast }: Place): string => `must be ${ast === undefined ? "a valid value" : formatOf(ast)}`

const textAt = (annotations: Schema.Annotations.Annotations | undefined): string | undefined => {
  const message = annotations?.["message"]
  return typeof message === "string" ? message : undefined
}

const holdsOthers = ({ _tag }: SchemaAST.AST): boolean => _tag === "Objects" || _tag === "Arrays"

const inside = ({ ast, path }: Place, key: PropertyKey): Place => {
  const within = [...path, key]
  if (ast?._tag === "Objects") {
    const property = ast.propertySignatures.find(({ name }) => name === key)
    return { path: within, ast: property?.type ?? ast.indexSignatures[0]?.type }
  }
  if (ast?._tag === "Arrays") {
    const index = Number(key)
    return { path: within, ast: ast.elements[index] ?? ast.rest[0] }
  }
  return { path: within, ast: undefined }
}

/** Returns the faults of a missing value. For a missing object they name its required fields. */
const missing = (place: Place): ReadonlyArray<Fault> => {
  const { ast } = place
  const required =
    ast?._tag === "Objects" ? ast.propertySignatures.filter(({ type }) => type.context?.isOptional !== true) : []
  if (required.length > 0) return required.flatMap(({ name }) => missing(inside(place, name)))
  return [faultAt(place, ast === undefined ? "is required" : `is required: ${formatOf(ast)}`)]
}

/** Returns the faults of a failed check: its own message, else the expected format. */
const ofCheck = (issue: SchemaIssue.Filter, place: Place): ReadonlyArray<Fault> => {
  const message = textAt(issue.filter.annotations)
  if (message !== undefined) return [faultAt(place, message)]
  return issue.issue._tag === "InvalidValue"
    ? [faultAt(place, textAt(issue.issue.annotations) ?? mustBe(place))]
    : ofIssue(issue.issue, place)
}

/** Returns the faults by the only union member that resembles the value, else by the format of the union. */
const ofUnion = (issue: SchemaIssue.AnyOf, { path }: Place): ReadonlyArray<Fault> => {
  const place = { path, ast: issue.ast }
  const [similar, ...others] = issue.issues
  if (similar !== undefined && others.length === 0) return ofIssue(similar, place)
  return [faultAt(place, textAt(issue.ast.annotations) ?? mustBe(place))]
}

const ofIssue = (issue: SchemaIssue.Issue, place: Place): ReadonlyArray<Fault> => {
  switch (issue._tag) {
    case "Pointer":
      return ofIssue(issue.issue, issue.path.reduce(inside, place))
    case "Composite":
      // Several failed checks of one value are also a composite. `place` may then be a union around the value.
      return issue.issues.flatMap((each) =>
        ofIssue(each, holdsOthers(issue.ast) ? { ...place, ast: issue.ast } : place)
      )
    case "Encoding":
      return ofIssue(issue.issue, place)
    case "Filter":
      return ofCheck(issue, place)
    case "AnyOf":
      return ofUnion(issue, place)
    case "MissingKey":
      return missing(place)
    case "UnexpectedKey":
      return [faultAt(place, "is not a known field")]
    case "InvalidType":
      return [faultAt(place, textAt(issue.ast.annotations) ?? mustBe({ ...place, ast: issue.ast }))]
    case "InvalidValue":
      return [faultAt(place, textAt(issue.annotations) ?? mustBe(place))]
    case "Forbidden":
    case "OneOf":
      return [faultAt(place, mustBe(place))]
  }
}

/** Returns the faults of a decoded value in the order of the schema. `within` is the path of the value. */
export const faultsOf = (error: Schema.SchemaError, within = ""): ReadonlyArray<Fault> =>
  ofIssue(error.issue, { path: within === "" ? [] : [within], ast: undefined })

/** Returns the part of a value that a schema describes, with at most `itemsMax` items of each array. */
export const excerptOf = (ast: SchemaAST.AST, value: unknown, itemsMax: number): unknown => {
  if (ast._tag === "Union") {
    const holding = ast.types.find((type) => (Array.isArray(value) ? type._tag === "Arrays" : type._tag === "Objects"))
    return holding === undefined ? value : excerptOf(holding, value, itemsMax)
  }
  if (ast._tag === "Arrays" && Array.isArray(value)) {
    const [item] = ast.rest
    const items: ReadonlyArray<unknown> = value.slice(0, itemsMax)
    return item === undefined ? items : items.map((each) => excerptOf(item, each, itemsMax))
  }
  if (ast._tag !== "Objects" || ast.indexSignatures.length > 0 || !isObject(value)) return value
  const entries = ast.propertySignatures.flatMap(({ name, type }) =>
    typeof name === "string" && Object.hasOwn(value, name)
      ? [[name, excerptOf(type, value[name], itemsMax)] as const]
      : []
  )
  return Object.fromEntries(entries)
}
