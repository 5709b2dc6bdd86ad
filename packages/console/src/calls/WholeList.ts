import { call } from "./Call.ts"
import type { Item, QueryOf } from "./Contract.ts"

/** Lists that are short enough to be read whole: a tenant has at most some thousands. */
type ShortList = "GET /units" | "GET /screening-packages" | "GET /users"

/** Returns all items of a short list, page by page. */
export const readWhole = async <Name extends ShortList>(
  name: Name,
  query: Omit<QueryOf<Name>, "cursor" | "pageSize">
): Promise<ReadonlyArray<Item<Name>>> => {
  const items: Array<Item<Name>> = []
  for (let cursor: string | null = ""; cursor !== null; ) {
    // The lists have the same parameters of paging.
    const paging: QueryOf<"GET /units"> = { ...query, pageSize: "100", cursor }
    const { data, meta } = await call(name as "GET /units", { query: paging })
    items.push(...(data as ReadonlyArray<unknown> as ReadonlyArray<Item<Name>>))
    cursor = meta.nextCursor
  }
  return items
}
