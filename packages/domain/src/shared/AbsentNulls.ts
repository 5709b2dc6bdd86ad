import type { SchemaAST } from "effect"
import { isObject } from "./Json.ts"

const acceptsNull = (ast: SchemaAST.AST): boolean => {
  switch (ast._tag) {
    case "Null":
    case "Unknown":
    case "Any":
      return true
    case "Union":
      return ast.types.some(acceptsNull)
    default:
      return false
  }
}

const inItems = (item: SchemaAST.AST, items: ReadonlyArray<unknown>): ReadonlyArray<unknown> => {
  const kept = items.map((each) => withoutNulls(item, each))
  return kept.every((each, index) => each === items[index]) ? items : kept
}

const inFields = (ast: SchemaAST.Objects, fields: Readonly<Record<string, unknown>>) => {
  let kept = fields
  for (const { name, type } of ast.propertySignatures) {
    if (typeof name !== "string" || !Object.hasOwn(fields, name)) continue
    const value = fields[name]
    const next = withoutNulls(type, value)
    const isAbsent = value === null && type.context?.isOptional === true && !acceptsNull(type)
    if (!isAbsent && next === value) continue
    if (kept === fields) kept = { ...fields }
    if (isAbsent) delete (kept as Record<string, unknown>)[name]
    else (kept as Record<string, unknown>)[name] = next
  }
  return kept
}

/**
 * Returns the value without null in optional fields that do not accept null. Clients with typed models send null for
 * a field without a value (DECISIONS.md#resources).
 */
export const withoutNulls = (ast: SchemaAST.AST, value: unknown): unknown => {
  if (ast._tag === "Union") {
    const holding = ast.types.filter((type) => type._tag === (Array.isArray(value) ? "Arrays" : "Objects"))
    const [only, ...others] = holding
    return only === undefined || others.length > 0 ? value : withoutNulls(only, value)
  }
  if (ast._tag === "Arrays" && Array.isArray(value)) {
    const [item] = ast.rest
    return item === undefined ? value : inItems(item, value)
  }
  return ast._tag === "Objects" && isObject(value) ? inFields(ast, value) : value
}
