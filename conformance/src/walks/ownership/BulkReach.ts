import { Effect } from "effect"
import { applicant, bulkLink, bulkTransfer, worker } from "../../calls/OwnershipCalls.ts"
import { anyOwner, makeOwner, read } from "../../calls/Resources.ts"
import { isFor, itemsIn, noConflict } from "../../exchanges/BatchAnswers.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judge, judgePair } from "../../judgement/Judge.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { isGuessable, nobodysIds, unknownCredential } from "../resource/UnknownIds.ts"
import { offersBulkLink, ownedBy, readAll } from "./Batches.ts"
import { makeWithoutWorker, offersApplicants } from "./OwnedCredentials.ts"
import { holds, stillHolds } from "./Slots.ts"

/** The maximum number of credentials in one request (§8). */
const limit = 500

const allOfTransfer = walk({
  name: "bulk/transfer-all",
  judges: ["BLK-10"],
  impact: "mutate-own",
  needs: ["credential body"]
})(function* () {
  const [from, to, other] = [yield* makeOwner("worker"), yield* anyOwner("worker"), yield* anyOwner("worker")]
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

const allOfLink = walk({
  name: "bulk/link-all",
  judges: ["BLK-11"],
  impact: "mutate-own",
  needs: ["credential body", "bulk link body"]
})(function* () {
  const [from, other] = [yield* makeOwner("worker"), yield* anyOwner("worker")]
  const owned = [yield* ownedBy(from.id), yield* ownedBy(from.id)]
  const foreign = yield* ownedBy(other.id)
  // without an applicant to link each item is a conflict, but still an item
  const added = (yield* offersApplicants) ? { applicant: (yield* anyOwner("applicant")).id } : {}
  const to = added.applicant === undefined ? worker(other.id) : applicant(added.applicant)
  const batch = yield* bulkLink({ from: worker(from.id), to })
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

const hasAll = (batch: Parameters<typeof itemsIn>[0]): Expect.Met => {
  const status = Expect.accepted(batch)
  const items = itemsIn(batch).length
  if (status.length > 0) return status
  return items === limit ? [] : Expect.difference(batch, "wrong-value", "body.data", `${limit} items`, items)
}

/** Enough unknown credential ids to make a batch with one real id too large. */
const othersThan = (real: string) => {
  const others = nobodysIds(real, limit)
  return others === undefined
    ? block("ids are too short to invent unused ones: a large batch might change credentials of others")
    : Effect.succeed(others)
}

/** A link has the same limit. */
const judgeLinkLimit = Effect.fnUntraced(function* () {
  const to = yield* anyOwner("worker")
  const { id, owners } = yield* makeWithoutWorker()
  if (isGuessable(id)) return // without `from`, a link could reach credentials of others
  const others = yield* othersThan(id)
  const tooMany = yield* bulkLink({ to: worker(to.id), credentialIds: [id, ...others] })
  const after = yield* read("credential", id)
  const taken = yield* bulkLink({ to: worker(to.id), credentialIds: [id, ...others.slice(1)] })
  yield* judge("BLK-12", [tooMany], noConflict(tooMany))
  yield* judge("BLK-08", [taken], hasAll(taken))
  yield* judgePair("BLK-09", { control: yield* control(Effect.succeed(taken)), probe: tooMany, after }, [
    ...Expect.rejected(tooMany),
    ...stillHolds(after, owners)
  ])
})

const limits = walk({
  name: "bulk/limit",
  judges: ["BLK-08", "BLK-09", "BLK-12"],
  impact: "mutate-own",
  needs: ["credential body"]
})(function* () {
  const [from, to] = [yield* anyOwner("worker"), yield* anyOwner("worker")]
  const { id, owners } = yield* ownedBy(from.id)
  yield* unknownCredential(id)
  const others = yield* othersThan(id)
  const move = (others: ReadonlyArray<string>) =>
    bulkTransfer({ from: worker(from.id), to: worker(to.id), credentialIds: [id, ...others] })
  const tooMany = yield* move(others)
  const after = yield* read("credential", id)
  const taken = yield* move(others.slice(1))
  yield* judge("BLK-12", [tooMany], noConflict(tooMany))
  yield* judge("BLK-08", [taken], hasAll(taken))
  yield* judgePair("BLK-09", { control: yield* control(Effect.succeed(taken)), probe: tooMany, after }, [
    ...Expect.rejected(tooMany),
    ...stillHolds(after, owners)
  ])
  if ((yield* offersBulkLink) && (yield* offersApplicants)) yield* judgeLinkLimit()
})

/** How many credentials a batch accepts, and which ones it selects without ids. */
export const reachWalks: ReadonlyArray<Walk> = [allOfTransfer, allOfLink, limits]
