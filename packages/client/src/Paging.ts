import { Effect, Option, Stream } from "effect"
import { type CallError, Unreadable } from "./CallError.ts"

interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly meta: { readonly nextCursor: string | null }
}

/**
 * Everything on a list, page after page by its cursor, each page asked for when the one before is used up:
 * `Paging.items(client.workers.list, { sort: "createdAt:asc", pageSize: "100" })`. A cursor that comes twice ends it as
 * an answer that the contract does not know.
 *
 * @public
 */
export const items = <Query extends { readonly cursor?: string }, Item>(
  list: (request: { readonly query: Query }) => Effect.Effect<Page<Item>, CallError>,
  query: Query
): Stream.Stream<Item, CallError> =>
  Stream.paginate(query, (asked) =>
    Effect.flatMap(list({ query: asked }), ({ data, meta: { nextCursor } }) => {
      if (nextCursor === null) return Effect.succeed([data, Option.none<Query>()] as const)
      if (nextCursor === asked.cursor) return Effect.fail(new Unreadable({ operation: "a list's next page" }))
      return Effect.succeed([data, Option.some<Query>({ ...asked, cursor: nextCursor })] as const)
    })
  )
