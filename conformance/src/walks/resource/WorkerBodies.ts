import { Effect } from "effect"
import { idOf } from "../../calls/Reading.ts"
import { bodyOf, create } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { Session } from "../../judgement/Session.ts"
import { at, type Json } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { without, withValue } from "../../wire/JsonChange.ts"

// Bodies of workers with a change, and what their creates return.

/** Creates a worker from a modified body. */
export const createChanged = Effect.fnUntraced(function* (
  change: (body: Json) => Json,
  headers: Readonly<Record<string, string>> = {}
) {
  const unique = yield* (yield* Session).unique
  return yield* create("worker", unique, change(yield* bodyOf("worker", unique)), { headers })
})

/**
 * The place of a worker's field in a body: `attributes` if the profile's template has it there, otherwise the top level
 * (SIL-22).
 */
const positionIn = (body: Json, path: string): string =>
  at(body, path) === undefined && at(body, `attributes.${path}`) !== undefined ? `attributes.${path}` : path

export const withoutField =
  (path: string) =>
  (body: Json): Json =>
    without(body, positionIn(body, path))

export const withField =
  (path: string, replacement: Json) =>
  (body: Json): Json =>
    withValue(body, positionIn(body, path), replacement)

/** The id in the answer to a create; undefined for a refusal. */
export const createdId = (exchange: Exchange): string | undefined =>
  isIn(exchange, 2) ? idOf(Expect.valueAt(exchange, "data")) : undefined
