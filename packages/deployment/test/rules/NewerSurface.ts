import { assert } from "@effect/vitest"
import { type ErrorCode, statusOf } from "@wcs/domain/shared/ErrorCode"
import type { Effect } from "effect"
import { type Answer, at, Service } from "../Service.ts"

/** The root path of the newer surface (§9). */
export const root = "/openapi/v1"

type Sent = Effect.Effect<Answer, never, Service>

const send =
  (method: string) =>
  (path: string, body?: unknown): Sent =>
    Service.use(({ call }) => call({ method, path: root + path, ...(body === undefined ? {} : { body }) }))

/** Calls of the Super Admin below the surface's root. */
export const get = send("GET")
export const post = send("POST")
export const put = send("PUT")
export const patch = send("PATCH")
export const remove = send("DELETE")

const describe = ({ status, text }: Answer): string => `${status} ${text.slice(0, 500)}`

/** Fails unless the response is a success with this status. */
export const assertStatus = (answer: Answer, status: number): void =>
  assert.strictEqual(answer.status, status, describe(answer))

/** Fails unless the response is the envelope with this code, at the code's status, and the hint is in its message. */
export const assertRefused = (answer: Answer, code: string, hint = ""): void => {
  assert.strictEqual(at(answer, "error.code"), code, describe(answer))
  assert.strictEqual(answer.status, statusOf(code as ErrorCode), describe(answer))
  assert.deepStrictEqual(Object.keys(Object(answer.json)), ["error"])
  assert.sameMembers(Object.keys(Object(at(answer, "error"))), ["code", "message", "requestId"])
  const message = at(answer, "error.message")
  assert.isString(message)
  assert.isNotEmpty(message)
  assert.include(message, hint)
  assert.strictEqual(at(answer, "error.requestId"), answer.headers["x-request-id"])
}

/** `data` of a list. */
export const dataOf = (answer: Answer): ReadonlyArray<unknown> => {
  const data = at(answer, "data")
  if (!Array.isArray(data)) throw new Error(`not a list: ${describe(answer)}`)
  return data
}

/** The ids of a list, in order. */
export const idsOf = (answer: Answer): ReadonlyArray<string> => dataOf(answer).map((item) => String(Object(item).id))

/** A missing id of the same form. */
export const idOfNothing = (id: string): string => `${id.slice(0, id.indexOf("_") + 1)}${"0".repeat(16)}`
