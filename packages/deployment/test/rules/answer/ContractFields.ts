import { Effect } from "effect"
import { type Answer, at, Service } from "../../Service.ts"

/** A field of a body, as the contract describes it. */
export interface Field {
  readonly path: ReadonlyArray<string>
  readonly kind: "string" | "object" | "array" | "boolean" | "integer"
  readonly isDate: boolean
  readonly isChosen: boolean
  readonly isNullable: boolean
  readonly maxLength: number | undefined
}

const resolve = (document: Answer, schema: unknown): unknown => {
  const reference: unknown = Object(schema).$ref
  return typeof reference === "string" ? at(document, reference.slice("#/".length).replaceAll("/", ".")) : schema
}

const fieldsIn = (document: Answer, schema: unknown, path: ReadonlyArray<string>): ReadonlyArray<Field> => {
  const resolved = Object(resolve(document, schema))
  const alternatives: ReadonlyArray<unknown> = resolved.anyOf ?? [resolved]
  const [own, ...others] = alternatives
    .map((one) => Object(resolve(document, one)))
    .filter(({ type }) => type !== "null")
  if (own === undefined || others.length > 0) throw new Error(`no single kind at ${path.join(".")}`)
  const field: Field = {
    path,
    kind: own.type,
    isDate: own.format === "date",
    isChosen: own.enum !== undefined,
    isNullable: alternatives.some((one) => Object(one).type === "null"),
    maxLength: own.maxLength
  }
  const inner = Object.entries(Object(own.properties)).flatMap(([name, one]) =>
    fieldsIn(document, one, [...path, name])
  )
  return [...(path.length === 0 ? [] : [field]), ...inner]
}

const contract = Service.use(({ call }) => call({ method: "GET", path: "/openapi.json", token: null }))

const operationsOf = (document: Answer, collection: string) =>
  Object(at(document, "paths"))[`/openapi/v1/${collection}`]

/** Every field of a group's POST body, from the published contract. */
export const fieldsOf = Effect.fnUntraced(function* (collection: string) {
  const document = yield* contract
  const { content } = operationsOf(document, collection).post.requestBody
  return fieldsIn(document, content["application/json"].schema, [])
})

/** An endpoint's operation in the published contract. */
const operationAt = (document: Answer, method: string, path: string) =>
  Object(at(document, "paths"))[path.replaceAll(/:(\w+)/g, "{$1}")][method.toLowerCase()]

/** Every field of each body of a call, without the fields of items. */
export const fieldsOfBody = Effect.fnUntraced(function* (method: string, path: string) {
  const document = yield* contract
  const { content } = operationAt(document, method, path).requestBody
  const schema = resolve(document, content["application/json"].schema)
  const bodies: ReadonlyArray<unknown> = Object(schema).anyOf ?? [schema]
  return bodies.flatMap((body) => fieldsIn(document, body, []))
})

/** The names of a call's query parameters. */
export const parametersOfCall = Effect.fnUntraced(function* (path: string) {
  const document = yield* contract
  const parameters: ReadonlyArray<unknown> = operationAt(document, "get", path).parameters ?? []
  return parameters
    .map((parameter) => Object(resolve(document, parameter)))
    .filter((parameter) => parameter.in === "query")
    .map((parameter) => String(parameter.name))
})

/** A body with this value at the path. */
export const withValue = (body: unknown, [key, ...rest]: ReadonlyArray<string>, value: unknown): unknown =>
  key === undefined ? value : { ...Object(body), [key]: withValue(Object(body)[key], rest, value) }

/** A body without the value at the path. */
export const withoutValue = (body: unknown, [key = "", ...rest]: ReadonlyArray<string>): unknown => {
  if (rest.length > 0) return { ...Object(body), [key]: withoutValue(Object(body)[key], rest) }
  const { [key]: _, ...others } = Object(body)
  return others
}
