import { Effect } from "effect"
import { HttpServerResponse } from "effect/http"

/** The most characters that are written in one step, except for a single longer item. */
const pieceCharacters = 128 * 1024

const encoder = new TextEncoder()

const joined = (pieces: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(pieces.reduce((bytes, piece) => bytes + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
  }
  return whole
}

/** Writes the rest of a long list piece by piece. Other requests run in between. */
const inPieces = Effect.fnUntraced(function* (first: string, items: ReadonlyArray<object>, meta: object) {
  const pieces = [encoder.encode(first)]
  let text = ""
  for (const item of items) {
    text += `,${JSON.stringify(item)}`
    if (text.length < pieceCharacters) continue
    pieces.push(encoder.encode(text))
    text = ""
    yield* Effect.yieldNow
  }
  pieces.push(encoder.encode(`${text}],"meta":${JSON.stringify(meta)}}`))
  return HttpServerResponse.uint8Array(joined(pieces), { contentType: "application/json" })
})

/** Builds the JSON of `{ data, meta }` of a list. */
export const listText = (
  data: ReadonlyArray<object>,
  meta: object
): Effect.Effect<HttpServerResponse.HttpServerResponse> => {
  let text = '{"data":['
  for (const [index, item] of data.entries()) {
    text += `${index === 0 ? "" : ","}${JSON.stringify(item)}`
    if (text.length > pieceCharacters) return inPieces(text, data.slice(index + 1), meta)
  }
  return Effect.succeed(
    HttpServerResponse.text(`${text}],"meta":${JSON.stringify(meta)}}`, { contentType: "application/json" })
  )
}
