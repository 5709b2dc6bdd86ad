import { Clock, Effect, Option, Schema } from "effect"
import type { HttpClientResponse } from "effect/http"
import { Refused } from "./CallError.ts"
import type { Operation } from "./Repeatable.ts"

/** The maximum length of a message. */
const longestExplanation = 1000

/** All error forms (§7), decoded loosely, because proxies have their own errors. */
const Body = Schema.fromJsonString(
  Schema.Union([
    Schema.Struct({ error: Schema.Struct({ code: Schema.String, message: Schema.String }) }),
    Schema.Struct({ error: Schema.String, error_description: Schema.String }),
    Schema.Struct({ error: Schema.String }),
    Schema.Struct({ message: Schema.String, field: Schema.optionalKey(Schema.NullOr(Schema.String)) })
  ])
)

const decodeBody = Schema.decodeOption(Body)

const factsOf = (body: typeof Body.Type) => {
  if ("message" in body) return { code: null, field: body.field ?? null, explanation: body.message }
  const { error } = body
  if (typeof error !== "string") return { code: error.code, field: null, explanation: error.message }
  return { code: error, field: null, explanation: "error_description" in body ? body.error_description : null }
}

const unexplained = { code: null, field: null, explanation: null }

/** Reads `Retry-After` in seconds. The header can be a date (RFC 9110, section 10.2.3). */
const secondsOf = (header: string | undefined, nowMillis: number): number | null => {
  if (header === undefined) return null
  if (/^\d+$/.test(header)) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(Math.ceil((date - nowMillis) / 1000), 0)
}

/** Reads a response that is not 2xx. */
export const refusalOf = Effect.fnUntraced(function* (
  { name }: Operation,
  response: HttpClientResponse.HttpClientResponse
) {
  const text = yield* Effect.orElseSucceed(response.text, () => "")
  const facts = Option.match(decodeBody(text), { onNone: () => unexplained, onSome: factsOf })
  return new Refused({
    operation: name,
    status: response.status,
    ...facts,
    explanation: facts.explanation?.slice(0, longestExplanation) ?? null,
    requestId: response.headers["x-request-id"] ?? null,
    retryAfterSeconds: secondsOf(response.headers["retry-after"], yield* Clock.currentTimeMillis)
  })
})
