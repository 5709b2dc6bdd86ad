import { Effect } from "effect"
import { applicant, bulkLink, bulkTransfer, type Owner, worker } from "../../calls/OwnershipCalls.ts"
import { anyOwner, makeOwner, type Owners, read } from "../../calls/Resources.ts"
import { isFor, itemsIn, noConflict, type Owned, ownersSaid, says } from "../../exchanges/BatchAnswers.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, judge, judgePair } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { existingOwners } from "../../profile/ExistingOwners.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { isGuessable, nobodysIds, unknownCredential } from "../resource/UnknownIds.ts"
import { offersBulkLink, ownedAs, ownedBy, readAll } from "./Batches.ts"
import { makeWithoutWorker, offersApplicants, takesBoth } from "./OwnedCredentials.ts"
import { holds, stillHolds } from "./Slots.ts"

/** The maximum number of credentials in one request (§8). */
const limit = 500

/** A batch without ids, and the owner that it puts into a slot. */
interface Reaching {
  readonly batch: Exchange
  readonly to: Owner
}

/** Each batch has all credentials of its owner and no others. `expected` are the owners after all batches. */
const judgeReach = Effect.fnUntraced(function* (
  rule: "BLK-10" | "BLK-11",
  reaching: ReadonlyArray<Reaching>,
  { foreign, owned }: { readonly owned: ReadonlyArray<Owned>; readonly foreign: Owned },
  expected: Owners
) {
  const after = yield* readAll(owned)
  const afterForeign = yield* read("credential", foreign.id)
  const ids = owned.map(({ id }) => id)
  const batches = reaching.map(({ batch }) => batch)
  const shown = after.map((one) => one.after)
  yield* judge(
    rule,
    [...batches, ...shown, afterForeign],
    [
      ...batches.flatMap((batch) => [...Expect.accepted(batch), ...isFor(batch, ids)]),
      ...shown.flatMap((one) => holds(one, expected)),
      ...stillHolds(afterForeign, foreign.owners)
    ]
  )
  const said = after.flatMap(({ after: one, owned: { id, owners } }) =>
    holds(
      one,
      reaching.reduce((known, { batch, to }) => ownersSaid(batch, { id, owners: known }, to), owners)
    )
  )
  yield* judge("BLK-15", [...batches, ...shown], batches.every((batch) => isIn(batch, 2)) ? said : [])
})

/** Whether a credential can have a worker and a new applicant as owners. */
const makesBoth = Effect.gen(function* () {
  const { profile } = yield* Session
  return (yield* takesBoth) && existingOwners(profile, "applicant").length === 0
})

const allOfTransfer = walk({
  name: "bulk/transfer-all",
  judges: ["BLK-10"],
  alsoJudges: ["BLK-15", "BLK-16"],
  impact: "mutate-own",
  needs: ["credential body"]
})(function* () {
  const [from, to, other] = [yield* makeOwner("worker"), yield* anyOwner("worker"), yield* anyOwner("worker")]
  // of an existing applicant, a batch would move credentials of others
  const [first, next] = (yield* makesBoth) ? [yield* makeOwner("applicant"), yield* anyOwner("applicant")] : []
  const of = (worker: string, one = first) => ({ worker, ...(one && { applicant: one.id }) })
  const owned = yield* Effect.forEach([from, from, from], ({ id }) => ownedAs(of(id)))
  const foreign = yield* ownedAs(of(other.id, next))
  const transfers = [
    { from: worker(from.id), to: worker(to.id) },
    ...(first && next ? [{ from: applicant(first.id), to: applicant(next.id) }] : [])
  ]
  const reaching = yield* Effect.forEach(transfers, (one) =>
    Effect.map(bulkTransfer(one), (batch) => ({ batch, to: one.to }))
  )
  const last = transfers.at(-1)
  const again = yield* bulkTransfer({ ...last, credentialIds: owned.map(({ id }) => id) })
  yield* judgeReach("BLK-10", reaching, { owned, foreign }, of(to.id, next))
  yield* judge("BLK-16", [again], [...Expect.accepted(again), ...owned.flatMap(({ id }) => says(again, id, "noop"))])
})

const allOfLink = walk({
  name: "bulk/link-all",
  judges: ["BLK-11"],
  alsoJudges: ["BLK-15"],
  impact: "mutate-own",
  needs: ["credential body", "bulk link body"]
})(function* () {
  const [from, other] = [yield* makeOwner("worker"), yield* anyOwner("worker")]
  const owned = yield* Effect.forEach([from, from, from], ({ id }) => ownedBy(id))
  const foreign = yield* (yield* takesBoth)
    ? ownedAs({ worker: other.id, applicant: (yield* anyOwner("applicant")).id })
    : ownedBy(other.id)
  // without an applicant to link each item is a conflict, but still an item
  const isShared = yield* makesBoth
  const owner = isShared ? makeOwner("applicant") : anyOwner("applicant")
  const added = (yield* offersApplicants) ? { applicant: (yield* owner).id } : {}
  const [holder, others] = [worker(from.id), worker(other.id)]
  const to = added.applicant === undefined ? others : applicant(added.applicant)
  const reaching = [
    { batch: yield* bulkLink({ from: holder, to }), to },
    // each has a worker already, so each is a conflict
    ...(!isShared ? [] : [{ batch: yield* bulkLink({ from: to, to: others }), to: others }])
  ]
  yield* judgeReach("BLK-11", reaching, { owned, foreign }, { worker: from.id, ...added })
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
  const { ownership } = (yield* Session).profile
  const isNamed = JSON.stringify(ownership?.bulkLink ?? {}).includes("{{from}}")
  const from = isNamed ? { from: applicant(owners.applicant) } : {}
  const tooMany = yield* bulkLink({ ...from, to: worker(to.id), credentialIds: [id, ...others] })
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
