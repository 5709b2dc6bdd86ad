import { assert, describe, it } from "@effect/vitest"
import { endpointsOf } from "@wcs/api/Endpoints"
import { GuardOf, guard } from "@wcs/api/Guard"
import { LegacySurface } from "@wcs/api/LegacySurface"
import { Authenticate, ResolveTenant } from "@wcs/api/Middleware"
import { NewerSurface, newerRoot } from "@wcs/api/NewerSurface"
import { HttpApi, HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

class Small extends HttpApi.make("small")
  .add(
    HttpApiGroup.make("things")
      .add(
        HttpApiEndpoint.get("read", "/things/:id").annotate(GuardOf, guard("worker", "READ", "intensive")),
        HttpApiEndpoint.post("create", "/things")
      )
      .middleware(Authenticate)
      .middleware(ResolveTenant)
  )
  .add(HttpApiGroup.make("bare").add(HttpApiEndpoint.delete("remove", "/bare")))
  .prefix("/root") {}

describe("the endpoints of a contract", () => {
  it("have a path, a guard and ordered middleware", () => {
    const middleware = ["@wcs/api/ResolveTenant", "@wcs/api/Authenticate"]
    assert.deepStrictEqual(endpointsOf(Small), [
      {
        name: "things.read",
        method: "GET",
        path: "/root/things/:id",
        query: undefined,
        guard: { privileges: [{ entityType: "worker", operation: "READ" }], tier: "intensive" },
        stepUp: undefined,
        tags: { isShown: false, isCompared: false, isWhole: false },
        resource: undefined,
        table: undefined,
        isPrinted: false,
        legacyCall: undefined,
        middleware
      },
      {
        name: "things.create",
        method: "POST",
        path: "/root/things",
        query: undefined,
        guard: undefined,
        stepUp: undefined,
        tags: { isShown: false, isCompared: false, isWhole: false },
        resource: undefined,
        table: undefined,
        isPrinted: false,
        legacyCall: undefined,
        middleware
      },
      {
        name: "bare.remove",
        method: "DELETE",
        path: "/root/bare",
        query: undefined,
        guard: undefined,
        stepUp: undefined,
        tags: { isShown: false, isCompared: false, isWhole: false },
        resource: undefined,
        table: undefined,
        isPrinted: false,
        legacyCall: undefined,
        middleware: []
      }
    ])
  })

  it("TRN-04: are unique and under the versioned root on the newer surface", () => {
    const places = endpointsOf(NewerSurface).map(({ method, path }) => `${method} ${path}`)
    for (const place of places) assert.match(place, new RegExp(`^[A-Z]+ ${newerRoot}/`))
    assert.strictEqual(newerRoot, "/openapi/v1")
    assert.strictEqual(new Set(places).size, places.length)
  })

  it("TRN-03: are guarded and under /api without a version on the legacy surface", () => {
    const endpoints = endpointsOf(LegacySurface)
    for (const { path } of endpoints) assert.match(path, /^\/api\/[a-z]/)
    for (const { legacyCall, name } of endpoints) assert.isDefined(legacyCall, name)
  })
})
