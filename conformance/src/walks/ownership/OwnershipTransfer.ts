import { Effect } from "effect"
import { applicant, link, type Owner, transfer, worker } from "../../calls/OwnershipCalls.ts"
import { makeApplicant, makeWorker, type Owners, type Resource, read } from "../../calls/Resources.ts"
import * as Expect from "../../engine/Expect.ts"
import { blockRule, control, judge, judgePair, observe } from "../../engine/Judge.ts"
import { type Walk, walk } from "../../engine/Walk.ts"
import { type Exchange, statusOf } from "../../wire/Exchange.ts"
import { makeOwned, makeWithoutWorker, offersApplicants, seen } from "./OwnedCredentials.ts"
import { holds, outcome, stillHolds } from "./Slots.ts"

/** The text may name the holder by id or by what else is known of it. */
const namesHolder = (probe: Exchange, holder: Resource): Expect.Met => {
  const message = Expect.valueAt(probe, "error.message")
  const isNamed = typeof message === "string" && [holder.id, holder.unique].some((name) => message.includes(name))
  return isNamed
    ? []
    : Expect.difference(probe, "wrong-value", "body.error.message", `a text that names ${holder.id}`, message)
}

/** Who a transfer is between, all of one kind. */
interface Parties {
  readonly holder: Resource
  readonly next: Resource
  readonly stranger: Resource
  readonly as: (id: string) => Owner
}

/**
 * Transfers a slot from somebody else and then from its holder; `others` is what the other slot holds. The refused one
 * comes first: it and its control are about one state, and differ in `from` alone.
 */
const judgeTransfer = Effect.fnUntraced(function* (
  id: string,
  { as, holder, next, stranger }: Parties,
  others: Owners
) {
  const [from, to] = [as(holder.id), as(next.id)]
  const probe = yield* transfer(id, as(stranger.id), to)
  const afterProbe = yield* read("credential", id)
  const kept = stillHolds(afterProbe, { ...others, [from.type]: from.id })
  const moved = yield* transfer(id, from, to)
  const after = yield* read("credential", id)
  const owners = { ...others, [to.type]: to.id }
  if (kept.length === 0) {
    yield* judge("OWN-07", [moved, after], [...Expect.status(moved, 200), ...holds(after, owners)])
  } else {
    yield* blockRule("OWN-07", "a transfer from somebody else had moved the credential before", [probe, afterProbe])
  }
  const carriedOut = yield* control(Effect.succeed(moved))
  yield* judgePair("OWN-08", { control: carriedOut, probe, after: afterProbe }, [
    ...Expect.error(probe, 409, "OWNER_MISMATCH"),
    ...kept
  ])
  if (statusOf(probe) === 409) yield* judge("OWN-09", [probe], namesHolder(probe, holder))
  else yield* blockRule("OWN-09", "a transfer from somebody else was not answered with 409", [probe])
  yield* seen(after, owners)
  return moved
})

/** The applicant slot moves as the worker slot does, and each alone; from an empty slot: left open, and recorded. */
const transferApplicant = Effect.fnUntraced(function* (owner: Resource, nextOwner: Resource) {
  const [from, to, stranger] = [yield* makeApplicant(), yield* makeApplicant(), yield* makeApplicant()]
  const { id } = yield* makeOwned({ worker: owner.id })
  yield* control(link(id, applicant(from.id)))
  yield* judgeTransfer(id, { as: applicant, holder: from, next: to, stranger }, { worker: owner.id })
  const moved = yield* transfer(id, worker(owner.id), worker(nextOwner.id))
  const after = yield* read("credential", id)
  yield* judge(
    "OWN-07",
    [moved, after],
    [...Expect.status(moved, 200), ...holds(after, { worker: nextOwner.id, applicant: to.id })]
  )

  const empty = yield* makeOwned({ worker: owner.id })
  const answer = yield* transfer(empty.id, applicant(from.id), applicant(to.id))
  const afterEmpty = yield* read("credential", empty.id)
  const names = { [owner.id]: "its holder", [from.id]: "from", [to.id]: "to" }
  yield* observe("SIL-28", { "from an empty slot": outcome(answer, afterEmpty, names) }, [answer, afterEmpty])
})

/** A transfer to the present holder `to`, from somebody who never was one and from itself: left open, and recorded. */
const transferToHolder = Effect.fnUntraced(function* (id: string, stranger: string, to: string) {
  const names = { [to]: "to", [stranger]: "from" }
  const fromStranger = yield* transfer(id, worker(stranger), worker(to))
  const afterStranger = yield* read("credential", id)
  yield* observe("SIL-07", { single: outcome(fromStranger, afterStranger, names) }, [fromStranger, afterStranger])
  const toItself = yield* transfer(id, worker(to), worker(to))
  const afterItself = yield* read("credential", id)
  yield* observe("SIL-28", { "from equal to `to`": outcome(toItself, afterItself, names) }, [toItself, afterItself])
})

const transferBetweenWorkers = walk(
  {
    name: "ownership/transfer",
    judges: ["OWN-07", "OWN-08", "OWN-09", "OWN-10", "OWN-15", "SIL-07", "SIL-28"],
    impact: "mutate-own",
    needs: ["credential body"]
  },
  Effect.gen(function* () {
    const [holder, next, stranger] = [yield* makeWorker(), yield* makeWorker(), yield* makeWorker()]
    const { id } = yield* makeOwned({ worker: holder.id })

    const moved = yield* judgeTransfer(id, { as: worker, holder, next, stranger }, {})
    const again = yield* transfer(id, worker(holder.id), worker(next.id))
    const afterAgain = yield* read("credential", id)
    const asOnce = [...Expect.accepted(again), ...stillHolds(afterAgain, { worker: next.id })]
    yield* judge("OWN-10", [moved, again, afterAgain], asOnce)
    yield* judge("OWN-15", [moved, again, afterAgain], asOnce)

    yield* transferToHolder(id, stranger.id, next.id)
    if (yield* offersApplicants) yield* transferApplicant(holder, next)
  })
)

const transferAcross = walk(
  {
    name: "ownership/transfer-across",
    judges: ["SIL-08"],
    impact: "mutate-own",
    needs: ["credential body", "applicant"]
  },
  Effect.gen(function* () {
    const to = yield* makeWorker()
    const { id, owners } = yield* makeWithoutWorker()
    const answer = yield* transfer(id, applicant(owners.applicant), worker(to.id))
    const after = yield* read("credential", id)
    yield* observe("SIL-08", outcome(answer, after, { [owners.applicant]: "from", [to.id]: "to" }), [answer, after])
  })
)

/** Moving a slot from one owner to another. */
export const transferWalks: ReadonlyArray<Walk> = [transferBetweenWorkers, transferAcross]
