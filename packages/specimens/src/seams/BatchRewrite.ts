import type { Answer } from "@wcs/conformance/wire/Exchange"
import { at, isObject, type Json } from "@wcs/conformance/wire/Json"
import * as Rewrite from "./Rewrite.ts"

export const bulkLink = { method: "POST", path: /^\/credentials\/link$/ }
export const bulkTransfer = { method: "POST", path: /^\/credentials\/transfer$/ }
/** Either of them. */
export const bulk = { method: "POST", path: /^\/credentials\/(link|transfer)$/ }

/** The items of a bulk answer; none where it is no such answer. */
export const itemsOf = ({ json }: Answer): ReadonlyArray<Json> => {
  const data = at(json, "data")
  return Array.isArray(data) ? data : []
}

/** What an item says. */
export const statusOf = (item: Json): Json | undefined => at(item, "status")

/** The code of an item that was skipped. */
export const codeOf = (item: Json): Json | undefined => at(item, "error.code")

/** A change of an item's fields. */
export const mapItem = (change: (item: Readonly<Record<string, Json>>) => Json) => (item: Json) =>
  isObject(item) ? change(item) : item

/** A bulk answer with other items, and in `meta` the numbers that go with them. */
export const withItems = (change: (items: ReadonlyArray<Json>) => ReadonlyArray<Json>) => (answer: Answer) => {
  const items = change(itemsOf(answer))
  const failed = items.filter((item) => statusOf(item) === "skipped").length
  const meta = at(answer.json, "meta")
  return Rewrite.withJson(answer, {
    data: items,
    meta: { ...(isObject(meta) ? meta : {}), total: items.length, succeeded: items.length - failed, failed }
  })
}

/** A bulk answer with other numbers; undefined takes one out. */
export const withNumbers =
  (numbers: (items: ReadonlyArray<Json>) => Readonly<Record<string, Json | undefined>>) => (answer: Answer) =>
    Object.entries(numbers(itemsOf(answer))).reduce(
      (changed, [name, value]) => Rewrite.mapJson((json) => Rewrite.put(json, `meta.${name}`, value))(changed),
      answer
    )

/** A request with other ids; one without ids stays as it is. */
export const withIds =
  (change: (ids: ReadonlyArray<Json>) => ReadonlyArray<Json> | undefined) =>
  <Sent extends { readonly body: string }>(request: Sent): Sent => {
    const json: Json = JSON.parse(request.body)
    const ids = at(json, "credentialIds")
    if (!Array.isArray(ids)) return request
    const changed = change(ids)
    return { ...request, body: JSON.stringify(Rewrite.put(json, "credentialIds", changed && [...changed])) }
  }
