import { Clock, Effect, Option, Result } from "effect"
import { deleted, type StoredDocument, uploadMillis } from "./Document.ts"
import { DocumentContent } from "./DocumentContent.ts"
import { DocumentStore } from "./DocumentStore.ts"

/** Documents of one round, and pieces of one removal. */
const documentsOfRound = 20
const piecesMax = 20

/**
 * Removes the content of deleted documents and of lost uploads. Nothing opens the content of a deleted one: its key is gone
 * already. Returns whether there may be more.
 */
export const make = Effect.gen(function* () {
  const store = yield* DocumentStore
  const content = yield* DocumentContent

  /** Ends a lost upload first, so that it cannot become STORED without its content. Returns false if it is whole by now. */
  const end = ({ id, status, tenantId }: StoredDocument, now: number) =>
    status !== "UPLOADING"
      ? Effect.succeed(true)
      : Effect.map(
          store.change(tenantId, id, ({ document }) => {
            const before = Option.getOrThrow(document)
            const next = before.status === "UPLOADING" ? deleted(before, before, null, now) : before
            return Result.succeed({ next, audit: [] })
          }),
          (after) => after.status !== "STORED"
        )

  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const uploadsBefore = now - uploadMillis
    const ending = yield* store.ending(uploadsBefore, documentsOfRound)
    for (const document of ending) {
      const { id, tenantId } = document
      if (!(yield* end(document, now))) continue
      for (let isMore = true; isMore; ) {
        isMore = yield* content.remove(tenantId, id, piecesMax)
        yield* Effect.yieldNow // requests run between two portions
      }
      yield* store.ended(tenantId, id, uploadsBefore)
    }
    return ending.length === documentsOfRound
  })
})
