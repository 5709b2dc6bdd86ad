import { Effect } from "effect"
import { applicant, link, unlink, worker } from "../../calls/OwnershipCalls.ts"
import { anyOwner, makeOwner, read, remove, unlessAstray } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { block, control, inShort, judge, judgePair, observe } from "../../judgement/Judge.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { isIn } from "../../wire/Exchange.ts"
import { anApplicant, makeOwned, offersApplicants, seen } from "./OwnedCredentials.ts"
import { judgeLists } from "./OwnerLists.ts"
import { judgeUnlessMistaken } from "./OwnershipBodies.ts"
import { holds, outcome, stillHolds } from "./Slots.ts"

/** Records an unlink of someone who is not the owner, with both slots full. The specification leaves it open. */
const unlinkStranger = Effect.fnUntraced(function* (id: string, both: { worker: string; applicant: string }) {
  const stranger = yield* anyOwner("worker")
  const answer = yield* unlink(id, worker(stranger.id))
  const after = yield* read("credential", id)
  const names = { [both.worker]: "its holder", [both.applicant]: "its holder" }
  yield* observe("SIL-06", outcome(answer, after, names), [answer, after])
})

const unlinkOneOfTwo = walk({
  name: "ownership/unlink-one-of-two",
  judges: ["OWN-11", "OWN-14", "OWN-15", "SIL-06"],
  alsoJudges: ["CRD-06"],
  impact: "mutate-own",
  needs: ["credential body", "applicant"]
})(function* () {
  // a list of the credentials of a shared owner may have several pages
  const owner = yield* makeOwner("worker")
  const other = yield* makeOwner("applicant")
  const { id } = yield* makeOwned({ worker: owner.id })
  const both = { worker: owner.id, applicant: other.id }
  yield* control(link(id, applicant(other.id)))
  yield* seen(yield* read("credential", id), both)

  const unlinked = yield* unlink(id, applicant(other.id))
  const after = yield* read("credential", id)
  yield* judgeUnlessMistaken(
    "OWN-11",
    [unlinked, after],
    [...Expect.status(unlinked, 200), ...holds(after, { worker: owner.id })]
  )
  yield* seen(after, { worker: owner.id })
  yield* judgeLists(id, [
    { owner, isOwner: true },
    { owner: other, isOwner: false }
  ])

  const again = yield* unlink(id, applicant(other.id))
  const afterAgain = yield* read("credential", id)
  const asBefore = stillHolds(afterAgain, { worker: owner.id })
  yield* judge("OWN-14", [after, again, afterAgain], [...Expect.status(again, 200), ...asBefore])
  yield* judge("OWN-15", [unlinked, again, afterAgain], [...Expect.accepted(again), ...asBefore])
  yield* seen(afterAgain, { worker: owner.id })

  yield* control(link(id, applicant(other.id)))
  const workerOut = yield* unlink(id, worker(owner.id))
  const afterWorker = yield* read("credential", id)
  yield* judgeUnlessMistaken(
    "OWN-11",
    [workerOut, afterWorker],
    [...Expect.status(workerOut, 200), ...holds(afterWorker, { applicant: other.id })]
  )
  yield* seen(afterWorker, { applicant: other.id })
  yield* judgeLists(id, [{ owner: other, isOwner: true }])

  const workerAgain = yield* unlink(id, worker(owner.id))
  const afterWorkerAgain = yield* read("credential", id)
  yield* judge(
    "OWN-14",
    [afterWorker, workerAgain, afterWorkerAgain],
    [...Expect.status(workerAgain, 200), ...stillHolds(afterWorkerAgain, { applicant: other.id })]
  )

  yield* control(link(id, worker(owner.id)))
  yield* unlinkStranger(id, both)
})

/** The rule also holds if the last owner is an applicant. */
const unlinkLastApplicant = Effect.fnUntraced(function* (id: string, owner: string) {
  const last = yield* anyOwner("applicant")
  yield* control(link(id, applicant(last.id)))
  const workerOut = yield* control(unlink(id, worker(owner)))
  yield* seen(yield* read("credential", id), { applicant: last.id })
  const probe = yield* unlink(id, applicant(last.id))
  const after = yield* read("credential", id)
  yield* judgePair("OWN-12", { control: workerOut, probe, after }, [
    ...Expect.rejected(probe),
    ...stillHolds(after, { applicant: last.id })
  ])
})

const unlinkLast = walk({
  name: "ownership/unlink-last",
  judges: ["OWN-12", "OWN-13", "SIL-01"],
  impact: "mutate-own",
  needs: ["credential body"]
})(function* () {
  const owner = yield* anyOwner("worker")
  const { id } = yield* makeOwned({ worker: owner.id })

  // an unlink from an empty slot has no effect: it shows that the call is understood without a second owner
  const nothing = yield* control(unlink(id, yield* anApplicant(owner)))
  const probe = yield* unlink(id, worker(owner.id))
  const after = yield* read("credential", id)
  yield* judgePair("OWN-12", { control: nothing, probe, after }, [
    ...Expect.rejected(probe),
    ...stillHolds(after, { worker: owner.id })
  ])
  yield* observe("SIL-01", inShort(probe), [probe])
  const message = Expect.valueAt(probe, "error.message")
  yield* observe("OWN-13", typeof message === "string" && /delet/i.test(message), [probe])
  yield* seen(after, { worker: owner.id })
  if (yield* offersApplicants) yield* unlinkLastApplicant(id, owner.id)
})

const deleteInstead = walk({
  name: "ownership/delete-instead",
  judges: ["OWN-22"],
  impact: "mutate-own",
  needs: ["credential body", "delete paths"]
})(function* () {
  const owner = yield* anyOwner("worker")
  const { id } = yield* makeOwned({ worker: owner.id })
  const unlinked = yield* unlink(id, worker(owner.id))
  if (!isIn(unlinked, 4)) return yield* block("the unlink of the last owner was not refused", unlinked)
  const removed = yield* unlessAstray("credential", yield* remove("credential", id))
  yield* judge("OWN-22", [unlinked, removed], Expect.status(removed, 204))
})

/** Unlinks of an owner from a slot. */
export const unlinkWalks: ReadonlyArray<Walk> = [unlinkOneOfTwo, unlinkLast, deleteInstead]
