import { Effect } from "effect"
import { applicant, link, type Owner, transfer, worker } from "../../calls/OwnershipCalls.ts"
import { anyOwner, makeOwner, type Owners, type Owning, read } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { blockRule, control, judge, judgePair, observe } from "../../judgement/Judge.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { type Exchange, statusOf } from "../../wire/Exchange.ts"
import { hasWord } from "../../wire/Words.ts"
import { makeOwned, makeWithoutWorker, offersApplicants, otherReader, readAs, seen } from "./OwnedCredentials.ts"
import { judgeLists } from "./OwnerLists.ts"
import { holds, outcome, stillHolds } from "./Slots.ts"

/** The text names the owner by id or by another known value. */
const namesHolder = (probe: Exchange, holder: Owning): Expect.Met => {
  const message = Expect.valueAt(probe, "error.message")
  const isNamed = typeof message === "string" && [holder.id, holder.unique].some((name) => hasWord(message, name))
  return isNamed
    ? []
    : Expect.difference(probe, "wrong-value", "body.error.message", `a text that names ${holder.id}`, message)
}

/** Whether the profile names this owner. */
const isExisting = ({ id, unique }: Owning): boolean => unique === id

/** The parties of a transfer, all of one type. */
interface Parties {
  readonly holder: Owning
  readonly next: Owning
  readonly stranger: Owning
  readonly as: (id: string) => Owner
}

/**
 * Transfers a slot from another owner, then from its current owner. `others` is the content of the other slot. The
 * refused call comes first, so that it and its control see the same state and differ in `from` alone.
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
  // another caller sees the same
  const reader = yield* otherReader(from.type === "worker" ? "personalToken" : "secondClient")
  const after = yield* readAs(`/credentials/${encodeURIComponent(id)}`, reader)
  const owners = { ...others, [to.type]: to.id }
  if (kept.length === 0) {
    yield* judge("OWN-07", [moved, after], [...Expect.status(moved, 200), ...holds(after, owners)])
  } else {
    yield* blockRule("OWN-07", "an earlier transfer from another owner had moved the credential", [probe, afterProbe])
  }
  const carriedOut = yield* control(Effect.succeed(moved))
  yield* judgePair("OWN-08", { control: carriedOut, probe, after: afterProbe }, [
    ...Expect.error(probe, 409, "OWNER_MISMATCH"),
    ...kept
  ])
  if (statusOf(probe) === 409) yield* judge("OWN-09", [probe], namesHolder(probe, holder))
  else yield* blockRule("OWN-09", "a transfer from another owner was not answered with 409", [probe])
  yield* seen(after, owners)
  return moved
})

/**
 * An applicant is transferred like a worker, and each slot independently. Records a transfer from an empty slot, which
 * the specification leaves open.
 */
const transferApplicant = Effect.fnUntraced(function* (owner: Owning, next: Owning) {
  // a second credential of one worker could break a business rule
  const nextOwner = isExisting(next) ? next : yield* makeOwner("worker")
  const [from, to, stranger] = [
    yield* anyOwner("applicant"),
    yield* makeOwner("applicant"),
    yield* anyOwner("applicant")
  ]
  const { id } = yield* makeOwned({ worker: owner.id })
  yield* control(link(id, applicant(from.id)))
  // with only two existing applicants, no third one can be the wrong owner
  yield* stranger.id === from.id
    ? control(transfer(id, applicant(from.id), applicant(to.id)))
    : judgeTransfer(id, { as: applicant, holder: from, next: to, stranger }, { worker: owner.id })
  yield* judgeLists(id, [{ owner: to, isOwner: true }])
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

/**
 * Records transfers to the current owner `to`: from someone who never owned the credential, and from itself. The
 * specification leaves both open.
 */
const transferToHolder = Effect.fnUntraced(function* (id: string, stranger: string, to: string) {
  const names = { [to]: "to", [stranger]: "from" }
  const fromStranger = yield* transfer(id, worker(stranger), worker(to))
  const afterStranger = yield* read("credential", id)
  yield* observe("SIL-07", { single: outcome(fromStranger, afterStranger, names) }, [fromStranger, afterStranger])
  const toItself = yield* transfer(id, worker(to), worker(to))
  const afterItself = yield* read("credential", id)
  yield* observe("SIL-28", { "from equal to `to`": outcome(toItself, afterItself, names) }, [toItself, afterItself])
})

const transferBetweenWorkers = walk({
  name: "ownership/transfer",
  judges: ["OWN-07", "OWN-08", "OWN-09", "OWN-10", "OWN-15", "SIL-07", "SIL-28"],
  alsoJudges: ["CRD-06"],
  impact: "mutate-own",
  needs: ["credential body"]
})(function* () {
  const [holder, next, stranger] = [yield* makeOwner("worker"), yield* makeOwner("worker"), yield* anyOwner("worker")]
  const { id } = yield* makeOwned({ worker: holder.id })

  const moved = yield* judgeTransfer(id, { as: worker, holder, next, stranger }, {})
  const again = yield* transfer(id, worker(holder.id), worker(next.id))
  const afterAgain = yield* read("credential", id)
  const asOnce = [...Expect.accepted(again), ...stillHolds(afterAgain, { worker: next.id })]
  yield* judge("OWN-10", [moved, again, afterAgain], asOnce)
  yield* judge("OWN-15", [moved, again, afterAgain], asOnce)

  yield* judgeLists(id, [
    { owner: holder, isOwner: false },
    { owner: next, isOwner: true }
  ])
  yield* transferToHolder(id, stranger.id, next.id)
  if (yield* offersApplicants) yield* transferApplicant(holder, next)
})

const transferAcross = walk({
  name: "ownership/transfer-across",
  judges: ["SIL-08"],
  impact: "mutate-own",
  needs: ["credential body", "applicant"]
})(function* () {
  const to = yield* anyOwner("worker")
  const { id, owners } = yield* makeWithoutWorker()
  const answer = yield* transfer(id, applicant(owners.applicant), worker(to.id))
  const after = yield* read("credential", id)
  yield* observe("SIL-08", outcome(answer, after, { [owners.applicant]: "from", [to.id]: "to" }), [answer, after])
})

/** Transfers from one owner to another. */
export const transferWalks: ReadonlyArray<Walk> = [transferBetweenWorkers, transferAcross]
