import { assert, layer } from "@effect/vitest"
import { endpointsOf } from "@wcs/api/Endpoints"
import { LegacySurface } from "@wcs/api/LegacySurface"
import { at as inJson, isObject, type JsonObject, type JsonValue } from "@wcs/domain/shared/Json"
import { Effect } from "effect"
import { at, Service, worker } from "../../Service.ts"
import { layerService } from "../../TestService.ts"
import { goodCall, goodStatus, routes, subjects } from "../EveryRoute.ts"
import { assertRefused, assertStatus, get, patch, post, put } from "../NewerSurface.ts"

/** The served OpenAPI document. */
const document = Service.use(({ call }) =>
  Effect.map(call({ method: "GET", path: "/openapi.json", token: null }), ({ json }) => json as JsonObject)
)

const resolved = (contract: JsonObject, schema: JsonValue | undefined): JsonObject => {
  const reference = inJson(schema, ["$ref"])
  if (typeof reference === "string") return resolved(contract, inJson(contract, reference.split("/").slice(1)))
  return isObject(schema) ? schema : {}
}

/** The objects that a schema allows. */
const objectsOf = (contract: JsonObject, schema: JsonValue | undefined): ReadonlyArray<JsonObject> => {
  const { allOf, anyOf, ...own } = resolved(contract, schema)
  const parts = [allOf, anyOf].flatMap((some) => (Array.isArray(some) ? some : []))
  return [...(own["properties"] === undefined ? [] : [own]), ...parts.flatMap((part) => objectsOf(contract, part))]
}

/** The body with null in every optional field that it lacks, at any depth, and the number of these fields. */
const withNulls = (contract: JsonObject, schema: JsonValue | undefined, body: JsonValue): [JsonValue, number] => {
  if (Array.isArray(body)) {
    const items = body.map((item) => withNulls(contract, resolved(contract, schema)["items"], item))
    return [items.map(([item]) => item), items.reduce((sum, [, count]) => sum + count, 0)]
  }
  if (!isObject(body)) return [body, 0]
  const full: Record<string, JsonValue> = { ...body }
  let added = 0
  for (const { properties, required } of objectsOf(contract, schema)) {
    for (const [name, property] of Object.entries(isObject(properties) ? properties : {})) {
      const sent = body[name]
      if (sent !== undefined) {
        const [inner, count] = withNulls(contract, property, sent)
        full[name] = inner
        added += count
      } else if (!Array.isArray(required) || !required.includes(name)) {
        full[name] = null
        added += 1
      }
    }
  }
  return [full, added]
}

const bodySchemaOf = (contract: JsonObject, path: string, method: string) =>
  inJson(contract, [
    ...["paths", path.replaceAll(/:(\w+)/g, "{$1}"), method.toLowerCase()],
    ...["requestBody", "content", "application/json", "schema"]
  ])

layer(layerService(), { excludeTestServices: true })("null", (it) => {
  it.effect("DECISIONS.md#resources: counts as absent in every optional field of every body, except of PATCH", () =>
    Effect.gen(function* () {
      const contract = yield* document
      const sending = routes.filter(({ method }) => method === "POST" || method === "PUT")
      let fields = 0
      for (const route of sending) {
        const call = goodCall(route, yield* subjects)
        if (call.body === undefined) continue
        const [body, added] = withNulls(
          contract,
          bodySchemaOf(contract, route.path, route.method),
          call.body as JsonValue
        )
        const answer = yield* Service.use((service) => service.call({ ...call, body }))
        assertStatus(answer, goodStatus(route))
        assert.isUndefined(at(answer, "meta.warnings"), `${route.name} ${answer.text}`)
        fields += added
      }
      assert.isAtLeast(fields, 100)
      // The scan of the legacy surface has no optional field, so it has none to test.
      const scan = endpointsOf(LegacySurface).find(({ name }) => name === "legacy.scan")
      const [, ofScan] = withNulls(contract, bodySchemaOf(contract, scan?.path ?? "", "post"), {})
      assert.strictEqual(ofScan, 0)
    })
  )

  it.effect("WRK-02: is still refused in a required field, in the same words as another wrong type", () =>
    Effect.gen(function* () {
      for (const displayName of [null, 1]) {
        const answer = yield* post("/workers", { identity: { displayName } })
        assertRefused(answer, "INVALID_ARGUMENT", "identity.displayName must be a string")
      }
    })
  )

  it.effect("removes a field in a PATCH (RFC 7396), and clears the field in a PUT", () =>
    Effect.gen(function* () {
      const path = `/workers/${yield* worker({ identity: { displayName: "Ann", lastName: "Example" } })}`
      assertStatus(yield* patch(path, { identity: { lastName: null } }), 200)
      assert.isUndefined(at(yield* get(path), "data.identity.lastName"))
      const answer = yield* put(path, { identity: { displayName: "Ann" }, employment: null, id: null, createdAt: null })
      assertStatus(answer, 200)
      assert.isUndefined(at(answer, "meta.warnings"))
    })
  )
})
