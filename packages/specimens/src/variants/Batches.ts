import { at, isObject, type Json, parse } from "@wcs/conformance/text/Json"
import type { Answer } from "@wcs/conformance/wire/Exchange"
import * as Rewrite from "../seams/Rewrite.ts"
import { type Variant, variant } from "../Variant.ts"

const bulk = { method: "POST", path: /^\/credentials\/(?:link|transfer)$/ }

const idsIn = (body: Json | undefined): ReadonlyArray<Json> => {
  const ids = at(body, "credentialIds")
  return Array.isArray(ids) ? ids : []
}

/** Items in another order and with more fields. */
const turned = Rewrite.answers(
  { ...bulk, status: 200 },
  Rewrite.mapJson((body) => {
    const data = at(body, "data")
    if (!Array.isArray(data)) return body
    const items = data.toReversed().map((item: Json) => (isObject(item) ? { href: "/x", ...item } : item))
    return Rewrite.put(Rewrite.put(body, "data", items), "meta.skipped", at(body, "meta.failed") ?? 0)
  })
)

/** A body that every batch refuses; a missing privilege is refused first. */
const senseless = JSON.stringify({ to: null })

/** An empty list, a repeated id, a malformed id, and a link with both `from` and ids (SIL-16, SIL-27). */
const isOdd = (path: string, body: Json | undefined): boolean => {
  const ids = idsIn(body)
  if (Array.isArray(at(body, "credentialIds")) && ids.length === 0) return true
  if (new Set(ids).size < ids.length || ids.some((id) => !/^cred_\w+$/.test(String(id)))) return true
  return path === "/credentials/link" && ids.length > 0 && at(body, "from") !== undefined
}

const oddOnesAreRefused = Rewrite.requests(bulk, (request) =>
  isOdd(Rewrite.pathOf(request), parse(request.body)) ? { ...request, body: senseless } : request
)

/** One item for each credential, even if its id is repeated (SIL-16). */
const onceEach = Rewrite.requests(bulk, (request) => {
  const body = parse(request.body)
  if (!isObject(body) || !Array.isArray(body["credentialIds"])) return request
  return { ...request, body: JSON.stringify({ ...body, credentialIds: [...new Set(idsIn(body))] }) }
})

const codeOf = (item: Json): Json | undefined => at(item, "error.code")

/** Refuses a batch as a whole if `to` does not exist (SIL-27). */
const unknownDestination = Rewrite.answers({ ...bulk, status: 200 }, (answer): Answer => {
  const data = at(answer.json, "data")
  if (!Array.isArray(data) || !data.some((item: Json) => codeOf(item) === "UNPROCESSABLE")) return answer
  const requestId = answer.headers["x-request-id"] ?? ""
  const error = { code: "UNPROCESSABLE", message: "No owner has this id.", requestId }
  return { ...Rewrite.withJson(answer, { error }), status: 422 }
})

/** Batches, where the specification is silent. */
export const batchVariants: ReadonlyArray<Variant> = [
  variant("batch-items-in-another-order", ["SIL-16"]).rewrite(Rewrite.all(turned, onceEach)),
  variant("odd-batches-are-refused", ["SIL-16", "SIL-27"]).rewrite(Rewrite.all(unknownDestination, oddOnesAreRefused))
]
