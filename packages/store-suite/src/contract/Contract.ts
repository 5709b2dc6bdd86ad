import { BASIC } from "@hyperjump/json-schema/experimental"
import "@hyperjump/json-schema/formats-lite"
import { registerSchema, setShouldValidateFormat, type Validator, validate } from "@hyperjump/json-schema/openapi-3-1"
import { at, isObject, type JsonObject, type JsonValue, type Path } from "@wcs/domain/shared/Json"
import { type Reason, type Request, routeOf, routesOf } from "./Route.ts"

/** A request and its response. */
export interface Exchange extends Request {
  readonly status: number
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>
  readonly text: string
}

/** The result for an exchange: not described, with the reason, or the differences, if any. */
export type Judgement =
  | { readonly within: false; readonly reason: Reason }
  | { readonly within: true; readonly operation: string; readonly differences: ReadonlyArray<string> }

/** An OpenAPI document as a contract. */
export interface Contract {
  readonly judge: (exchange: Exchange) => Judgement
  /** The ids of all operations. */
  readonly operations: ReadonlyArray<string>
}

/** A part of a document, and its location after all references. */
interface Part {
  readonly path: Path
  readonly value: JsonValue | undefined
}

/** JSON in the form that the validator takes. */
type Instance = Parameters<Validator>[0]

const parse = (text: string): Instance | undefined => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const pointerOf = (path: Path): string =>
  path.map((key) => `/${encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))}`).join("")

let contracts = 0

/** Reads a valid OpenAPI 3.1 document. Schemas are validated by `@hyperjump/json-schema`, in OpenAPI's dialect. */
export const make = async (document: JsonObject): Promise<Contract> => {
  contracts += 1
  const root = `https://contract.example/${contracts}/openapi.json`
  setShouldValidateFormat(true)
  registerSchema(JSON.parse(JSON.stringify(document)), root, "https://spec.openapis.org/oas/3.1/schema-base")

  const part = (path: Path): Part => {
    const value = at(document, path)
    const reference = at(value, ["$ref"])
    return typeof reference === "string" ? part(reference.split("/").slice(1)) : { path, value }
  }
  const partsOf = (parent: Part, key: string): ReadonlyArray<readonly [string, Part]> => {
    const children = at(parent.value, [key])
    return isObject(children)
      ? Object.keys(children).map((name) => [name, part([...parent.path, key, name])] as const)
      : []
  }

  const validators = new Map<string, Validator>()
  const compile = async ({ path }: Part) => {
    const pointer = pointerOf(path)
    if (!validators.has(pointer)) validators.set(pointer, await validate(`${root}#${pointer}`))
  }
  const misfits = ({ path }: Part, value: Instance, called: string): ReadonlyArray<string> => {
    const output = validators.get(pointerOf(path))?.(value, BASIC)
    const errors = output === undefined || output.valid ? [] : (output.errors ?? [])
    return errors.map(
      ({ absoluteKeywordLocation: rule, instanceLocation }) =>
        `${called}${instanceLocation.slice(1)} breaks ${decodeURIComponent(rule.slice(rule.indexOf("#") + 1))}`
    )
  }

  const schemaOf = (holder: Part): Part => part([...holder.path, "schema"])

  /** A header's text, converted to a number if the schema wants one. */
  const headerValue = (schema: Part, text: string): Instance =>
    at(schema.value, ["type"]) === "integer" && /^-?\d+$/.test(text) ? Number(text) : text

  const headerDifferences = (response: Part, headers: Exchange["headers"]): ReadonlyArray<string> =>
    partsOf(response, "headers").flatMap(([name, header]) => {
      const text = headers[name.toLowerCase()]
      if (text === undefined) return at(header.value, ["required"]) === true ? [`no ${name} header`] : []
      const schema = schemaOf(header)
      return misfits(schema, headerValue(schema, text), `${name} header`)
    })

  const bodyDifferences = (response: Part, { headers, text }: Exchange): ReadonlyArray<string> => {
    const contents = partsOf(response, "content")
    if (contents.length === 0) return text === "" ? [] : ["a body, but none is described"]
    const mediaType = headers["content-type"]?.split(";", 1)[0]?.trim() ?? "no content type"
    const content = contents.find(([name]) => name === mediaType)?.[1]
    if (content === undefined) return [`a body of ${mediaType}`]
    const body = mediaType === "application/json" ? parse(text) : text
    return body === undefined ? ["a body that is not JSON"] : misfits(schemaOf(content), body, "body")
  }

  const routes = routesOf(document)
  for (const { place } of routes) {
    for (const [, response] of partsOf(part(place), "responses")) {
      for (const [, header] of partsOf(response, "headers")) await compile(schemaOf(header))
      for (const [, content] of partsOf(response, "content")) await compile(schemaOf(content))
    }
  }

  return {
    operations: routes.map(({ operation }) => operation),
    judge: (exchange) => {
      const route = routeOf(routes, exchange)
      if (typeof route === "string") return { within: false, reason: route }
      const response = part([...route.place, "responses", String(exchange.status)])
      const differences =
        response.value === undefined
          ? ["a status that is not described"]
          : [...headerDifferences(response, exchange.headers), ...bodyDifferences(response, exchange)]
      return {
        within: true,
        operation: route.operation,
        differences: differences.map((what) => `${route.operation} ${exchange.status}: ${what}`)
      }
    }
  }
}
