import { type Duration, Effect, Option, Stream } from "effect"
import type { CallError } from "./CallError.ts"

/** A page of changes. Store `meta.position` together with the result of the changes, to continue from there. */
interface Page<Change> {
  readonly data: ReadonlyArray<Change>
  readonly meta: { readonly position: string; readonly hasMore: boolean }
}

/**
 * A stream of the pages of changes after a position, without end: `Following.pages(client.changes.list, { after })`. Waits
 * for `pause` before each request after the newest change. `Stream.takeUntil((page) => !page.meta.hasMore)` ends at the
 * present. Fails with `Refused` and status 410 if the position is lost: then make a full copy.
 *
 * @public
 */
export const pages = <Query extends { readonly after?: string }, Change>(
  list: (request: { readonly query: Query }) => Effect.Effect<Page<Change>, CallError>,
  query: Query,
  pause: Duration.Input = "5 seconds"
): Stream.Stream<Page<Change>, CallError> =>
  Stream.paginate({ query, isNew: true }, (next) =>
    Effect.map(Effect.delay(list({ query: next.query }), next.isNew ? 0 : pause), (page) => {
      const following = { query: { ...next.query, after: page.meta.position }, isNew: page.meta.hasMore }
      return [[page], Option.some(following)] as const
    })
  )
