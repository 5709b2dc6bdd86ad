import { Effect } from "effect"
import * as Expect from "../Expect.ts"
import { control, judge, judgePair } from "../Judge.ts"
import { applicant, bulkTransfer, worker } from "../OwnershipCalls.ts"
import { makeApplicant, makeWorker, read } from "../Resources.ts"
import { type Walk, walk } from "../Walk.ts"
import { isFor, itemsIn, noConflict } from "./BatchAnswers.ts"
import { linkInBulk, offersBulkLink, ownedBy, readAll } from "./Batches.ts"
import { makeWithoutWorker, offersApplicants } from "./OwnedCredentials.ts"
import { holds, stillHolds } from "./Slots.ts"
import { alteredIds, isGuessable, unknownCredential } from "./UnknownIds.ts"

/** The most credentials that one request may name (section 8). */
const limit = 500

const allOfTransfer = walk(
  {
    name: "bulk/transfer-all",
    judges: ["BLK-10"],
    blast: "mutate-own",
    needs: ["credential body"]
  },
  Effect.gen(function* () {
    const [from, to, other] = [yield* makeWorker(), yield* makeWorker(), yield* makeWorker()]
    const owned = [yield* ownedBy(from.id), yield* ownedBy(from.id), yield* ownedBy(from.id)]
    const foreign = yield* ownedBy(other.id)
    const batch = yield* bulkTransfer({ from: worker(from.id), to: worker(to.id) })
    const after = yield* readAll(owned)
    const afterForeign = yield* read("credential", foreign.id)
    yield* judge(
      "BLK-10",
      [batch, ...after.map((one) => one.after), afterForeign],
      [
        ...Expect.accepted(batch),
        ...isFor(
          batch,
          owned.map(({ id }) => id)
        ),
        ...after.flatMap((one) => holds(one.after, { worker: to.id })),
        ...stillHolds(afterForeign, foreign.owners)
      ]
    )
  })
)

const allOfLink = walk(
  {
    name: "bulk/link-all",
    judges: ["BLK-11"],
    blast: "mutate-own",
    needs: ["credential body", "bulk link body"]
  },
  Effect.gen(function* () {
    const [from, other] = [yield* makeWorker(), yield* makeWorker()]
    const owned = [yield* ownedBy(from.id), yield* ownedBy(from.id)]
    const foreign = yield* ownedBy(other.id)
    // with no applicant to link, each is a conflict: it is an item all the same
    const added = (yield* offersApplicants) ? { applicant: (yield* makeApplicant()).id } : {}
    const to = added.applicant === undefined ? worker(other.id) : applicant(added.applicant)
    const batch = yield* linkInBulk({ from: worker(from.id), to })
    const after = yield* readAll(owned)
    const afterForeign = yield* read("credential", foreign.id)
    yield* judge(
      "BLK-11",
      [batch, ...after.map((one) => one.after), afterForeign],
      [
        ...Expect.accepted(batch),
        ...isFor(
          batch,
          owned.map(({ id }) => id)
        ),
        ...after.flatMap((one) => holds(one.after, { ...one.owned.owners, ...added })),
        ...stillHolds(afterForeign, foreign.owners)
      ]
    )
  })
)

const hasAll = (batch: Parameters<typeof itemsIn>[0]): Expect.Met => {
  const status = Expect.accepted(batch)
  const items = itemsIn(batch).length
  if (status.length > 0) return status
  return items === limit ? [] : Expect.difference(batch, "wrong-value", "body.data", `${limit} items`, items)
}

/** A batch of one real credential and as many others that do not exist as make up the number. */
const batchOf = (real: string, size: number) => [real, ...alteredIds(real, size - 1)]

/** A link has the same limit; only where an altered id cannot be somebody's, for it would be linked. */
const judgeLinkLimit = Effect.fnUntraced(function* () {
  const to = yield* makeWorker()
  const { id, owners } = yield* makeWithoutWorker()
  if (isGuessable(id)) return
  const tooMany = yield* linkInBulk({ to: worker(to.id), credentialIds: batchOf(id, limit + 1) })
  const after = yield* read("credential", id)
  const taken = yield* linkInBulk({ to: worker(to.id), credentialIds: batchOf(id, limit) })
  yield* judge("BLK-12", [tooMany], noConflict(tooMany))
  yield* judge("BLK-08", [taken], hasAll(taken))
  yield* judgePair("BLK-09", { control: yield* control(Effect.succeed(taken)), probe: tooMany, after }, [
    ...Expect.rejected(tooMany),
    ...stillHolds(after, owners)
  ])
})

const limits = walk(
  {
    name: "bulk/limit",
    judges: ["BLK-08", "BLK-09", "BLK-12"],
    blast: "mutate-own",
    needs: ["credential body"]
  },
  Effect.gen(function* () {
    const [from, to] = [yield* makeWorker(), yield* makeWorker()]
    const { id, owners } = yield* ownedBy(from.id)
    yield* unknownCredential(id)
    const move = (size: number) =>
      bulkTransfer({ from: worker(from.id), to: worker(to.id), credentialIds: batchOf(id, size) })
    const tooMany = yield* move(limit + 1)
    const after = yield* read("credential", id)
    const taken = yield* move(limit)
    yield* judge("BLK-12", [tooMany], noConflict(tooMany))
    yield* judge("BLK-08", [taken], hasAll(taken))
    yield* judgePair("BLK-09", { control: yield* control(Effect.succeed(taken)), probe: tooMany, after }, [
      ...Expect.rejected(tooMany),
      ...stillHolds(after, owners)
    ])
    if ((yield* offersBulkLink) && (yield* offersApplicants)) yield* judgeLinkLimit()
  })
)

/** How many credentials a batch takes, and which where it names none. */
export const reachWalks: ReadonlyArray<Walk> = [allOfTransfer, allOfLink, limits]
