import { Effect } from "effect"
import { bulkLink, bulkTransfer, type Owner, worker } from "../../calls/OwnershipCalls.ts"
import { makeWorker, read, sharedOwner } from "../../calls/Resources.ts"
import { batchInShort, noConflict } from "../../exchanges/BatchAnswers.ts"
import { judge, observe } from "../../judgement/Judge.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { nobodysId } from "../resource/UnknownIds.ts"
import { offersBulkLink, ownedBy } from "./Batches.ts"
import { stillHolds } from "./Slots.ts"

/** Records the results for a repeated id and for an empty list. An empty list changes nothing. */
const observeLists = Effect.fnUntraced(function* (from: Owner, to: Owner) {
  const [named, kept] = [yield* ownedBy(from.id), yield* ownedBy(from.id)]
  const twice = yield* bulkTransfer({ from, to, credentialIds: [named.id, named.id] })
  const empty = yield* bulkTransfer({ from, to, credentialIds: [] })
  const after = yield* read("credential", kept.id)
  yield* judge("BLK-15", [empty, after], stillHolds(after, kept.owners))
  yield* observe("SIL-16", { "one id twice": batchInShort(twice), "no ids": batchInShort(empty) }, [twice, empty])
  return [twice, empty]
})

/** Records a bulk transfer to the current owner from someone who never owned the credential (SIL-07). */
const observeStranger = Effect.fnUntraced(function* (to: Owner) {
  const stranger = yield* sharedOwner("worker")
  const owned = yield* ownedBy(to.id)
  const batch = yield* bulkTransfer({ from: worker(stranger.id), to, credentialIds: [owned.id] })
  yield* observe("SIL-07", { "in a batch": batchInShort(batch) }, [batch])
  return batch
})

/** Records the results for a malformed id, an unknown `to`, and a link with both `from` and ids. */
const observeItems = Effect.fnUntraced(function* (from: Owner, to: Owner) {
  const owned = yield* ownedBy(from.id)
  const malformed = yield* bulkTransfer({ from, to, credentialIds: ["?"] })
  const both = (yield* offersBulkLink) ? [yield* bulkLink({ from, to, credentialIds: [owned.id] })] : []
  const nobody = nobodysId(to.id)
  const unknown =
    nobody === undefined ? [] : [yield* bulkTransfer({ from, to: worker(nobody), credentialIds: [owned.id] })]
  const batches = [malformed, ...both, ...unknown]
  const observed = {
    "malformed id": batchInShort(malformed),
    ...Object.fromEntries(unknown.map((batch) => ["unknown `to`", batchInShort(batch)])),
    ...Object.fromEntries(both.map((batch) => ["link with `from` and ids", batchInShort(batch)]))
  }
  yield* observe("SIL-27", observed, batches)
  return batches
})

const silences = walk({
  name: "bulk/silences",
  judges: ["BLK-12", "BLK-15", "SIL-07", "SIL-16", "SIL-27"],
  impact: "mutate-own",
  needs: ["credential body"]
})(function* () {
  const [from, to] = [worker((yield* makeWorker()).id), worker((yield* sharedOwner("worker")).id)]
  const batches = [...(yield* observeLists(from, to)), yield* observeStranger(to), ...(yield* observeItems(from, to))]
  yield* judge("BLK-12", batches, batches.flatMap(noConflict))
})

/** Batches, where the specification is silent. */
export const silenceWalks: ReadonlyArray<Walk> = [silences]
