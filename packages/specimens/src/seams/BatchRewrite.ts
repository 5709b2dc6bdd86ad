import { at, isObject, type Json } from "@wcs/conformance/text/Json"
import type { Answer } from "@wcs/conformance/wire/Exchange"
import * as Rewrite from "./Rewrite.ts"

export const bulkLink = { method: "POST", path: /^\/credentials\/link$/ }
export const bulkTransfer = { method: "POST", path: /^\/credentials\/transfer$/ }
export const bulk = { method: "POST", path: /^\/credentials\/(link|transfer)$/ }

/** The items of a bulk answer; none for other answers. */
export const itemsOf = ({ json }: Answer): ReadonlyArray<Json> => {
  const data = at(json, "data")
  return Array.isArray(data) ? data : []
}

/** The status of an item. */
export const statusOf = (item: Json): Json | undefined => at(item, "status")

/** The error code of a skipped item. */
export const codeOf = (item: Json): Json | undefined => at(item, "error.code")

/** Changes the fields of an item. */
export const mapItem = (change: (item: Readonly<Record<string, Json>>) => Json) => (item: Json) =>
  isObject(item) ? change(item) : item

/** Replaces the items of a bulk answer and adjusts the counts in `meta`. */
export const withItems = (change: (items: ReadonlyArray<Json>) => ReadonlyArray<Json>) => (answer: Answer) => {
  const items = change(itemsOf(answer))
  const failed = items.filter((item) => statusOf(item) === "skipped").length
  const meta = at(answer.json, "meta")
  return Rewrite.withJson(answer, {
    data: items,
    meta: { ...(isObject(meta) ? meta : {}), total: items.length, succeeded: items.length - failed, failed }
  })
}

/** Replaces counts of a bulk answer; undefined removes one. */
export const withNumbers =
  (numbers: (items: ReadonlyArray<Json>) => Readonly<Record<string, Json | undefined>>) => (answer: Answer) =>
    Object.entries(numbers(itemsOf(answer))).reduce(
      (changed, [name, value]) => Rewrite.mapJson((json) => Rewrite.put(json, `meta.${name}`, value))(changed),
      answer
    )

/** Replaces the ids of a request; a request without ids is unchanged. */
export const withIds =
  (change: (ids: ReadonlyArray<Json>) => ReadonlyArray<Json> | undefined) =>
  <Sent extends { readonly body: string }>(request: Sent): Sent => {
    const json: Json = JSON.parse(request.body)
    const ids = at(json, "credentialIds")
    if (!Array.isArray(ids)) return request
    const changed = change(ids)
    return { ...request, body: JSON.stringify(Rewrite.put(json, "credentialIds", changed && [...changed])) }
  }
