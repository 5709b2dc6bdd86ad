import { assert, describe, it } from "@effect/vitest"
import { endpointsOf } from "@wcs/api/Endpoints"
import { LegacySurface } from "@wcs/api/legacy/LegacySurface"
import { NewerSurface } from "@wcs/api/NewerSurface"
import { isRepeatable } from "@wcs/client/Repeatable"

const endpoints = [...endpointsOf(NewerSurface), ...endpointsOf(LegacySurface)]

/** The idempotent calls of the specification and the token calls, by method and path. */
const repeatablePosts = [
  "POST /api/users/:id/token",
  "POST /openapi/v1/credentials/:id/link",
  "POST /openapi/v1/credentials/:id/transfer",
  "POST /openapi/v1/credentials/:id/unlink",
  "POST /openapi/v1/oauth/token"
]

describe("calls that can be retried", () => {
  it("ENV-14: are GET, PUT, DELETE, link, unlink, transfer and token calls", () => {
    const told = endpoints.filter(isRepeatable).map(({ method, path }) => `${method} ${path}`)
    const byMethod = endpoints
      .filter(({ method }) => ["GET", "PUT", "DELETE"].includes(method))
      .map(({ method, path }) => `${method} ${path}`)
    assert.deepStrictEqual(told.sort(), [...byMethod, ...repeatablePosts].sort())
  })
  it("ENV-14: include no create", () => {
    const creates = endpoints.filter(({ name }) => name.endsWith(".create"))
    assert.isAbove(creates.length, 5)
    assert.deepStrictEqual(creates.filter(isRepeatable), [])
  })
  it("include no call under a condition, which would be refused after the first one succeeded", () => {
    const conditional = endpoints
      .filter(({ method }) => method !== "GET")
      .map((each) => ({ ...each, isConditional: true }))
    assert.deepStrictEqual(conditional.filter(isRepeatable), [])
  })
})
