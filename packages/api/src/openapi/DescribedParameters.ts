import { at, equals, isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { type Schema, SchemaAST } from "effect"
import type { Endpoint } from "../Endpoints.ts"
import { filterTypes, typeOfText } from "../ListParameters.ts"
import { jsonSchemaOf } from "./JsonSchemaOf.ts"
import { entriesOf, mapOperations } from "./Operations.ts"

const componentOf = (document: JsonObject, schema: JsonValue | undefined): JsonValue | undefined => {
  const reference = at(schema, ["$ref"])
  return typeof reference === "string" ? at(document, reference.split("/").slice(1)) : schema
}

/** The schema of the id in the answer of the GET at a path, with or without an envelope. */
const idAt = (document: JsonObject, path: string): JsonObject | undefined => {
  const answer = at(document, ["paths", path, "get", "responses", "200", "content", "application/json", "schema"])
  const body = componentOf(document, answer)
  const data = componentOf(document, at(body, ["properties", "data"]))
  const id = at(data ?? body, ["properties", "id"])
  return isObject(id) ? id : undefined
}

/** The type of a path parameter: that of the id of the resource which the path up to the parameter names. */
const typeInPath = (document: JsonObject, path: string, name: string): JsonObject | undefined =>
  idAt(document, path.slice(0, path.indexOf(`{${name}}`) + name.length + 2))

/** The types of the query parameters of an endpoint. */
const typesInQuery = ({ query, resource }: Endpoint): Readonly<Record<string, Schema.Top>> => {
  const ast = query?.ast
  const declared = ast !== undefined && SchemaAST.isObjects(ast) ? ast.propertySignatures : []
  const types = declared.flatMap(({ name, type }) => {
    const typed = typeOfText(type)
    return typed === undefined ? [] : [[String(name), typed] as const]
  })
  return { ...Object.fromEntries(types), ...(resource === undefined ? {} : filterTypes(resource)) }
}

/** Returns a reference to the named enumeration with the same values, if there is one. */
const named = (document: JsonObject, schema: JsonObject): JsonObject => {
  const same = entriesOf(at(document, ["components", "schemas"])).find(
    ([, component]) => component["enum"] !== undefined && equals(component["enum"], schema["enum"])
  )
  return same === undefined ? schema : { $ref: `#/components/schemas/${same[0]}` }
}

/** Adds the type of each parameter: what the domain accepts, and for ids in the path, the form of the id. */
export const describeParameters =
  (endpoints: ReadonlyArray<Endpoint>) =>
  (document: JsonObject): JsonObject => {
    const known = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]))
    return mapOperations(document, (operation, { path }) => {
      const endpoint = known.get(String(operation["operationId"]))
      const types = endpoint === undefined ? {} : typesInQuery(endpoint)
      const parameters = Array.isArray(operation["parameters"]) ? operation["parameters"].filter(isObject) : []
      return {
        ...operation,
        parameters: parameters.map(({ schema, ...parameter }) => {
          const name = String(parameter["name"])
          const { description, ...text } = isObject(schema) ? schema : {}
          const { [name]: type } = types
          const typed =
            type === undefined ? typeInPath(document, path, name) : named(document, jsonSchemaOf(type).schema)
          const { description: own, ...rest } = typed ?? text
          const said = description ?? own
          return { ...parameter, ...(said === undefined ? {} : { description: said }), schema: rest }
        })
      }
    })
  }
