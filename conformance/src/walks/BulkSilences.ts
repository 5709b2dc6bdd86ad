import { Effect } from "effect"
import { type Exchange, statusOf } from "../Exchange.ts"
import * as Expect from "../Expect.ts"
import { judge, observe } from "../Judge.ts"
import { bulkTransfer, type Owner, worker } from "../OwnershipCalls.ts"
import { makeWorker, read } from "../Resources.ts"
import { type Walk, walk } from "../Walk.ts"
import { batchInShort } from "./BatchAnswers.ts"
import { linkInBulk, offersBulkLink, ownedBy } from "./Batches.ts"
import { stillHolds } from "./Slots.ts"
import { alteredIds } from "./UnknownIds.ts"

const isConflict = (batch: Exchange): Expect.Met =>
  statusOf(batch) === 409 ? Expect.difference(batch, "status", "status", "any but 409", 409) : Expect.answered(batch)

/** A repeated id and an empty list: recorded. */
const observeLists = Effect.fnUntraced(function* (from: Owner, to: Owner) {
  const [named, kept] = [yield* ownedBy(from.id), yield* ownedBy(from.id)]
  const twice = yield* bulkTransfer({ from, to, credentialIds: [named.id, named.id] })
  const empty = yield* bulkTransfer({ from, to, credentialIds: [] })
  const after = yield* read("credential", kept.id)
  const moved = stillHolds(after, kept.owners).length > 0
  const observed = { "one id twice": batchInShort(twice), "no ids": batchInShort(empty), "no ids moves": moved }
  yield* observe("SIL-16", observed, [twice, empty, after])
})

/** A malformed id, a `to` that nobody is, and a link that is told both `from` and ids: recorded. */
const observeItems = Effect.fnUntraced(function* (from: Owner, to: Owner) {
  const owned = yield* ownedBy(from.id)
  const malformed = yield* bulkTransfer({ from, to, credentialIds: ["?"] })
  const both = (yield* offersBulkLink) ? [yield* linkInBulk({ from, to, credentialIds: [owned.id] })] : []
  const [nobody = to.id] = alteredIds(to.id, 1)
  const unknown = yield* bulkTransfer({ from, to: worker(nobody), credentialIds: [owned.id] })
  const batches = [malformed, ...both, unknown]
  const observed = {
    "malformed id": batchInShort(malformed),
    "unknown `to`": batchInShort(unknown),
    ...Object.fromEntries(both.map((batch) => ["link with `from` and ids", batchInShort(batch)]))
  }
  yield* observe("SIL-27", observed, batches)
  return batches
})

const silences = walk(
  {
    name: "bulk/silences",
    judges: ["BLK-12", "SIL-16", "SIL-27"],
    blast: "mutate-own",
    needs: ["credential body"]
  },
  Effect.gen(function* () {
    const [from, to] = [worker((yield* makeWorker()).id), worker((yield* makeWorker()).id)]
    yield* observeLists(from, to)
    const batches = yield* observeItems(from, to)
    // whatever else is open about these, they are not 409 as a whole
    yield* judge("BLK-12", batches, batches.flatMap(isConflict))
  })
)

/** What the specification leaves open about batches. */
export const silenceWalks: ReadonlyArray<Walk> = [silences]
