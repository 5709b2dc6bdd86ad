import { Clock, Effect, Option, Schema } from "effect"
import type { HttpClientResponse } from "effect/http"
import { Refused } from "./CallError.ts"
import type { Operation } from "./Repeatable.ts"

/** How much of the deployment's own words is kept. */
const longestExplanation = 1000

/** Every shape of error (§7), as loosely as they can be told apart: proxies answer errors of their own. */
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

/** The seconds of a `Retry-After`, which RFC 9110 (section 10.2.3) lets be a date too. */
const secondsOf = (header: string | undefined, nowMillis: number): number | null => {
  if (header === undefined) return null
  if (/^\d+$/.test(header)) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(Math.ceil((date - nowMillis) / 1000), 0)
}

/** What an answer that is not 2xx says, whoever gave it. */
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
