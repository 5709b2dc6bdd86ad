import { at, equals, isObject, type Json } from "../text/Json.ts"
import { type Exchange, isIn, shapeIn } from "../wire/Exchange.ts"
import type { SecretShape } from "../wire/SecretShape.ts"
import type { Difference, DifferenceKind } from "./Difference.ts"

/** The result of an expectation: empty if it is met, else the differences. */
export type Met = ReadonlyArray<Difference>

const differs = (
  exchange: Exchange,
  kind: DifferenceKind,
  where: string,
  expected: Json,
  actual: Json | undefined
): Met => [{ kind, exchange: exchange.number, at: where, expected, actual: actual ?? null }]

/** A difference for expectations that have no function below. */
export const difference = differs

const met: Met = []

/** Expects a response. The other expectations check this themselves, so a missing response is reported once. */
export const answered = (exchange: Exchange): Met =>
  exchange.answer === null ? differs(exchange, "no-answer", "status", "an answer", exchange.silence) : met

/** Expects one of these statuses. */
export const status = (exchange: Exchange, ...allowed: ReadonlyArray<number>): Met =>
  exchange.answer === null
    ? answered(exchange)
    : allowed.includes(exchange.answer.status)
      ? met
      : differs(
          exchange,
          "status",
          "status",
          allowed.length === 1 ? (allowed[0] ?? null) : allowed,
          exchange.answer.status
        )

/** Expects a status of these classes: `4` is 400 to 499. */
export const family = (exchange: Exchange, ...hundreds: ReadonlyArray<number>): Met =>
  exchange.answer === null
    ? answered(exchange)
    : hundreds.some((hundred) => isIn(exchange, hundred))
      ? met
      : differs(
          exchange,
          "status",
          "status",
          hundreds.map((hundred) => `${hundred}xx`).join(" or "),
          exchange.answer.status
        )

/** Expects success: a 2xx. */
export const accepted = (exchange: Exchange): Met => family(exchange, 2)

/** Expects a refusal: any 4xx. */
export const rejected = (exchange: Exchange): Met => family(exchange, 4)

/**
 * Expects that a call did not succeed: no 2xx. A refused or reset connection is fine. Other rules judge how a call is
 * refused.
 */
export const notAccepted = (exchange: Exchange): Met =>
  isIn(exchange, 2) ? differs(exchange, "status", "status", "no 2xx", exchange.answer?.status) : met

/** Expects a status and a code in the envelope. */
export const error = (exchange: Exchange, expectedStatus: number, ...codes: ReadonlyArray<string>): Met => {
  const wrongStatus = status(exchange, expectedStatus)
  return wrongStatus.length > 0 ? wrongStatus : oneOf(exchange, "error.code", codes)
}

/** Returns the value at a path of the body, or undefined. */
export const valueAt = (exchange: Exchange, path: string): Json | undefined => at(exchange.answer?.json, path)

const field = (
  exchange: Exchange,
  path: string,
  isGood: (value: Json) => boolean,
  expected: Json,
  kind: DifferenceKind
): Met => {
  if (exchange.answer === null) return answered(exchange)
  if (exchange.answer.json === undefined)
    return differs(exchange, "not-json", "body", "JSON", exchange.answer.text.slice(0, 200))
  const value = valueAt(exchange, path)
  const where = path === "" ? "body" : `body.${path}`
  if (value === undefined) return differs(exchange, "missing", where, expected, null)
  return isGood(value) ? met : differs(exchange, kind, where, expected, value)
}

/** Expects exactly this value at a path of the body. */
export const value = (exchange: Exchange, path: string, expected: Json): Met =>
  field(exchange, path, (actual) => equals(actual, expected), expected, "wrong-value")

/** Expects one of these strings at a path of the body. */
export const oneOf = (exchange: Exchange, path: string, expected: ReadonlyArray<string>): Met =>
  field(
    exchange,
    path,
    (actual) => typeof actual === "string" && expected.includes(actual),
    expected.length === 1 ? (expected[0] ?? null) : expected,
    "wrong-value"
  )

/** Expects a string at a path of the body that matches `form`; `words` describes the form. */
export const matches = (exchange: Exchange, path: string, form: RegExp, words: string): Met =>
  field(exchange, path, (actual) => typeof actual === "string" && form.test(actual), words, "wrong-value")

/** Expects a string whose shape fits, which may be a secret. */
export const shaped = (exchange: Exchange, path: string, is: (shape: SecretShape) => boolean, words: string): Met =>
  field(exchange, path, (actual) => typeof actual === "string" && is(shapeIn(exchange, actual)), words, "wrong-value")

const types = {
  string: (value: Json) => typeof value === "string",
  "non-empty string": (value: Json) => typeof value === "string" && value !== "",
  integer: (value: Json) => typeof value === "number" && Number.isInteger(value),
  "non-negative integer": (value: Json) => typeof value === "number" && Number.isInteger(value) && value >= 0,
  boolean: (value: Json) => typeof value === "boolean",
  object: (value: Json) => isObject(value),
  list: (value: Json) => Array.isArray(value)
}

/** Expects a value of this type at a path of the body. */
export const type = (exchange: Exchange, path: string, expected: keyof typeof types): Met =>
  field(exchange, path, types[expected], expected, "wrong-type")

/** Expects any value at a path of the body; `words` describes the value. */
export const present = (exchange: Exchange, path: string, words: string): Met =>
  field(exchange, path, () => true, words, "missing")

/** Expects no value at a path of the body. */
export const absent = (exchange: Exchange, path: string): Met => {
  if (exchange.answer === null) return answered(exchange)
  const found = valueAt(exchange, path)
  return found === undefined ? met : differs(exchange, "unexpected", `body.${path}`, "absent", found)
}

/** Expects no body. */
export const empty = (exchange: Exchange): Met =>
  exchange.answer === null
    ? answered(exchange)
    : exchange.answer.text === ""
      ? met
      : differs(exchange, "unexpected", "body", "no body", exchange.answer.text.slice(0, 200))

/** Returns the value of a header, or undefined. */
export const headerOf = (exchange: Exchange, name: string): string | undefined =>
  exchange.answer?.headers[name.toLowerCase()]

/** Expects a header that satisfies `isGood`; `words` describes the value. */
export const header = (exchange: Exchange, name: string, isGood: (value: string) => boolean, words: string): Met => {
  if (exchange.answer === null) return answered(exchange)
  const found = headerOf(exchange, name)
  const where = `header ${name.toLowerCase()}`
  if (found === undefined) return differs(exchange, "missing", where, words, null)
  return isGood(found) ? met : differs(exchange, "wrong-value", where, words, found)
}

/** Expects that a header is absent. */
export const noHeader = (exchange: Exchange, name: string): Met => {
  const found = headerOf(exchange, name)
  return found === undefined
    ? answered(exchange)
    : differs(exchange, "unexpected", `header ${name.toLowerCase()}`, "absent", found)
}

/** Expects that two reads of a value are equal. `where` names the value: `body.data.attributes.owners`. */
export const same = (after: Exchange, where: string, before: Json | undefined, now: Json | undefined): Met =>
  after.answer === null
    ? answered(after)
    : equals(before, now)
      ? met
      : differs(after, "changed", where, before ?? null, now)

/** Expects different values. */
export const distinct = (exchange: Exchange, where: string, values: ReadonlyArray<Json | undefined>): Met => {
  const told = values.map((one) => JSON.stringify(one ?? null))
  const repeated = values.find((_, index) => told.indexOf(told[index] ?? "") !== index)
  return repeated === undefined ? met : differs(exchange, "repeated", where, "different each time", repeated)
}

/** Accepted as a token, with any privileges. */
export const authenticated = (exchange: Exchange): Met =>
  exchange.answer?.status === 401 ? difference(exchange, "status", "status", "any but 401", 401) : answered(exchange)
