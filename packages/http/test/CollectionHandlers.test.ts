import { assert, it } from "@effect/vitest"
import type { Shown, ShownText } from "@wcs/domain/resource/Collection"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { readingHandlers } from "@wcs/http/handlers/CollectionHandlers"
import { Effect } from "effect"
import * as fc from "fast-check"
import { callOf } from "./Requests.ts"

const call = Object.assign(callOf({ body: "" }), { params: { id: "x" } })

/** The answer of GET to what a use case returns. */
const answerTo = (shown: Shown<JsonObject> | ShownText) => {
  const { read } = readingHandlers<JsonObject>({ read: () => Effect.succeed(shown), list: () => Effect.never })
  const { body, headers, status } = Effect.runSync(read(call) as Effect.Effect<Effect.Success<ReturnType<typeof read>>>)
  assert(body._tag === "Uint8Array")
  return { status, headers, contentType: body.contentType, text: new TextDecoder().decode(body.body) }
}

it("answers the text of a document as it answers the document, byte for byte", () => {
  const envelope = { id: "x", type: "worker", createdAt: "2026-01-31T09:30:00.000Z", updatedAt: "" }
  const tag = { text: '"1-abc"', isWhole: true }
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      const document = { ...envelope, value: JSON.parse(JSON.stringify(value)) }
      const answer = answerTo({ text: JSON.stringify(document), tag })
      assert.deepStrictEqual(answer, answerTo({ document, warnings: [], tag }))
      assert.deepStrictEqual(JSON.parse(answer.text), { data: document, meta: { requestId: call.requestId } })
    })
  )
})
