import { randomUUID } from "node:crypto"
import { isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import type { Sent } from "../load/Request.ts"

/** A call with the largest body or page that its route allows. `id` stands for an entity of the collection. */
export interface LargestCall extends Omit<Sent, "token"> {
  /** The operation of the contract, and what is large. */
  readonly name: string
  readonly collection: string
}

/** Ids of entities by collection, to fill bodies and paths. */
export type IdsOf = (collection: string, count: number) => ReadonlyArray<string>

const bodyLimit = 1024 * 1024
const batchLimit = 500
const namedLimit = 100
/** The most values of a body, without some for its frame. */
const valuesLimit = 4_900

/** A wide character, so that a text has the most bytes. */
const wide = "漢"

/** Reads schemas of an OpenAPI document. */
const makeLargest = (document: JsonObject, ids: IdsOf) => {
  const resolve = (schema: JsonValue | undefined): JsonObject => {
    const found = isObject(schema) ? schema : {}
    const reference = found["$ref"]
    if (typeof reference !== "string") return found
    const path = reference.split("/").slice(1)
    return resolve(path.reduce<JsonValue | undefined>((at, key) => (isObject(at) ? at[key] : undefined), document))
  }

  const ofPattern = (pattern: string): string => {
    if (pattern.startsWith("^wkr_")) return ids("workers", 1)[0] ?? ""
    if (pattern.startsWith("^app_")) return ids("applicants", 1)[0] ?? ""
    return randomUUID()
  }

  const textOf = (name: string, schema: JsonObject): string => {
    const { format, maxLength, pattern } = schema
    if (Array.isArray(schema["enum"])) return String(schema["enum"].at(-1))
    if (format === "date") return "2030-01-31"
    if (format === "date-time") return "2030-01-31T00:00:00Z"
    if (typeof pattern === "string") return ofPattern(pattern)
    if (/email/i.test(name)) return `${randomUUID()}@example.org`
    if (/url/i.test(name)) return `https://receiver.invalid/${"a".repeat(2_000)}`
    return wide.repeat(typeof maxLength === "number" ? maxLength : 100)
  }

  /** The largest value of a schema. Every property is there, and arrays are full. */
  const largestOf = (name: string, given: JsonValue | undefined): JsonValue => {
    const schema = resolve(given)
    const choices = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : undefined
    if (choices !== undefined)
      return largestOf(
        name,
        choices.find((one) => resolve(one)["type"] !== "null")
      )
    switch (schema["type"]) {
      case "object":
        return Object.fromEntries(
          Object.entries(isObject(schema["properties"]) ? schema["properties"] : {}).map(([key, one]) => [
            key,
            largestOf(key, one)
          ])
        )
      case "array": {
        const items = resolve(schema["items"])
        const most = typeof schema["maxItems"] === "number" ? schema["maxItems"] : namedLimit
        if (schema["uniqueItems"] === true && Array.isArray(items["enum"])) return items["enum"]
        return Array.from({ length: most }, () => largestOf(name, items))
      }
      case "integer":
      case "number":
        return typeof schema["maximum"] === "number" ? schema["maximum"] : 1
      case "boolean":
        return true
      default:
        return textOf(name, schema)
    }
  }
  return { resolve, largestOf }
}

/** Values that a schema does not determine, by operation. They replace those of the largest body. */
const known = (ids: IdsOf): Readonly<Record<string, () => JsonObject>> => {
  const [worker = "", other = ""] = ids("workers", 2)
  const [applicant = ""] = ids("applicants", 1)
  const holder = { worker: { id: worker }, applicant: undefined as never }
  const owners = { owners: { worker } }
  const register = { credentialType: "WWCC_NSW", identifier: "WWC0000000E", jurisdiction: "NSW" }
  const invited = { applicant: { id: applicant }, screeningPackageCode: ids("screening-packages", 1)[0] ?? "" }
  const requested = { worker: { id: worker }, workers: undefined as never }
  const every = (collection: string, count: number) => ids(collection, count).map((id) => ({ id }))
  const move = { from: { type: "worker", id: worker }, to: { type: "worker", id: other } }
  const provider = {
    kind: "oidc",
    oidc: { issuer: "https://idp.example.org", clientId: "wcs" },
    saml: undefined as never
  }
  const credential = () => ({ attributes: { ...register, ...owners } })
  return {
    "credentials.create": credential,
    "credentials.replace": credential,
    "credentials.link": () => ({ type: "applicant", id: applicant }),
    "credentials.unlink": () => ({ type: "applicant", id: applicant }),
    "credentials.transfer": () => move,
    "credentials.bulkLink": () => ({ to: move.to, credentialIds: [...ids("credentials", batchLimit)] }),
    "credentials.bulkTransfer": () => ({ ...move, credentialIds: [...ids("credentials", batchLimit)] }),
    "exemptions.create": () => holder,
    "exemptions.replace": () => holder,
    "recruitmentChecks.create": () => invited,
    "recruitmentChecks.replace": () => invited,
    "fetchRequests.create": () => requested,
    "fetchRequests.replace": () => requested,
    "fetchRequests.bulk": () => ({ workers: every("workers", batchLimit), worker: undefined as never }),
    "complianceChecks.evaluate": () => ({ workers: every("workers", namedLimit) }),
    "identityProviders.create": () => ({ ...provider, domains: [`${randomUUID()}.example`] }),
    "identityProviders.replace": () => provider,
    "webhooks.redrive": () => ({
      states: ["EXHAUSTED"],
      ids: undefined as never,
      from: undefined as never,
      to: undefined as never
    }),
    "users.create": () => ({ role: "Viewer" })
  }
}

const merged = (base: JsonValue, more: JsonValue): JsonValue =>
  isObject(base) && isObject(more)
    ? Object.fromEntries(
        [...new Set([...Object.keys(base), ...Object.keys(more)])].flatMap((key) => {
          if (!(key in more)) return [[key, base[key] ?? null] as const]
          const value = more[key]
          return value === undefined ? [] : [[key, merged(base[key] ?? null, value)] as const]
        })
      )
    : more

/** Bodies of the most bytes and of the most values. They are refused or understood, but always read. */
const hostile: ReadonlyArray<readonly [name: string, text: string]> = [
  ["one text of 1 MiB", JSON.stringify({ unknown: "a".repeat(bodyLimit - 64) })],
  ["text of 1 MiB that is not ASCII", JSON.stringify({ unknown: wide.repeat((bodyLimit - 64) / 3) })],
  [
    "the most values",
    JSON.stringify(Object.fromEntries(Array.from({ length: valuesLimit }, (_, n) => [`unknown${n}`, "a".repeat(180)])))
  ]
]

const pages = "pageSize=100&page_size=100"

/** The largest queries of a list. */
const queriesOf = (parameters: ReadonlyArray<string>): ReadonlyArray<string> => {
  const include = parameters.includes("include") ? ["include"] : []
  return [
    "pageSize=100&sort=createdAt:desc",
    "pageSize=100&includeTotal=true",
    ...include.map((name) => `pageSize=100&${name}=`)
  ]
}

/** Returns the largest calls of every operation of a contract that takes bearer tokens. */
export const largestCalls = (document: JsonObject, ids: IdsOf): ReadonlyArray<LargestCall> => {
  const { resolve, largestOf } = makeLargest(document, ids)
  const values = known(ids)
  const paths = isObject(document["paths"]) ? document["paths"] : {}
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(isObject(methods) ? methods : {}).flatMap(([method, operation]): ReadonlyArray<LargestCall> => {
      if (!isObject(operation)) return []
      const operationId = String(operation["operationId"])
      const collection = path.split("/")[3] ?? ""
      const call = { collection, method: method.toUpperCase(), path }
      const parameters = (Array.isArray(operation["parameters"]) ? operation["parameters"] : [])
        .map(resolve)
        .filter((one) => one["in"] === "query")
        .map((one) => String(one["name"]))
      if (method === "get" && !path.endsWith("{id}")) {
        const include = collection === "workers" ? "credentials" : "owners"
        return operationId.endsWith(".list")
          ? queriesOf(parameters).map((query) => {
              const asked = query.endsWith("=") ? query + include : query
              return { ...call, name: `${operationId}?${asked}`, path: `${path}?${asked}` }
            })
          : [
              {
                ...call,
                name: operationId,
                path:
                  parameters.length === 0 ? path : `${path}?${pages.split("&")[collection === "constituents" ? 1 : 0]}`
              }
            ]
      }
      const content = isObject(operation["requestBody"]) ? resolve(operation["requestBody"])["content"] : undefined
      const schema =
        isObject(content) && isObject(content["application/json"]) ? content["application/json"]["schema"] : undefined
      if (schema === undefined) return [{ ...call, name: operationId }]
      const body = merged(largestOf("", schema), values[operationId]?.() ?? {})
      return [
        { ...call, name: operationId, body },
        ...hostile.map(([what, text]) => ({ ...call, name: `${operationId}, ${what}`, text }))
      ]
    })
  )
}
