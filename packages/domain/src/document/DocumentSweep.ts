import { Clock, Effect } from "effect"
import { uploadMillis } from "./Document.ts"
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

  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const ending = yield* store.ending(now - uploadMillis, documentsOfRound)
    for (const { id, tenantId } of ending) {
      for (let isMore = true; isMore; ) {
        isMore = yield* content.remove(tenantId, id, piecesMax)
        yield* Effect.yieldNow // requests run between two portions
      }
      yield* store.ended(tenantId, id)
    }
    return ending.length === documentsOfRound
  })
})
