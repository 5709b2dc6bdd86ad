import { addressOf } from "@wcs/console/calls/Call"
import { assert, it } from "vitest"

it("puts ids into the path and leaves empty parameters out", () => {
  const hostile = "../users?a=b#c"
  const query = { query: "a b&c", cursor: undefined, status: "" }
  assert.strictEqual(
    addressOf("GET /workers/:id", { params: { id: hostile }, query }),
    `/openapi/v1/workers/${encodeURIComponent(hostile)}?query=a+b%26c`
  )
  assert.strictEqual(addressOf("GET /workers", {}), "/openapi/v1/workers")
  const repeated = { query: { workerId: ["wkr_1", "wkr_2"], checkId: [] } }
  assert.strictEqual(
    addressOf("GET /compliance-matrix", repeated),
    "/openapi/v1/compliance-matrix?workerId=wkr_1&workerId=wkr_2"
  )
})
