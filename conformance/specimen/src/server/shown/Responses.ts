import { randomUUID } from "node:crypto"
import type { Answer, Refusal, Request } from "../Call.ts"
import { type Fields, isFields, type World } from "../World.ts"

// The form of responses as a whole: media types, further fields, and what a gateway in front of the server answers.

/** A page, as a web server in front shows it. */
const page = (status: number, title: string): Answer => ({
  status,
  headers: { "content-type": "text/html" },
  body: `<html><head><title>${status} ${title}</title></head><body></body></html>`
})

/** What a gateway answers itself: requests that are too long, and paths that are no text. */
const byGateway = ({ body, headers, url }: Request): Answer | undefined => {
  if (url.href.length > 1024) return page(414, "URI Too Long")
  const isLong = Object.values(headers).some((value) => value.length > 1024 && !/^bearer /i.test(value))
  if (isLong) return page(431, "Request Header Fields Too Large")
  if (body.length > 8192 && !body.includes("credentialIds")) return page(413, "Payload Too Large")
  return /%(?![0-9a-f]{2})|%00|%ff|%c0/i.test(url.href) ? page(400, "Bad Request") : undefined
}

/** The answer of a gateway in front of the server, if there is one and it refuses the request. */
const inFront = ({ chosen }: World, request: Request): Answer | undefined => {
  const refusal = byGateway(request)
  return refusal === undefined || chosen("a gateway in front", "none") === "none" ? undefined : refusal
}

/** The response to an unknown path, and to a method that the path does not have. */
export const nowhere = ({ chosen }: World, { status }: Refusal, usual: Answer): Answer => {
  const form = chosen("unknown paths", "in the envelope")
  if (form === "a page") return page(404, "Not Found")
  if (form !== "nothing") return usual
  const { "content-type": _, ...headers } = usual.headers
  return { status, headers: status === 405 ? { ...headers, allow: "GET" } : headers, body: "" }
}

/** The response to any caller of an unknown path; undefined if the server asks for a token first. */
export const nowhereForAll = ({ chosen }: World): Answer | undefined =>
  chosen("unknown paths", "in the envelope") === "a page" ? page(404, "Not Found") : undefined

const unauthorized: Readonly<Record<string, (message: string) => Pick<Answer, "headers" | "body">>> = {
  "a page": (message) => ({
    headers: { "content-type": "text/html", "www-authenticate": 'Bearer error="invalid_token"' },
    body: `<!doctype html><html><head><title>401</title></head><body><h1>${message}.</h1></body></html>`
  }),
  "an OAuth error": (message) => ({
    headers: {
      "content-type": "application/json",
      "www-authenticate": `Bearer realm="x", error="invalid_token", error_description="${message}"`
    },
    body: JSON.stringify({ error: "invalid_token", error_description: message, status: 401 })
  }),
  "an error without a code": (message) => {
    const requestId = randomUUID()
    return {
      headers: { "content-type": "application/json", "x-request-id": requestId },
      body: JSON.stringify({ error: { code: null, message, requestId } })
    }
  }
}

/** A 401 of the newer surface in the form that the server has chosen. */
export const inFormOf401 = ({ chosen }: World, answer: Answer): Answer => {
  const form = unauthorized[chosen("body of a 401", "text")]
  if (form === undefined || answer.status !== 401) return answer
  const { body, headers } = form(answer.body)
  return { status: 401, headers: { ...answer.headers, ...headers }, body }
}

const embroidered = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(embroidered)
  // an empty object can stand for an empty slot
  if (!isFields(value) || Object.keys(value).length === 0) return value
  const turned = Object.entries(value).toReversed()
  const fields: Fields = Object.fromEntries(turned.map(([name, inner]) => [name, embroidered(inner)]))
  return { _links: { self: "https://links.example/1" }, ...fields, vendorExtension: [null, 1, "x"] }
}

/** With Basic, a user has two fields of the organization. */
const hasFixedFields = ({ url }: Request): boolean => url.pathname === "/api/users/me"

const isJson = ({ body, headers }: Answer): boolean => body !== "" && /\bjson\b/.test(headers["content-type"] ?? "")

/** The request id of a success in its header, if the server sends one there. */
const idOfSuccess = (form: string, { body, status }: Answer): Answer["headers"] => {
  if (form === "none" || status >= 300) return {}
  const meta: unknown = JSON.parse(body).meta
  if (!isFields(meta)) return {}
  return { "x-request-id": form === "the same" ? String(meta["requestId"]) : `req-${randomUUID()}` }
}

/** A response in the form that the server has chosen. */
const inForm = ({ chosen }: World, request: Request, answer: Answer): Answer => {
  const { body, headers, status } = answer
  if (status === 413 && chosen("refusal of a large batch", "400 INVALID_ARGUMENT") === "413 PAGE") {
    return page(413, "Payload Too Large")
  }
  if (!isJson(answer)) return answer
  const [more, id] = [chosen("further fields", false), chosen("X-Request-Id of a success", "none")]
  const media = status < 300 ? "application/vnd.api+json; charset=utf-8" : "application/problem+json"
  const named = chosen("media type", "application/json") === "application/json" ? {} : { "content-type": media }
  return {
    status,
    headers: { ...headers, ...named, ...idOfSuccess(id, answer) },
    body: more && !hasFixedFields(request) ? JSON.stringify(embroidered(JSON.parse(body))) : body
  }
}

/** Answers a request, with what the server has in front and in the form that the server has chosen. */
export const dressed = async (
  world: World,
  request: Request,
  answer: () => Answer | Promise<Answer>
): Promise<Answer> => inFront(world, request) ?? inForm(world, request, await answer())
