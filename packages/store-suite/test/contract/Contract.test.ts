import { type Exchange, make } from "@wcs/store-suite/contract/Contract"
import type { Reason } from "@wcs/store-suite/contract/Route"
import { assert, describe, it } from "vitest"

const answer = {
  description: "One.",
  headers: { "X-Left": { $ref: "#/components/headers/X-Left" }, "X-Hint": { schema: { type: "string" } } },
  content: { "application/json": { schema: { $ref: "#/components/schemas/One" } } }
}

const document = {
  openapi: "3.1.0",
  info: { title: "test", version: "1" },
  paths: {
    "/things/{id}": {
      get: { operationId: "read", responses: { "200": { $ref: "#/components/responses/One" } } },
      delete: { operationId: "remove", responses: { "204": { description: "Gone." } } }
    },
    "/things/all": { get: { operationId: "all", responses: { "200": { description: "Nothing." } } } }
  },
  components: {
    headers: { "X-Left": { required: true, schema: { type: "integer", minimum: 0 } } },
    responses: { One: answer },
    schemas: {
      One: {
        type: "object",
        properties: { day: { type: "string", format: "date" } },
        required: ["day"],
        additionalProperties: false
      }
    }
  }
}

const fitting: Exchange = {
  method: "GET",
  url: "https://x.example/things/1?a=b",
  headerBytes: 100,
  status: 200,
  headers: { "content-type": "application/json; charset=utf-8", "x-left": "3" },
  text: '{"day":"2026-02-28"}'
}

const contract = make(document)
const judged = async (changed: Partial<Exchange>) => (await contract).judge({ ...fitting, ...changed })
const { "x-left": _left, ...withoutLeft } = fitting.headers

describe("an exchange that a document describes", () => {
  it("has no difference if it is as described", async () => {
    assert.deepStrictEqual(await judged({}), { within: true, operation: "read", differences: [] })
  })

  it.each<[string, Partial<Exchange>, string]>([
    ["status", { status: 418 }, "a status that is not described"],
    ["missing header", { headers: withoutLeft }, "no X-Left header"],
    ["malformed header", { headers: { ...fitting.headers, "x-left": "few" } }, "X-Left header breaks /components/"],
    ["header out of range", { headers: { ...fitting.headers, "x-left": "-1" } }, "X-Left header breaks /components/"],
    ["type of content", { headers: { ...fitting.headers, "content-type": "text/html" } }, "a body of text/html"],
    ["no type of content", { headers: { "x-left": "3" } }, "a body of no content type"],
    ["no JSON", { text: "{" }, "a body that is not JSON"],
    ["missing field", { text: "{}" }, "body breaks /components/schemas/One/required"],
    ["format", { text: '{"day":"2026-02-30"}' }, "body/day breaks /components/schemas/One/properties/day/format"],
    [
      "field that is not described",
      { text: '{"day":"2026-02-28","x":1}' },
      "body/x breaks /components/schemas/One/additionalProperties"
    ]
  ])("is reported for its %s", async (_name, changed, difference) => {
    const judgement = await judged(changed)
    if (!judgement.within) throw new Error(judgement.reason)
    assert.lengthOf(judgement.differences, 1)
    assert.include(judgement.differences[0], `read ${changed.status ?? 200}: ${difference}`)
  })

  it("is reported for a body if none is described", async () => {
    const gone = { method: "DELETE", status: 204, text: "" }
    assert.deepStrictEqual(await judged(gone), { within: true, operation: "remove", differences: [] })
    assert.deepStrictEqual(await judged({ ...gone, text: "{}" }), {
      within: true,
      operation: "remove",
      differences: ["remove 204: a body, but none is described"]
    })
  })

  it("is matched to a concrete path before a template", async () => {
    assert.deepInclude(await judged({ url: "https://x.example/things/all", text: "" }), { operation: "all" })
  })
})

describe("a request that a document does not describe", () => {
  it.each<[Reason, Partial<Exchange>]>([
    ["plain HTTP", { url: "http://x.example/things/1" }],
    ["more than 8 KiB of path and query", { url: `https://x.example/things/${"1".repeat(8200)}` }],
    ["more than 16 KiB of headers", { headerBytes: 17_000 }],
    ["URL is not in its normal form", { url: "https://x.example/things/1#/2" }],
    ["URL is not in its normal form", { url: "https://x.example/things/../things/1" }],
    ["unknown path", { url: "https://x.example/things/1/2" }],
    ["unknown method", { method: "PUT" }],
    ["HEAD", { method: "HEAD" }]
  ])("gets its reason: %s", async (reason, changed) => {
    assert.deepStrictEqual(await judged(changed), { within: false, reason })
  })
})
