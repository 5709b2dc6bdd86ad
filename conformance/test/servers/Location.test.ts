import { assert, describe, it } from "@effect/vitest"
import { formOf, pathTo } from "@wcs/conformance/walks/resource/Location"

const requested = "https://t1.example/openapi/v1/credentials"

describe("a Location (SIL-29)", () => {
  it("is followed in any form when it stays on the surface", () => {
    for (const [location, form] of [
      ["https://t1.example/openapi/v1/credentials/cred_1", "absolute"],
      ["//t1.example/openapi/v1/credentials/cred_1", "absolute"],
      ["/openapi/v1/credentials/cred_1", "path"],
      ["credentials/cred_1", "relative"]
    ] as const) {
      assert.strictEqual(formOf(location), form)
      assert.strictEqual(pathTo(location, requested), "/credentials/cred_1", location)
    }
  })

  it("is not followed to another host or surface, because the token would go with it", () => {
    for (const location of [
      "https://t2.example/openapi/v1/credentials/cred_1",
      "http://t1.example/openapi/v1/credentials/cred_1",
      "//t2.example/openapi/v1/x",
      "/api/users/me",
      "/openapi/v1/../../api/users/me",
      "https://"
    ]) {
      assert.isUndefined(pathTo(location, requested), location)
    }
  })
})
