import { hash } from "node:crypto"
import { assert, layer } from "@effect/vitest"
import { type Endpoint, endpointsOf, resourcesOf } from "@wcs/api/Endpoints"
import { unguarded } from "@wcs/api/Guard"
import { LegacySurface } from "@wcs/api/legacy/LegacySurface"
import { NewerSurface, newerRoot } from "@wcs/api/NewerSurface"
import { shown as kinds } from "@wcs/domain/event/EventKind"
import { legacyCalls } from "@wcs/domain/legacy/LegacyAccess"
import { businessRules } from "@wcs/domain/service/Refusals"
import { errorCodes, statusOf } from "@wcs/domain/shared/ErrorCode"
import { at, isObject, type JsonValue, type Path } from "@wcs/domain/shared/Json"
import { Effect, Schema } from "effect"
import * as Deployment from "./Deployment.ts"

const Examples = Schema.Record(Schema.String, Schema.Struct({ value: Schema.Json }))

const Content = Schema.Record(
  Schema.String,
  Schema.Struct({
    schema: Schema.Json,
    example: Schema.optionalKey(Schema.Json),
    examples: Schema.optionalKey(Examples)
  })
)

const JsonDocument = Schema.Record(Schema.String, Schema.Json)

/** The parts of an operation that client generators read. */
const Operation = Schema.Struct({
  operationId: Schema.String,
  description: Schema.optionalKey(Schema.String),
  security: Schema.Array(Schema.Record(Schema.String, Schema.Array(Schema.String))),
  parameters: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({
        name: Schema.String,
        in: Schema.String,
        description: Schema.optionalKey(Schema.String),
        required: Schema.optionalKey(Schema.Boolean),
        schema: Schema.Json,
        examples: Schema.optionalKey(Examples)
      })
    )
  ),
  requestBody: Schema.optionalKey(Schema.Struct({ content: Content, required: Schema.Boolean })),
  responses: Schema.Record(
    Schema.String,
    Schema.Struct({
      content: Schema.optionalKey(Content),
      headers: Schema.optionalKey(
        Schema.Record(Schema.String, Schema.Struct({ required: Schema.optionalKey(Schema.Boolean) }))
      )
    })
  )
})

const Document = Schema.Struct({
  openapi: Schema.String,
  info: Schema.Struct({ title: Schema.String, version: Schema.String }),
  paths: Schema.Record(Schema.String, Schema.Record(Schema.String, Operation)),
  components: Schema.Struct({
    schemas: Schema.Record(Schema.String, Schema.Json),
    securitySchemes: Schema.Record(Schema.String, Schema.Json)
  })
})

/** The served document. */
const served = Effect.gen(function* () {
  const answer = yield* Deployment.call({ path: "/openapi.json" })
  assert.strictEqual(answer.status, 200)
  return yield* Schema.decodeUnknownEffect(JsonDocument)(answer.json)
})

/** The document with shared responses and parameters inlined. Schemas stay references. */
const readDocument = Effect.gen(function* () {
  const whole = yield* served
  const inPlace = (value: JsonValue): JsonValue => {
    if (Array.isArray(value)) return value.map(inPlace)
    if (!isObject(value)) return value
    const reference = value["$ref"]
    return typeof reference === "string" && !reference.startsWith("#/components/schemas/")
      ? inPlace(at(whole, reference.split("/").slice(1)) ?? null)
      : Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, inPlace(inner)]))
  }
  return yield* Schema.decodeUnknownEffect(Document)({ ...whole, paths: inPlace(whole["paths"] ?? null) })
})

/** The same, read once: it is large, and each endpoint has a test. */
const document = Effect.runSync(Effect.cached(readDocument))

const operationOf = ({ paths }: typeof Document.Type, { method, path }: Endpoint) =>
  paths[path.replaceAll(/:([^/]+)/g, "{$1}")]?.[method.toLowerCase()]

/** Returns the schemas that a part of the document refers to. */
const componentsIn = (text: string): ReadonlyArray<string> =>
  [...text.matchAll(/"#\/components\/schemas\/([^"]+)"/g)].map(([, name]) => name ?? "")

interface Property {
  readonly path: Path
  readonly schema: JsonValue
}

/** Returns every property of every schema in a part of the document, except in examples. */
const propertiesIn = (part: JsonValue, path: Path = []): ReadonlyArray<Property> => {
  if (Array.isArray(part)) return part.flatMap((one, index) => propertiesIn(one, [...path, String(index)]))
  if (!isObject(part)) return []
  return Object.entries(part).flatMap(([key, inner]) => {
    if (key === "example" || key === "examples") return []
    const here = [...path, key]
    return [...(path.at(-1) === "properties" ? [{ path: here, schema: inner }] : []), ...propertiesIn(inner, here)]
  })
}

/** Whether an endpoint reads a body. */
const sendsBody = ({ method, path }: Endpoint): boolean =>
  method !== "GET" &&
  method !== "DELETE" &&
  !/\/(rotate|enable|disable|ping|resend|remind|cancel|activate|invite|reset-second-factor|verify-domains|restore|pause|resume|test|undo|stop)$/.test(
    path
  )

/** The lists of the resources that callers name by a code, which can be used already. */
const byCode = resourcesOf(NewerSurface).flatMap(({ collection, naming }) =>
  naming.by === "code" ? [`${newerRoot}/${collection}`] : []
)

/** The statuses of each kind of endpoint (§7.1, §7.2; DECISIONS.md#resources). */
const statusesOf = (endpoint: Endpoint): ReadonlyArray<string> => {
  const { name, path } = endpoint
  if (name === "oauth.token") return ["200", "400", "401", "404", "413", "429", "500", "503"]
  const [, action = ""] = name.split(".")
  const success = { create: "201", remove: "204" }[action] ?? "200"
  const refersToOthers =
    name === "units.remove" ||
    (sendsBody(endpoint) &&
      /^(exemptions|units|workers|applicants)\.|^(credentials\.create|complianceChecks\.evaluate)$/.test(name))
  const isBulkOwnership = /^credentials\.bulk/.test(name)
  const isInvitation = /^(recruitmentChecks|fetchRequests)\.(create|replace|patch|resend|remind|cancel)$/.test(name)
  const needsAState =
    /^(complianceChecks\.matrix|workers\.proof|credentials\.(replace|patch|remove|restore|verify|review|notices|decisions)|bans\.decisions|webhooks\.(create|rotate|redrive)|identityProviders\.(create|replace|patch)|verificationSources\.create|imports\.(create|check|run|undo|remove)|duplicates\.dismiss|merges\.(merge|undo)|messages\.resend|answers\.(approve|reject)|documents\.(list|create|read|remove)|notes\.(write|setCaretaker))$/.test(
      name
    )
  const needsAUser = /^(accessTokens\.create|apiClients\.create|erasures\.erase|tasks\.assign)$/.test(name)
  const changesUsers = /^users\.(create|patch|remove|activate|reinvite|resetSecondFactor|requireFactors)$/.test(name)
  const isVersioned =
    /^(bans|workers|applicants|credentials|exemptions|screeningPackages|complianceChecks|webhooks|recruitmentChecks|fetchRequests|identityProviders|verificationSources|units|answers)\./.test(
      name
    )
  const changesOne =
    /^messages\.set(Settings|Own)$/.test(name) ||
    (isVersioned &&
      /\.(replace|patch|remove|link|unlink|transfer|review|notices|decisions|rotate|enable|disable|resend|remind|cancel|verifyDomains|restore|pause|resume|approve|reject)$/.test(
        name
      ))
  const showsOne = (isVersioned && name.endsWith(".read")) || /^messages\.(settings|own)$/.test(name)
  const isReadWhole = showsOne && /^(?!webhooks|identityProviders|verificationSources|answers|messages)/.test(name)
  const isSingleOwnership = /:id\/(link|unlink|transfer)$/.test(path)
  return [
    success,
    ...["400", "401", "403", "404", "429", "500", "503"],
    ...(sendsBody(endpoint) ? ["413", "415"] : []),
    ...(name === "changes.list" ? ["410"] : []),
    ...(changesOne || showsOne ? ["412"] : []),
    ...(isReadWhole ? ["304"] : []),
    ...(isSingleOwnership || (name.endsWith(".create") && byCode.includes(path)) ? ["409"] : []),
    ...(isSingleOwnership ||
    isBulkOwnership ||
    refersToOthers ||
    isInvitation ||
    needsAState ||
    needsAUser ||
    changesUsers
      ? ["422"]
      : [])
  ].toSorted()
}

layer(Deployment.layer(Deployment.services()), { excludeTestServices: true })("the OpenAPI document", (it) => {
  const endpoints = endpointsOf(NewerSurface)
  const legacy = endpointsOf(LegacySurface)

  it.effect("is OpenAPI 3.1 and has every endpoint of the contract exactly once", () =>
    Effect.gen(function* () {
      const read = yield* document
      assert.match(read.openapi, /^3\.1\.\d+$/)
      assert.strictEqual(read.info.title, "Workforce Compliance Service")
      const operations = Object.values(read.paths).flatMap((item) => Object.values(item))
      assert.sameMembers(
        operations.map(({ operationId }) => operationId),
        [...endpoints, ...legacy].map(({ name }) => name)
      )
      for (const endpoint of [...endpoints, ...legacy]) {
        assert.strictEqual(operationOf(read, endpoint)?.operationId, endpoint.name)
      }
    })
  )

  it.effect("AUT-01: requires a bearer token or a session for every operation except the token endpoint", () =>
    Effect.gen(function* () {
      const read = yield* document
      assert.deepStrictEqual(read.components.securitySchemes, {
        bearer: { type: "http", scheme: "bearer" },
        session: read.components.securitySchemes["session"] ?? null,
        oauth2: read.components.securitySchemes["oauth2"] ?? null,
        legacyBasic: { type: "http", scheme: "basic" },
        legacyBearer: { type: "http", scheme: "bearer" }
      })
      for (const endpoint of endpoints) {
        const isSession = endpoint.stepUp?.takesTokens === false
        const [tokens, grants] = isSession ? [[], []] : [[{ bearer: [] }], [{ oauth2: [] }]]
        const expected = unguarded.includes(endpoint.name) ? [] : [...tokens, { session: [] }, ...grants]
        assert.deepStrictEqual(operationOf(read, endpoint)?.security, expected, endpoint.name)
      }
    })
  )

  it.effect("LEG-14, LEG-15: declares Basic, Bearer or both for each legacy call", () =>
    Effect.gen(function* () {
      const read = yield* document
      const schemes = { Basic: { legacyBasic: [] }, Bearer: { legacyBearer: [] } }
      for (const endpoint of legacy) {
        const accepted = legacyCalls[endpoint.legacyCall ?? "scan"].schemes.map((scheme) => schemes[scheme])
        assert.deepStrictEqual(operationOf(read, endpoint)?.security, accepted, endpoint.name)
      }
    })
  )

  it.effect("LEG-26: declares the legacy error form at every error status", () =>
    Effect.gen(function* () {
      const read = yield* document
      const always = ["200", "401", "403", "404", "429", "500", "503"]
      for (const endpoint of legacy) {
        const { responses = {} } = operationOf(read, endpoint) ?? {}
        const reads = { "legacy.scan": ["400", "413", "415"], "legacy.constituents": ["400"] }[endpoint.name] ?? []
        assert.includeMembers(Object.keys(responses), [...always, ...reads], endpoint.name)
        for (const [status, response] of Object.entries(responses)) {
          const schema = response.content?.["application/json"]?.schema
          if (status !== "200") assert.deepStrictEqual(schema, { $ref: `#/components/schemas/LegacyError${status}` })
        }
      }
    })
  )

  it.effect.each(endpoints)("ENV-02: declares exactly the statuses of $name", (endpoint) =>
    Effect.gen(function* () {
      const declared = operationOf(yield* document, endpoint)?.responses ?? {}
      assert.deepStrictEqual(Object.keys(declared).toSorted(), statusesOf(endpoint))
    })
  )

  it.effect("ENV-03: declares the error envelope with the codes of each status", () =>
    Effect.gen(function* () {
      const read = yield* document
      for (const endpoint of endpoints.filter(({ name }) => name !== "oauth.token")) {
        for (const [status, response] of Object.entries(operationOf(read, endpoint)?.responses ?? {})) {
          if (Number(status) < 400 || status === "401") continue
          const text = JSON.stringify(response.content?.["application/json"]?.schema)
          const named = componentsIn(text)
          const possible: ReadonlyArray<string> = errorCodes.filter((code) => statusOf(code) === Number(status))
          assert.isNotEmpty(named, `${endpoint.name} ${status}`)
          for (const name of named) assert.include(possible, name, `${endpoint.name} ${status}`)
        }
      }
      const forbidden = JSON.stringify(read.components.schemas["FORBIDDEN"])
      for (const word of ["error", "code", "message", "requestId"]) assert.include(forbidden, `"${word}"`)
    })
  )

  it.effect("AUT-07: declares the 401 without a code", () =>
    Effect.gen(function* () {
      const read = yield* document
      const shown = JSON.stringify(read.components.schemas["Unauthorized"])
      assert.include(shown, "Unauthorized to perform this action")
      assert.notInclude(shown, '"code"')
      for (const endpoint of endpoints.filter(({ guard }) => guard !== undefined)) {
        assert.deepStrictEqual(operationOf(read, endpoint)?.responses["401"]?.content?.["application/json"]?.schema, {
          $ref: "#/components/schemas/Unauthorized"
        })
      }
    })
  )

  it.effect(
    "TRN-08: declares forms only at the token endpoint, CSV at the import, bytes at documents, JSON elsewhere, and merge-patch for PATCH",
    () =>
      Effect.gen(function* () {
        const read = yield* document
        for (const endpoint of endpoints) {
          const types = Object.keys(operationOf(read, endpoint)?.requestBody?.content ?? {}).toSorted()
          const { method, name } = endpoint
          const form = {
            ...{ "oauth.token": ["application/x-www-form-urlencoded"], "imports.create": ["text/csv"] },
            "documents.create": ["application/octet-stream"]
          }[name]
          const json = method === "PATCH" ? ["application/json", "application/merge-patch+json"] : ["application/json"]
          assert.deepStrictEqual(types, form ?? (sendsBody(endpoint) ? json : []), name)
        }
      })
  )

  it.effect("DECISIONS.md#resources: allows unknown fields in request bodies at any depth", () =>
    Effect.gen(function* () {
      const read = yield* document
      const { schemas } = read.components
      const sent = endpoints.flatMap((endpoint) => operationOf(read, endpoint)?.requestBody ?? [])
      assert.lengthOf(sent, endpoints.filter(sendsBody).length)
      const parts = sent.map((body) => JSON.stringify(body))
      for (const part of parts) {
        for (const name of componentsIn(part)) {
          const component = JSON.stringify(schemas[name])
          if (!parts.includes(component)) parts.push(component)
        }
      }
      assert.include(parts, JSON.stringify(schemas["OwnerReference"]))
      for (const part of parts) assert.notInclude(part, '"additionalProperties":false')
      // Responses still forbid undeclared fields.
      for (const name of ["Worker", "Applicant", "Credential"]) {
        assert.include(JSON.stringify(schemas[name]), '"additionalProperties":false', name)
      }
    })
  )

  it.effect("declares include only on reads that name other records, and its result as optional", () =>
    Effect.gen(function* () {
      const read = yield* document
      const including = endpoints.filter((endpoint) =>
        operationOf(read, endpoint)?.parameters?.some(({ in: place, name }) => place === "query" && name === "include")
      )
      assert.sameMembers(
        including.map(({ name }) => name),
        [
          ...["workers.list", "workers.read", "credentials.list", "credentials.read", "changes.list"],
          ...["exemptions.list", "bans.list", "recruitmentChecks.list", "fetchRequests.list", "auditEvents.list"]
        ]
      )
      const { properties, required } = Object(read.components.schemas["Worker"])
      assert.include(JSON.stringify(properties.credentials), "#/components/schemas/Credential")
      assert.includeMembers(required, ["id", "identity"])
      assert.notInclude(required, "credentials")
      const credential = Object(read.components.schemas["Credential"])
      assert.property(credential.properties, "owners")
      assert.notInclude(credential.required, "owners")
    })
  )

  it.effect("marks exactly the optional bodies as optional", () =>
    Effect.gen(function* () {
      const read = yield* document
      const optional = endpoints.filter((endpoint) => operationOf(read, endpoint)?.requestBody?.required === false)
      assert.deepStrictEqual(optional.map(({ name }) => name).toSorted(), [
        "answers.approve",
        "complianceChecks.evaluate",
        "credentials.verify",
        "imports.check",
        "imports.run",
        "webhooks.redrive"
      ])
    })
  )

  it.effect("RID-01, RTL-01, RTL-04, AUT-07, WRK-02, CRD-01: declares the headers of every response", () =>
    Effect.gen(function* () {
      const read = yield* document
      const ofAll = ["X-Request-Id", "X-Client-Request-Id", "X-RateLimit-Limit", "X-RateLimit-Remaining"]
      for (const endpoint of endpoints) {
        for (const [status, { headers }] of Object.entries(operationOf(read, endpoint)?.responses ?? {})) {
          const isCreated = endpoint.name.endsWith(".create") && status === "201"
          const expected = [
            ...[...ofAll, "X-RateLimit-Reset"],
            ...(status === "401" ? ["WWW-Authenticate"] : []),
            ...(status === "429" || status === "503" ? ["Retry-After"] : []),
            ...(isCreated ? ["Location"] : []),
            ...(endpoint.tags.isShown && ["200", "201", "304"].includes(status) ? ["ETag"] : [])
          ]
          assert.sameMembers(Object.keys(headers ?? {}), expected, `${endpoint.name} ${status}`)
          assert.strictEqual(headers?.["X-Request-Id"]?.required, true)
          assert.isUndefined(headers?.["X-Client-Request-Id"]?.required)
          assert.strictEqual(headers?.["X-RateLimit-Limit"]?.required, true, status)
        }
      }
    })
  )

  it.effect("PRV-01: describes the required privileges of every guarded operation", () =>
    Effect.gen(function* () {
      const read = yield* document
      for (const endpoint of endpoints) {
        const said = operationOf(read, endpoint)?.description ?? ""
        const { privileges, tier } = endpoint.guard ?? { privileges: [], tier: "" }
        for (const { entityType, operation } of privileges) assert.include(said, `${entityType} ${operation}`)
        if (endpoint.guard !== undefined && privileges.length === 0) assert.include(said, "no privilege", endpoint.name)
        assert.include(said, tier, endpoint.name)
        assert.strictEqual(said === "", endpoint.guard === undefined, endpoint.name)
      }
    })
  )

  it.effect("names every body schema and has no duplicates", () =>
    Effect.gen(function* () {
      const read = yield* document
      for (const endpoint of endpoints) {
        const { requestBody, responses } = operationOf(read, endpoint) ?? {}
        const sent = endpoint.name === "imports.create" ? undefined : requestBody?.content // a plain text
        const contents = [sent, ...Object.values(responses ?? {}).map(({ content }) => content)]
        const structured = contents
          .flatMap((content) => Object.entries(content ?? {}))
          .filter(([type]) => type !== "application/octet-stream")
        for (const [, { schema }] of structured) {
          const named: JsonValue = isObject(schema) ? (schema["anyOf"] ?? [schema]) : []
          assert.isNotEmpty(named, endpoint.name)
          for (const one of Array.isArray(named) ? named : []) {
            assert.deepStrictEqual(Object.keys(one), ["$ref"], `a body of ${endpoint.name} has no identifier`)
          }
        }
      }
      const { components, paths } = yield* served
      assert.deepStrictEqual(
        Object.keys(read.components.schemas).filter((name) => /_\d$/.test(name)),
        []
      )
      for (const kind of ["responses", "parameters", "headers"]) assert.isNotEmpty(Object(components)[kind], kind)
      const withoutExamples = JSON.stringify(paths, (key, value) => (/^examples?$/.test(key) ? undefined : value))
      assert.isBelow(withoutExamples.length / endpoints.length, 1700)
    })
  )

  it.effect("describes every property at any depth, in at least three words", () =>
    Effect.gen(function* () {
      const properties = propertiesIn(yield* served)
      assert.isAtLeast(properties.length, 1000)
      const hasThreeWords = (description: JsonValue | undefined) => /^\S+( \S+){2,}$/.test(String(description))
      assert.deepStrictEqual(
        properties
          .filter(({ schema }) => !hasThreeWords(at(schema, ["description"])))
          .map(({ path }) => path.join(".")),
        []
      )
    })
  )

  it.effect("ENV-03, OAU-15: says of every error code when it occurs and what to do", () =>
    Effect.gen(function* () {
      const description = String(at(yield* served, ["info", "description"]))
      const rows = description.split("\n").filter((line) => /^\| [\d, ]+ \| `/.test(line))
      const oauth = { unsupported_grant_type: "400", invalid_request: "400, 404, 413", invalid_client: "401" }
      const others = { temporarily_unavailable: "429, 503", server_error: "500" }
      const expected = [
        ...errorCodes.map((code) => [String(statusOf(code)), code] as const),
        ...Object.entries({ ...oauth, ...others }).map(([code, status]) => [status, code] as const)
      ]
      assert.lengthOf(rows, expected.length)
      for (const [index, [status, code]] of expected.entries()) {
        assert.isTrue(rows[index]?.startsWith(`| ${status} | \`${code}\` | `), rows[index])
      }
      for (const { remedy, when } of Object.values(businessRules)) {
        assert.include(description, `\n| ${when} | ${remedy} |\n`)
      }
    })
  )

  it.effect("shows an example of every body", () =>
    Effect.gen(function* () {
      const read = yield* document
      for (const endpoint of [...endpoints, ...legacy]) {
        const { requestBody, responses } = operationOf(read, endpoint) ?? {}
        const contents = Object.entries(responses ?? {}).map(([status, { content }]) => [status, content] as const)
        for (const [place, content] of [["request", requestBody?.content] as const, ...contents]) {
          for (const { example, examples, schema } of Object.values(content ?? {})) {
            const union = isObject(schema) && Array.isArray(schema["anyOf"]) ? schema["anyOf"].length : 1
            const shown = example === undefined ? Object.keys(examples ?? {}).length : 1
            assert.strictEqual(shown, union, `${endpoint.name} ${place}`)
          }
        }
      }
    })
  )

  it.effect("has no limits of JavaScript's integers", () =>
    Effect.gen(function* () {
      assert.notInclude(JSON.stringify(yield* served), String(Number.MAX_SAFE_INTEGER))
    })
  )

  it.effect("DECISIONS.md#resources: marks the fields that the server sets as read-only", () =>
    Effect.gen(function* () {
      const { components } = yield* document
      for (const resource of resourcesOf(NewerSurface)) {
        const schema = Object.entries(components.schemas).find(
          ([name, one]) =>
            !name.startsWith("Owning") && String(at(one as JsonValue, ["properties", "type", "enum"])) === resource.type
        )?.[1]
        const fields = [["id"], ["createdAt"], ["updatedAt"], ...resource.computed]
        for (const field of fields) {
          const path = field.flatMap((name) => ["properties", name])
          const property = at(schema as JsonValue, path)
          if (property !== undefined) assert.isTrue(at(property, ["readOnly"]), `${resource.type} ${field}`)
        }
      }
      const write = components.schemas["CredentialWrite"] as JsonValue
      const attributes = ["properties", "attributes", "properties"]
      assert.isTrue(at(write, [...attributes, "eligibility", "readOnly"]))
      assert.isUndefined(at(write, [...attributes, "identifier", "readOnly"]))
    })
  )

  it.effect("§6: describes the request of every kind of event, with its headers", () =>
    Effect.gen(function* () {
      const { components, webhooks } = yield* served
      assert.sameMembers(
        Object.keys(Object(webhooks)),
        kinds.map(({ kind }) => kind)
      )
      for (const { kind } of kinds) {
        const operation = at(webhooks, [kind, "post"])
        const { example, schema } = Object(at(operation, ["requestBody", "content", "application/json"]))
        const body = at(components, ["schemas", String(schema.$ref).split("/").at(-1) ?? ""])
        assert.deepStrictEqual(at(body, ["properties", "type", "enum"]), [kind])
        assert.strictEqual(example.type, kind)
        const parameters = Array.from(Object(operation).parameters as Iterable<{ readonly $ref: string }>)
        assert.includeMembers(
          parameters.map(({ $ref }) => at(components, ["parameters", $ref.split("/").at(-1) ?? "", "name"])),
          ["webhook-id", "webhook-timestamp", "webhook-signature", "x-service-delivery"]
        )
      }
    })
  )

  it.effect("describes a merge patch as the PUT body with optional and nullable fields", () =>
    Effect.gen(function* () {
      const { WorkerPatch } = (yield* document).components.schemas
      const { properties, required } = Object(WorkerPatch)
      assert.isUndefined(required)
      assert.deepStrictEqual(properties.identity.anyOf[1], { type: "null" })
      const { anyOf, description } = properties.identity.anyOf[0].properties.birthDate
      assert.deepStrictEqual(anyOf, [{ $ref: "#/components/schemas/CalendarDate" }, { type: "null" }])
      assert.match(description, /^Date of birth/)
    })
  )

  it.effect("declares the type of query parameters", () =>
    Effect.gen(function* () {
      const read = yield* document
      const schemaOf = (path: string, name: string) =>
        read.paths[path]?.["get"]?.parameters?.find((parameter) => parameter.name === name)?.schema
      assert.deepStrictEqual(schemaOf("/openapi/v1/workers", "pageSize"), {
        type: "integer",
        minimum: 1,
        default: 25
      })
      assert.deepStrictEqual(schemaOf("/openapi/v1/workers", "includeTotal"), { type: "boolean", default: false })
      assert.deepStrictEqual(schemaOf("/openapi/v1/applicants", "externalId"), { type: "string" })
      assert.include(JSON.stringify(schemaOf("/openapi/v1/applicants", "status")), '"SCREENING"')
      assert.deepStrictEqual(schemaOf("/openapi/v1/credentials", "eligibility"), {
        $ref: "#/components/schemas/Eligibility"
      })
      const sorts = ["createdAt", "updatedAt", "id", "credentialType", "expiryDate"]
      assert.deepStrictEqual(schemaOf("/openapi/v1/credentials", "sort"), {
        type: "string",
        enum: sorts.flatMap((field) => [`${field}:asc`, `${field}:desc`]),
        default: "createdAt:asc"
      })
      for (const operation of Object.values(read.paths).flatMap((item) => Object.values(item))) {
        for (const { description, name } of operation.parameters ?? []) {
          if (name !== "id") assert.isString(description, `${operation.operationId} ${name}`)
        }
      }
    })
  )

  it.effect("is served without token and tenant, like the reference page and the keys", () =>
    Effect.gen(function* () {
      const page = yield* Deployment.call({ path: "/docs", headers: { host: "nowhere.example" } })
      assert.strictEqual(page.status, 200)
      assert.match(page.headers["content-type"] ?? "", /^text\/html/)
      assert.strictEqual(page.headers["x-frame-options"], "DENY")
      const policy = page.headers["content-security-policy"] ?? ""
      const scripts = Array.from(page.text.matchAll(/<script[^>]*>(.*?)<\/script>/gs), ([, script = ""]) => script)
      assert.isAtLeast(scripts.length, 2)
      for (const script of scripts) assert.include(policy, `'sha256-${hash("sha256", script, "base64")}'`)
      for (const directive of ["default-src 'none'", "connect-src 'self'", "frame-ancestors 'none'"]) {
        assert.include(policy.split("; "), directive)
      }
      assert.notMatch(policy, /script-src[^;]*(unsafe|https?:|\*)/)
      const keys = yield* Deployment.call({ path: "/.well-known/jwks.json", headers: { host: "nowhere.example" } })
      assert.strictEqual(keys.status, 200)
      assert.include(keys.text, '"kty":"OKP"')
      assert.notMatch(keys.text, /"d":/)
      const urlsAt = Effect.fnUntraced(function* (host: string) {
        const answer = yield* Deployment.call({ path: "/openapi.json", headers: { host } })
        assert.strictEqual(answer.status, 200)
        const flow = ["components", "securitySchemes", "oauth2", "flows", "clientCredentials", "tokenUrl"]
        const contract = answer.json as JsonValue
        return [Object(at(contract, ["servers"]))[0].url, at(contract, flow)]
      })
      const tokenPath = `${newerRoot}/oauth/token`
      assert.deepStrictEqual(yield* urlsAt("acme.example:8443"), [
        "https://acme.example:8443",
        `https://acme.example:8443${tokenPath}`
      ])
      assert.deepStrictEqual(yield* urlsAt('x"y'), ["/", tokenPath])
    })
  )
})
