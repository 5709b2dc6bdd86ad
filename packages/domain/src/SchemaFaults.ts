import type { Schema, SchemaAST, SchemaIssue } from "effect"
import { formOf } from "./Form.ts"
import { isObject } from "./Json.ts"

/** One wrong field of a request, and what is wrong with it. */
export interface Fault {
  /** Where: a dotted path in the body, or the name of a parameter; empty for the whole. */
  readonly field: string
  /** What is wrong, as words that follow the field's name. Never the value that was sent. */
  readonly reason: string
}

type Path = ReadonlyArray<PropertyKey>

/** A place in a value, and the schema of that place where it is known. */
interface Place {
  readonly path: Path
  readonly ast: SchemaAST.AST | undefined
}

const faultAt = ({ path }: Place, reason: string): Fault => ({ field: path.map(String).join("."), reason })

const mustBe = ({ ast }: Place): string => `must be ${ast === undefined ? "of another form" : formOf(ast)}`

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

/** What a missing value needs: itself, or the required fields of the object that it would be. */
const missing = (place: Place): ReadonlyArray<Fault> => {
  const { ast } = place
  const required =
    ast?._tag === "Objects" ? ast.propertySignatures.filter(({ type }) => type.context?.isOptional !== true) : []
  if (required.length > 0) return required.flatMap(({ name }) => missing(inside(place, name)))
  return [faultAt(place, ast === undefined ? "is required" : `is required: ${formOf(ast)}`)]
}

/** What a failed check says, else the form that was expected. */
const ofCheck = (issue: SchemaIssue.Filter, place: Place): ReadonlyArray<Fault> => {
  const message = textAt(issue.filter.annotations)
  if (message !== undefined) return [faultAt(place, message)]
  return issue.issue._tag === "InvalidValue"
    ? [faultAt(place, textAt(issue.issue.annotations) ?? mustBe(place))]
    : ofIssue(issue.issue, place)
}

/** The faults by the one member of a union that the value was meant for; else the form of the whole union. */
const ofUnion = (issue: SchemaIssue.AnyOf, { path }: Place): ReadonlyArray<Fault> => {
  const place = { path, ast: issue.ast }
  const [meant, ...others] = issue.issues
  if (meant !== undefined && others.length === 0) return ofIssue(meant, place)
  return [faultAt(place, textAt(issue.ast.annotations) ?? mustBe(place))]
}

const ofIssue = (issue: SchemaIssue.Issue, place: Place): ReadonlyArray<Fault> => {
  switch (issue._tag) {
    case "Pointer":
      return ofIssue(issue.issue, issue.path.reduce(inside, place))
    case "Composite":
      // The checks of one value are a composite too. There the place may know more: that null is taken as well.
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

/** What is wrong with a decoded value, in the order of the schema. `within` is the path of the value. */
export const faultsOf = (error: Schema.SchemaError, within = ""): ReadonlyArray<Fault> =>
  ofIssue(error.issue, { path: within === "" ? [] : [within], ast: undefined })

/** The part of a value that a schema describes, with no more items of each array than `itemsMax`. */
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
