import { isObject } from "@wcs/domain/shared/Json"
import { SchemaAST } from "effect"

/** The keys and types of a schema, without its checks. */
export interface Shape {
  /** The shape in short. Equal for schemas of equal shape. */
  readonly text: string
  /** Whether a JSON value has exactly this shape, so that decoding would not change it. */
  readonly fits: (value: unknown) => boolean
}

const typed = (type: "string" | "number" | "boolean"): Shape => ({
  text: type,
  fits: (value) => typeof value === type
})

const oneOf = (literals: ReadonlyArray<unknown>): Shape => {
  const known = new Set(literals)
  return { text: JSON.stringify(literals), fits: (value) => known.has(value) }
}

const unionOf = ({ types }: SchemaAST.Union): Shape => {
  if (types.every(SchemaAST.isLiteral)) return oneOf(types.map(({ literal }) => literal))
  const members = types.map(shapeOf)
  return {
    text: `(${members.map(({ text }) => text).join("|")})`,
    fits: (value) => members.some(({ fits }) => fits(value))
  }
}

const listOf = ({ fits, text }: Shape): Shape => ({
  text: `${text}[]`,
  fits: (value) => Array.isArray(value) && value.every(fits)
})

const objectOf = ({ propertySignatures }: SchemaAST.Objects): Shape => {
  const members = propertySignatures.map(({ name, type }) => ({
    name: String(name),
    isOptional: type.context?.isOptional === true,
    shape: shapeOf(type)
  }))
  const texts = members.map(({ isOptional, name, shape }) => `${name}${isOptional ? "?" : ""}:${shape.text}`)
  return {
    text: `{${texts.join(",")}}`,
    fits: (value) => {
      if (!isObject(value)) return false
      let known = 0
      for (const { isOptional, name, shape } of members) {
        const inner = value[name]
        if (inner === undefined && isOptional) continue
        if (inner === undefined || !shape.fits(inner)) return false
        known++
      }
      return Object.keys(value).length === known
    }
  }
}

/**
 * Compiles the shape of a schema, because decoding takes several times as long. Throws for a schema of other types than
 * those of JSON, or with a transformation.
 */
export const shapeOf = (ast: SchemaAST.AST): Shape => {
  if (ast.encoding === undefined) {
    switch (ast._tag) {
      case "String":
        return typed("string")
      case "Number":
        return typed("number")
      case "Boolean":
        return typed("boolean")
      case "Null":
        return oneOf([null])
      case "Literal":
        return oneOf([ast.literal])
      case "Union":
        return unionOf(ast)
      case "Arrays": {
        const [item] = ast.rest
        if (item !== undefined && ast.rest.length === 1 && ast.elements.length === 0) return listOf(shapeOf(item))
        break
      }
      case "Objects":
        if (ast.indexSignatures.length === 0) return objectOf(ast)
    }
  }
  throw new Error(`stored fields cannot have the type ${ast._tag} here`)
}
