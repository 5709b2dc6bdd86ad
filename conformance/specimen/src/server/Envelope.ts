import { randomUUID } from "node:crypto"
import type { Answer, Refusal, Reply } from "./Call.ts"
import type { Place } from "./Place.ts"
import type { Fields } from "./World.ts"

type At = (point: string, more?: Place) => boolean

const json = (status: number, headers: Answer["headers"], body: unknown): Answer => ({
  status,
  headers: { "content-type": "application/json; charset=utf-8", ...headers },
  body: JSON.stringify(body)
})

const typed = (answer: Answer, hit: (point: string) => boolean): Answer => {
  const { "content-type": _, ...others } = answer.headers
  if (hit("no content type")) return { ...answer, headers: others }
  return hit("the content type is not JSON")
    ? { ...answer, headers: { ...others, "content-type": "text/plain" } }
    : answer
}

const deleted = (headers: Answer["headers"], at: At): Answer => {
  if (at("a delete is 200")) return json(200, headers, { meta: { requestId: randomUUID() }, data: null })
  if (at("a delete is 202")) return { status: 202, headers, body: "" }
  return { status: 204, headers, body: at("a delete has a body") ? '{"data":null}' : "" }
}

/** A success: `{ meta, data }`. */
export const success = (
  { status, data, meta = {}, headers = {}, whole }: Reply,
  base: Answer["headers"],
  id: string,
  at: At
): Answer => {
  const sent = { ...base, ...headers }
  if (status === 204) return deleted(sent, at)
  if (whole === "") return { status, headers: sent, body: "" }
  if (whole !== undefined) return { ...json(status, sent, {}), body: whole }
  const told: Fields = { ...meta, requestId: id }
  if (at("no meta.requestId")) delete told["requestId"]
  if (at("an empty meta.requestId")) told["requestId"] = ""
  if (at("meta.requestId is a number")) told["requestId"] = 12
  if (at("meta asks for a second factor")) told["secondFactor"] = "required"
  if (at("no meta")) return json(status, sent, { data })
  if (at("meta is a list")) return json(status, sent, { meta: [told], data })
  if (at("data is a list of one")) return json(status, sent, { meta: told, data: [data] })
  if (at("data is null")) return json(status, sent, { meta: told, data: null })
  if (at("no data"))
    return json(status, sent, { meta: told, ...(Array.isArray(data) ? { items: data } : { item: data }) })
  if (at("no envelope")) return json(status, sent, data)
  const answer = json(status, sent, { meta: told, data })
  if (at("the body is no JSON")) return { ...answer, body: `${answer.body};` }
  return at("the body is empty") ? { ...answer, body: "" } : typed(answer, at)
}

/** Statuses that a careless server gives instead. */
const wrong: Readonly<Record<number, number>> = { 400: 422, 403: 401, 404: 422, 409: 400, 422: 409, 429: 503 }

/** A refusal: `{ error: { code, message, requestId } }`. */
export const failure = (refusal: Refusal, base: Answer["headers"], id: string, at: At): Answer => {
  const { message, reason } = refusal
  const place = { status: String(refusal.status), reason }
  const hit = (point: string) => at(point, place)
  const status = hit("another status") ? (wrong[refusal.status] ?? 500) : refusal.status
  const headers: Record<string, string> = { ...base, ...refusal.headers, "x-request-id": id }
  if (hit("no X-Request-Id")) delete headers["x-request-id"]
  if (hit("another X-Request-Id")) headers["x-request-id"] = randomUUID()
  if (hit("no echo on an error")) delete headers["x-client-request-id"]
  const error: Fields = { requestId: id, message, code: refusal.code }
  if (hit("a code of another row")) error["code"] = refusal.status === 404 ? "INVALID_ARGUMENT" : "NOT_FOUND"
  if (hit("a code in lower case")) error["code"] = refusal.code.toLowerCase()
  if (hit("no code")) delete error["code"]
  if (hit("a message that is a list")) error["message"] = [message]
  if (hit("a request id that is a number")) error["requestId"] = 7
  if (hit("a code that is a number")) error["code"] = refusal.status
  if (hit("no message") || reason === "no message") delete error["message"]
  if (hit("no error.requestId")) delete error["requestId"]
  if (hit("error is a text")) return json(status, headers, { error: message })
  if (hit("error is a list")) return json(status, headers, { error: [error] })
  if (hit("no error envelope")) return json(status, headers, error)
  if (hit("the error is a page") || reason === "page")
    return { status, headers: { ...headers, "content-type": "text/html" }, body: `<p>${message}</p>` }
  return typed(json(status, headers, { error }), hit)
}

/** The 401 of the newer surface. It is no envelope. */
export const unauthorized = (base: Answer["headers"], cause: string, at: At): Answer => {
  const message = at("a 401 has another text", { cause }) ? "Log in first" : "Unauthorized to perform this action"
  if (at("a 401 has a code", { cause }))
    return json(401, base, { error: { code: "UNAUTHORIZED", message, requestId: "-" } })
  if (at("a 401 is 403", { cause })) return json(403, base, { message })
  if (at("a 401 is 400", { cause })) return json(400, base, { message })
  if (at("a 401 is 200", { cause })) return json(200, base, { data: null, meta: { requestId: randomUUID() } })
  return { status: 401, headers: { ...base, "content-type": "text/plain" }, body: message }
}
