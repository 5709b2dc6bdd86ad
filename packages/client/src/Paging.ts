import { Effect, Option, Stream } from "effect"
import { type CallError, Unreadable } from "./CallError.ts"

interface Page<Item> {
  readonly data: ReadonlyArray<Item>
  readonly meta: { readonly nextCursor: string | null }
}

/**
 * A stream of all items of a list. Requests each page when the previous one is consumed:
 * `Paging.items(client.workers.list, { sort: "createdAt:asc", pageSize: "100" })`. Fails with `Unreadable` if a cursor
 * repeats.
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
