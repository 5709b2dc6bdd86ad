import { Effect, Option, Result, Stream } from "effect"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { maxPageSize, type Query } from "./ListQuery.ts"

const pagingParameters = ["cursor", "page", "pageSize", "includeTotal"]

/** Fails if a query has a parameter of paging. */
export const unpaged = (query: Query): Result.Result<void, InvalidArgument> => {
  const field = pagingParameters.find((name) => query[name] !== undefined)
  return field === undefined
    ? Result.void
    : Result.fail(new InvalidArgument({ field, reason: "must be left out: a whole list has no pages" }))
}

/** A page of a list, and the cursor of the next one. */
interface ListPage<Shown> {
  readonly documents: ReadonlyArray<Shown>
  readonly nextCursor: string | null
}

/** All documents of a list, in pages. The first page has been read. */
export interface WholeList<Shown> {
  readonly first: ReadonlyArray<Shown>
  readonly pages: Stream.Stream<ReadonlyArray<Shown>>
}

/**
 * Returns all documents of a list. Later pages are read while the stream is consumed, like a walk by cursor. The errors
 * are those of the first page: a later refusal is a defect.
 */
export const wholeList = Effect.fnUntraced(function* <Shown, E, R>(
  list: (query: Query) => Effect.Effect<ListPage<Shown>, E, R>,
  query: Query
) {
  yield* Effect.fromResult(unpaged(query))
  const context = yield* Effect.context<R>()
  const pageOf = (cursor: Query) => list({ ...query, ...cursor, pageSize: String(maxPageSize) })
  const first = yield* pageOf({})
  const following = (cursor: string | null): Stream.Stream<ReadonlyArray<Shown>> =>
    Stream.paginate(cursor, (from) =>
      from === null
        ? Effect.succeed([[], Option.none<string | null>()] as const)
        : Effect.map(
            Effect.provideContext(Effect.orDie(pageOf({ cursor: from })), context),
            ({ documents, nextCursor }) =>
              [[documents], nextCursor === null ? Option.none() : Option.some(nextCursor)] as const
          )
    )
  const whole: WholeList<Shown> = {
    first: first.documents,
    pages: Stream.concat(Stream.succeed(first.documents), following(first.nextCursor))
  }
  return whole
})
