import { randomUUID } from "node:crypto"
import { dayAt, defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
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
const bulkFetchLimit = 50
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
    if (format === "date") return name === "birthDate" ? "1990-01-31" : "2030-01-31"
    if (format === "date-time") return "2030-01-31T00:00:00Z"
    if (/email/i.test(name)) return `${randomUUID()}@example.org`
    if (typeof pattern === "string") return ofPattern(pattern)
    if (/url/i.test(name)) return `https://receiver.invalid/${"a".repeat(2_000)}`
    return wide.repeat(typeof maxLength === "number" ? maxLength : 100)
  }

  /** Whether only the server sets a property. A PATCH with another value of it is refused. */
  const isReadOnly = (schema: JsonObject): boolean => {
    const choices = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : []
    return [schema, ...choices].some((one) => isObject(one) && one["readOnly"] === true)
  }

  /** The largest value of a schema. Every property that a caller can write is there, and arrays are full. */
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
          Object.entries(isObject(schema["properties"]) ? schema["properties"] : {})
            .filter(([, one]) => !isReadOnly(resolve(one)))
            .map(([key, one]) => [key, largestOf(key, one)])
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

/** A part of a body. An undefined value leaves the property out. */
interface Values {
  readonly [key: string]: JsonValue | Values | undefined
}

/** Values that a schema does not determine, by operation. They replace those of the largest body. */
const knownValues = (ids: IdsOf): Readonly<Record<string, Values>> => {
  const [worker = "", other = ""] = ids("workers", 2)
  const [applicant = ""] = ids("applicants", 1)
  const unitless = { unit: undefined }
  const email = () => ({ ...unitless, emailAddress: `${randomUUID()}@example.org` })
  const byId = (id: string): Values => ({ id, externalId: undefined })
  const every = (collection: string, count: number) => ids(collection, count).map((id) => ({ id }))
  const holder = { worker: byId(worker), applicant: undefined }
  const invited = { applicant: byId(applicant), screeningPackageCode: ids("screening-packages", 1)[0] ?? "" }
  const requested = { worker: byId(worker), workers: undefined }
  const provider: Values = {
    kind: "oidc",
    oidc: { issuer: "https://idp.example.org", clientId: "wcs", clientSecret: undefined, emailClaim: undefined },
    saml: undefined,
    metadata: undefined,
    required: undefined,
    domains: [`${randomUUID()}.example`]
  }
  const fixed = { code: undefined }
  const visible = { secret: "s".repeat(4096) }
  return {
    "workers.create": unitless,
    "workers.replace": unitless,
    "workers.patch": unitless,
    "units.create": { parent: undefined },
    "units.replace": { parent: undefined },
    "units.patch": { parent: undefined },
    "applicants.create": email(),
    "applicants.replace": email(),
    "applicants.patch": email(),
    "exemptions.create": holder,
    "exemptions.replace": holder,
    "exemptions.patch": holder,
    "screeningPackages.replace": fixed,
    "screeningPackages.patch": fixed,
    "complianceChecks.replace": fixed,
    "complianceChecks.patch": fixed,
    "recruitmentChecks.create": invited,
    "recruitmentChecks.replace": invited,
    "recruitmentChecks.patch": invited,
    "fetchRequests.create": requested,
    "fetchRequests.replace": requested,
    "fetchRequests.patch": requested,
    "fetchRequests.bulk": { workers: every("workers", bulkFetchLimit), worker: undefined },
    "complianceChecks.evaluate": { workers: every("workers", namedLimit) },
    "identityProviders.create": provider,
    "identityProviders.replace": provider,
    "identityProviders.patch": { ...provider, kind: undefined },
    "verificationSources.create": visible,
    "verificationSources.replace": visible,
    "verificationSources.patch": { ...visible, credentialType: undefined },
    "notes.write": { about: worker, mentions: undefined },
    "notes.setCaretaker": { caretaker: null },
    // The deployment sends no messages.
    "messages.setSettings": { enabled: false, timeOfDay: "07:00" },
    "webhooks.redrive": { states: ["EXHAUSTED"], deliveryIds: undefined, from: undefined, to: undefined },
    "credentials.verify": { correlationId: "largest" },
    "credentials.review": { statusDetail: "VALID" },
    "credentials.notices": { statusDetail: "VALID", issuedOn: "2020-01-31" },
    "credentials.decisions": { outcome: "MAY_ENGAGE", endsOn: dayAt(Date.now(), defaultTimeZone) },
    "credentials.bulkLink": {
      to: { type: "worker", id: other },
      from: undefined,
      credentialIds: [...ids("credentials", batchLimit)]
    },
    "credentials.bulkTransfer": {
      from: { type: "worker", id: worker },
      to: { type: "worker", id: other },
      credentialIds: [...ids("credentials", batchLimit)]
    }
  }
}

/** Whole bodies by operation, where few fields can be written. */
const knownBodies = (ids: IdsOf): Readonly<Record<string, JsonObject>> => {
  const [worker = "", other = ""] = ids("workers", 2)
  const [applicant = ""] = ids("applicants", 1)
  const owner = { type: "applicant", id: applicant }
  const holder = { lastName: "Example", birthDate: "1990-04-01" }
  const register = { credentialType: "WWCC_NSW", identifier: "WWC1234567E", jurisdiction: "NSW", holder }
  const credential = { attributes: { ...register, category: wide.repeat(100), owners: { worker } } }
  return {
    "credentials.create": credential,
    "credentials.replace": credential,
    "credentials.patch": { attributes: { category: wide.repeat(99) } },
    "credentials.link": owner,
    "credentials.unlink": owner,
    "credentials.transfer": { from: { type: "worker", id: worker }, to: { type: "worker", id: other } }
  }
}

const merged = (base: JsonValue | undefined, more: Values | JsonValue): JsonValue => {
  if (!isObject(more)) return more as JsonValue
  const known: Values = more
  const kept = Object.entries(isObject(base) ? base : {}).filter(([key]) => !(key in known))
  const others = Object.entries(known).flatMap(([key, value]) =>
    value === undefined ? [] : [[key, merged(isObject(base) ? base[key] : undefined, value)] as const]
  )
  return Object.fromEntries([...kept, ...others])
}

/** Bodies of the most bytes and of the most values. They are refused or understood, but always read. */
const hostile: ReadonlyArray<readonly [name: string, text: string]> = [
  ["one text of 1 MiB", JSON.stringify({ unknown: "a".repeat(bodyLimit - 64) })],
  ["text of 1 MiB that is not ASCII", JSON.stringify({ unknown: wide.repeat((bodyLimit - 64) / 3) })],
  [
    "the most values",
    JSON.stringify(Object.fromEntries(Array.from({ length: valuesLimit }, (_, n) => [`unknown${n}`, "a".repeat(180)])))
  ]
]

const pageSizes = ["pageSize", "page_size"]

/** The largest queries of a list. */
const queriesOf = (parameters: ReadonlyArray<string>): ReadonlyArray<string> => {
  const further = { sort: "createdAt:desc", includeTotal: "true", include: "" }
  return Object.entries(further)
    .filter(([name]) => parameters.includes(name))
    .map(([name, value]) => `pageSize=100&${name}=${value}`)
}

/** The values of `include`; `owners` for others. */
const included: Readonly<Record<string, string>> = {
  workers: "credentials",
  changes: "auditEvents",
  "audit-events": "changes"
}

/** Returns the largest calls of every operation of a contract that takes bearer tokens. */
export const largestCalls = (document: JsonObject, ids: IdsOf): ReadonlyArray<LargestCall> => {
  const { resolve, largestOf } = makeLargest(document, ids)
  const values = knownValues(ids)
  const bodies = knownBodies(ids)
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
        const include = included[collection] ?? "owners"
        return operationId.endsWith(".list") && operationId !== "credentialTypes.list"
          ? queriesOf(parameters).map((query) => {
              const about = parameters.includes("about") ? `about=${ids("workers", 1)[0]}&` : ""
              const asked = about + (query.endsWith("=") ? query + include : query)
              return { ...call, name: `${operationId}?${asked}`, path: `${path}?${asked}` }
            })
          : [
              {
                ...call,
                name: operationId,
                path: [
                  path,
                  ...pageSizes.filter((name) => parameters.includes(name)).map((name) => `${name}=100`)
                ].join("?")
              }
            ]
      }
      const content = isObject(operation["requestBody"]) ? resolve(operation["requestBody"])["content"] : undefined
      const schema =
        isObject(content) && isObject(content["application/json"]) ? content["application/json"]["schema"] : undefined
      if (schema === undefined) return [{ ...call, name: operationId }]
      const body = bodies[operationId] ?? merged(largestOf("", schema), values[operationId] ?? {})
      return [
        { ...call, name: operationId, body },
        ...hostile.map(([what, text]) => ({ ...call, name: `${operationId}, ${what}`, text }))
      ]
    })
  )
}
