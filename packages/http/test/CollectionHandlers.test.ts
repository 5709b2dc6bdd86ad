import { assert, it } from "@effect/vitest"
import { one, readingHandler } from "@wcs/http/handlers/CollectionHandlers"
import { Effect } from "effect"
import type { HttpServerResponse } from "effect/http"
import * as fc from "fast-check"
import { callOf } from "./Requests.ts"

const call = Object.assign(callOf({ body: "" }), { params: { id: "x" } })

const partsOf = ({ body, headers, status }: HttpServerResponse.HttpServerResponse) => {
  assert(body._tag === "Uint8Array")
  return { status, headers, contentType: body.contentType, text: new TextDecoder().decode(body.body) }
}

it("answers the text of a document in GET as other calls answer the document, byte for byte", () => {
  const envelope = { id: "x", type: "worker", createdAt: "2026-01-31T09:30:00.000Z", updatedAt: "" }
  const tag = { text: '"1-abc"', isWhole: true }
  fc.assert(
    fc.property(fc.jsonValue(), fc.array(fc.string(), { maxLength: 2 }), (value, warnings) => {
      const document = { ...envelope, value: JSON.parse(JSON.stringify(value)) }
      const shown = { text: JSON.stringify(document), warnings, tag }
      const read = readingHandler({ read: () => Effect.succeed(shown) })
      const answer = Effect.runSync(read(call) as Effect.Effect<HttpServerResponse.HttpServerResponse>)
      assert.deepStrictEqual(partsOf(answer), partsOf(one(call, { document, warnings, tag })))
    })
  )
})
