import { Effect, Result } from "effect"
import { everyPair, ownersOfAType, type People, type Step, sequences } from "../../calls/OwnershipSteps.ts"
import { makeOwner, type Owning } from "../../calls/Resources.ts"
import * as TransitionReadings from "../../calls/TransitionReadings.ts"
import { type Party, type SlotName, slotNames } from "../../calls/Transitions.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import { inconclusive, judge } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { type Walk, walk } from "../../judgement/Walk.ts"
import { existingOwners } from "../../profile/ExistingOwners.ts"
import { limitsOf } from "../../profile/Limits.ts"
import { needs } from "../../profile/Need.ts"
import type { Exchange } from "../../wire/Exchange.ts"
import { nobodysId } from "../resource/UnknownIds.ts"
import { offersBulkLink } from "./Batches.ts"
import { falsify, shorten } from "./Falsify.ts"
import { holdBodies } from "./OwnershipBodies.ts"
import { type Ending, runSequence } from "./Sequence.ts"

/** After this many calls without a defect, no further sequence starts. */
const callsInAll = 40

/** The minimum number of calls of a sequence, because its credentials must be created. */
const leastCalls = 8

/** No search tries more sequences. */
const maxValues = callsInAll / leastCalls

/** The maximum number of calls that search for a simpler sequence after a defect. */
const callsToShrink = 60

/** The maximum number of further calls that try the sequence without some of its steps. */
const callsToShorten = 240

const partiesOf = (type: SlotName, made: ReadonlyArray<Owning>): ReadonlyArray<Party> => {
  const nobody = made[0] === undefined ? undefined : nobodysId(made[0].id)
  return [
    ...made.map(({ id }): Party => ({ type, id })),
    ...(nobody === undefined ? [] : [{ type, id: nobody, isNobody: true as const }])
  ]
}

/** Owners to link and unlink, followed by unused ids. */
const makePeople = Effect.gen(function* () {
  const indices = Array.from({ length: ownersOfAType })
  const workers = yield* Effect.forEach(indices, () => makeOwner("worker"))
  const applicants = yield* Effect.forEach(indices, () => makeOwner("applicant"))
  const people: People = { worker: partiesOf("worker", workers), applicant: partiesOf("applicant", applicants) }
  return people
})

const hasNobody = (people: People): boolean =>
  people.worker.length > ownersOfAType && people.applicant.length > ownersOfAType

const seededSequences = walk({
  name: "ownership/sequences",
  judges: ["OWN-21"],
  impact: "mutate-own",
  needs: ["credential body", "applicant"]
})(function* () {
  const { profile } = yield* Session
  const { seed } = limitsOf(profile)
  const people = yield* makePeople
  const offered = {
    nobody: hasNobody(people),
    bulkLink: yield* offersBulkLink,
    deleting: needs["delete paths"].isMet(profile),
    shared: slotNames.filter((type) => existingOwners(profile, type).length > 0)
  }
  const judging = TransitionReadings.make()
  const evidence: Array<Exchange> = []
  let calls = 0
  let wrong: Extract<Ending, { readonly as: "wrong" }> | undefined
  let hindrance: Blocked | undefined
  const isRight = Effect.fnUntraced(function* (steps: ReadonlyArray<Step>, among: People) {
    const ending = yield* Effect.result(runSequence(steps, among, judging))
    if (Result.isFailure(ending)) {
      hindrance = ending.failure
      calls += leastCalls
      return true
    }
    calls += Math.max(leastCalls, ending.success.evidence.length)
    if (ending.success.as === "wrong") {
      if (wrong === undefined) yield* holdBodies(ending.success.evidence)
      wrong = ending.success
    } else evidence.push(...ending.success.evidence)
    return ending.success.as !== "wrong"
  })
  const mayGoOn = () => calls < (wrong === undefined ? callsInAll : callsInAll + callsToShrink)
  const found = (yield* isRight(everyPair, people))
    ? yield* falsify(sequences(offered), (steps) => isRight(steps, people), { seed, maxValues, mayGoOn })
    : everyPair
  if (found !== undefined && wrong !== undefined) {
    const isWrong = (steps: ReadonlyArray<Step>) => Effect.map(isRight(steps, people), (is) => !is)
    const mayGoOn = () => calls < callsInAll + callsToShrink + callsToShorten
    const shortest = yield* shorten(found.slice(0, wrong.steps), isWrong, mayGoOn)
    // new owners separate this run from the earlier ones
    yield* isRight(shortest, yield* makePeople)
  }
  if (wrong !== undefined) return yield* judge("OWN-21", wrong.evidence, wrong.differences)
  if (evidence.length > 0) return yield* judge("OWN-21", evidence, [])
  if (hindrance !== undefined) return yield* hindrance
  yield* inconclusive("OWN-21", "no call of a sequence was answered")
})

/** Ownership after any sequence of calls. */
export const sequenceWalks: ReadonlyArray<Walk> = [seededSequences]
