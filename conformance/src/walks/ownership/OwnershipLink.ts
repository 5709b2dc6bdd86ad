import { Effect } from "effect"
import { applicant, link, transfer, worker } from "../../calls/OwnershipCalls.ts"
import { anyOwner, makeOwner, read } from "../../calls/Resources.ts"
import * as Expect from "../../judgement/Expect.ts"
import { blockRule, control, judge, judgePair, observe } from "../../judgement/Judge.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { isIn, statusOf } from "../../wire/Exchange.ts"
import { nobodysId } from "../resource/UnknownIds.ts"
import { makeOwned, makeWithoutWorker, offersApplicants, seen } from "./OwnedCredentials.ts"
import { judgeLists } from "./OwnerLists.ts"
import { judgeUnlessMistaken, linkSaysType } from "./OwnershipBodies.ts"
import { holds, outcome, stillHolds } from "./Slots.ts"

const linkWorker = walk({
  name: "ownership/link-worker",
  judges: ["OWN-01"],
  alsoJudges: ["CRD-06"],
  impact: "mutate-own",
  needs: ["credential body", "applicant"]
})(function* () {
  const owner = yield* makeOwner("worker") // credentials of other walks could make the link break a business rule
  const { id } = owner
  const credential = yield* makeWithoutWorker()
  const linked = yield* link(credential.id, worker(id))
  const after = yield* read("credential", credential.id)
  yield* judgeUnlessMistaken(
    "OWN-01",
    [linked, after],
    [...Expect.status(linked, 200), ...holds(after, { ...credential.owners, worker: id })]
  )
  yield* judgeLists(credential.id, [{ owner, isOwner: true }])
})

const linkApplicant = walk({
  name: "ownership/link-applicant",
  judges: ["OWN-02", "OWN-15"],
  alsoJudges: ["CRD-06"],
  impact: "mutate-own",
  needs: ["credential body", "applicant"]
})(function* () {
  const owner = yield* anyOwner("worker")
  const added = yield* makeOwner("applicant")
  const { id } = added
  const credential = yield* makeOwned({ worker: owner.id })
  const both = { worker: owner.id, applicant: id }

  const linked = yield* link(credential.id, applicant(id))
  const after = yield* read("credential", credential.id)
  yield* judgeUnlessMistaken("OWN-02", [linked, after], [...Expect.status(linked, 200), ...holds(after, both)])
  yield* seen(after, both)
  yield* judgeLists(credential.id, [{ owner: added, isOwner: true }])

  // the second time repeats a no-op
  for (const before of [linked, after]) {
    const again = yield* link(credential.id, applicant(id))
    const afterAgain = yield* read("credential", credential.id)
    yield* judge("OWN-15", [before, again, afterAgain], [...Expect.accepted(again), ...stillHolds(afterAgain, both)])
  }
})

/** Links two applicants to a credential of this worker. The refused link must not change the worker's slot either. */
const linkAnotherApplicant = Effect.fnUntraced(function* (owner: string) {
  const [one, other] = [yield* anyOwner("applicant"), yield* anyOwner("applicant")]
  const { id } = yield* makeOwned({ worker: owner })
  const both = { worker: owner, applicant: one.id }
  const linked = yield* control(link(id, applicant(one.id)))
  yield* seen(yield* read("credential", id), both)
  const probe = yield* link(id, applicant(other.id))
  const after = yield* read("credential", id)
  yield* judgePair("OWN-04", { control: linked, probe, after }, [
    ...Expect.error(probe, 409, "ALREADY_LINKED"),
    ...stillHolds(after, both)
  ])
})

const linkAnother = walk({
  name: "ownership/link-another",
  judges: ["OWN-03", "OWN-04", "OWN-05"],
  impact: "mutate-own",
  needs: ["credential body"]
})(function* () {
  const [holder, other] = [yield* anyOwner("worker"), yield* anyOwner("worker")]
  const { id } = yield* makeOwned({ worker: holder.id })

  const again = yield* link(id, worker(holder.id))
  const afterAgain = yield* read("credential", id)
  yield* judgeUnlessMistaken(
    "OWN-03",
    [again, afterAgain],
    [...Expect.status(again, 200), ...stillHolds(afterAgain, { worker: holder.id })]
  )

  yield* seen(afterAgain, { worker: holder.id })
  // it repeats a no-op
  const twice = yield* link(id, worker(holder.id))
  yield* judge("OWN-03", [again, twice], Expect.status(twice, 200))
  const same = yield* control(Effect.succeed(again))
  const probe = yield* link(id, worker(other.id))
  const after = yield* read("credential", id)
  yield* judgePair("OWN-04", { control: same, probe, after }, [
    ...Expect.error(probe, 409, "ALREADY_LINKED"),
    ...stillHolds(after, { worker: holder.id })
  ])
  if (statusOf(probe) === 409) {
    yield* judge("OWN-05", [probe], Expect.matches(probe, "error.message", /transfer/i, "a text that names transfer"))
  } else {
    yield* blockRule("OWN-05", "a link of another owner was not answered with 409", [probe])
  }
  if (yield* offersApplicants) yield* linkAnotherApplicant(holder.id)
})

const linkContradiction = walk({
  name: "ownership/link-contradiction",
  judges: ["OWN-06", "SIL-17"],
  alsoJudges: ["OWN-21"],
  impact: "mutate-own",
  needs: ["credential body", "applicant"]
})(function* () {
  yield* linkSaysType
  const owner = yield* anyOwner("worker")
  const other = yield* anyOwner("applicant")
  const first = yield* makeOwned({ worker: owner.id })
  const second = yield* makeOwned({ worker: owner.id })
  const third = yield* makeWithoutWorker()

  // into empty slots: a full slot would always conflict
  const linked = yield* control(link(first.id, applicant(other.id)))
  const workerAsApplicant = yield* link(second.id, applicant(owner.id))
  const movedToApplicant = yield* transfer(second.id, worker(owner.id), worker(other.id))
  const afterSecond = yield* read("credential", second.id)
  const applicantAsWorker = yield* link(third.id, worker(other.id))
  const afterThird = yield* read("credential", third.id)
  yield* judgePair(
    "OWN-06",
    {
      control: linked,
      probe: [workerAsApplicant, movedToApplicant, applicantAsWorker],
      after: [afterSecond, afterThird]
    },
    [
      ...Expect.rejected(workerAsApplicant),
      ...Expect.rejected(movedToApplicant),
      ...stillHolds(afterSecond, { worker: owner.id }),
      ...Expect.rejected(applicantAsWorker),
      ...stillHolds(afterThird, third.owners)
    ]
  )

  const nobody = nobodysId(other.id)
  if (nobody === undefined) {
    return yield* observe("SIL-17", "not asked: every invented id may be in use", [])
  }
  const stranger = yield* link(second.id, applicant(nobody))
  const next = nobodysId(owner.id)
  const moved = next === undefined ? [] : [yield* transfer(second.id, worker(owner.id), worker(next))]
  const afterStranger = yield* read("credential", second.id)
  // a deployment may take an owner that it does not know
  const refused = moved.filter((one) => isIn(one, 4))
  if (refused.length > 0 && isIn(stranger, 4)) {
    yield* judge("OWN-21", [...refused, afterStranger], stillHolds(afterStranger, { worker: owner.id }))
  }
  const names = { [owner.id]: "the owner", [nobody]: "the unknown id" }
  yield* observe("SIL-17", outcome(stranger, afterStranger, names), [stranger, afterStranger])
})

/** Links of an owner into a slot. */
export const linkWalks: ReadonlyArray<Walk> = [linkWorker, linkApplicant, linkAnother, linkContradiction]
