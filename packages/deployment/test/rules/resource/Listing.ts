import { assert } from "@effect/vitest"
import { Effect } from "effect"
import { at } from "../../Service.ts"
import { assertStatus, get, idsOf } from "../NewerSurface.ts"

export type Parameters = Readonly<Record<string, string>>

export const pathOf = (collection: string, parameters: Parameters): string =>
  `/${collection}?${Object.entries(parameters)
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join("&")}`

export const list = Effect.fnUntraced(function* (collection: string, parameters: Parameters = {}) {
  const answer = yield* get(pathOf(collection, parameters))
  assertStatus(answer, 200)
  return answer
})

/** The ids of a list, on one page. */
export const ids = (collection: string, parameters: Parameters) =>
  Effect.map(list(collection, { pageSize: "100", ...parameters }), (answer) => {
    assert.isNull(at(answer, "meta.nextCursor"))
    return [...idsOf(answer)]
  })

/** Every id of a list, page by page by cursor. */
export const walk = Effect.fnUntraced(function* (collection: string, parameters: Parameters) {
  const pages: Array<ReadonlyArray<string>> = []
  let cursor: unknown
  do {
    const answer = yield* list(collection, { ...parameters, ...(typeof cursor === "string" ? { cursor } : {}) })
    pages.push(idsOf(answer))
    cursor = at(answer, "meta.nextCursor")
  } while (cursor !== null && pages.length < 200)
  assert.isNull(cursor)
  return pages
})
