import { Effect } from "effect"
import { credentialsInASequence, type People, type Step } from "../../calls/OwnershipSteps.ts"
import { legend, type Names, namesOf, ownersInWords } from "../../calls/OwnershipStory.ts"
import { type Owners, read } from "../../calls/Resources.ts"
import { type Judgement, knownFrom, type Said, type TransitionJudge } from "../../calls/TransitionReadings.ts"
import { isIdle, type Operation, type Result, type SlotState, slots } from "../../calls/Transitions.ts"
import { indexOf, statusIn } from "../../exchanges/BatchAnswers.ts"
import { callsPosition, type Difference } from "../../judgement/Difference.ts"
import * as Expect from "../../judgement/Expect.ts"
import { inShort } from "../../judgement/Judge.ts"
import type { Json } from "../../text/Json.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { makeOwned, takesBoth } from "./OwnedCredentials.ts"
import { type Called, type Credential, callOf, isLost, type Prepared, prepare } from "./SequenceCalls.ts"
import { holds, slotsIn, stillHolds } from "./Slots.ts"

/** The result of a sequence. */
export type Ending =
  /** Ends early if an answer is lost, because later steps would prove nothing. The evidence is the judged exchanges. */
  | { readonly as: "right"; readonly evidence: ReadonlyArray<Exchange> }
  | {
      readonly as: "wrong"
      /** The number of steps taken. */
      readonly steps: number
      readonly differences: ReadonlyArray<Difference>
      readonly evidence: ReadonlyArray<Exchange>
    }

/** Creates a credential of the first worker; every second one also of the first applicant, if possible. */
const makeOne = Effect.fnUntraced(function* (people: People, nth: number) {
  const [worker, applicant] = [people.worker[0]?.id ?? "", people.applicant[0]?.id ?? ""]
  const isShared = nth % 2 === 1 && (yield* takesBoth)
  const { id } = yield* makeOwned(isShared ? { worker, applicant } : { worker })
  const known = knownFrom(slots(worker, isShared ? applicant : null))
  const credential: Credential = { id, known, isDeleted: false }
  return credential
})

const words: Readonly<Record<string, Said>> = { linked: "done", transferred: "done", noop: "noop", skipped: "refused" }

/** The result that an answer reports for a credential. */
const saidOf = ({ answer, isBulk }: Called, { id }: Credential): Said => {
  if (isIn(answer, 4)) return "refused"
  if (!isIn(answer, 2)) return "broken down"
  return isBulk ? (words[String(statusIn(answer, id))] ?? "untold") : "accepted"
}

/**
 * Whether a batch may be refused as a whole: for an unknown owner, a transfer to another slot, or the same owner twice
 * (SIL-27).
 */
const isOdd = (operation: Operation): boolean =>
  operation.verb === "transfer"
    ? operation.to.isNobody === true ||
      operation.from.type !== operation.to.type ||
      operation.from.id === operation.to.id
    : operation.verb === "link" && operation.to.isNobody === true

const ownersOf = ({ applicant, worker }: Pick<SlotState, "worker" | "applicant">): Owners => ({
  ...(worker === null ? {} : { worker }),
  ...(applicant === null ? {} : { applicant })
})

/** The slots as a read shows them. A value that is neither an id nor empty is an unknown owner. */
const shownIn = (after: Exchange) => {
  const { applicant, worker } = slotsIn(after)
  return { worker: worker === undefined ? "?" : worker, applicant: applicant === undefined ? "?" : applicant }
}

const itemWords = (results: ReadonlyArray<Result>, operation: Operation): Json => {
  const done = operation.verb === "link" ? "linked" : "transferred"
  const all = results.map((result) => (result === "refused" ? "skipped" : result === "unchanged" ? "noop" : done))
  const [first = null, ...others] = new Set(all)
  return others.length === 0 ? first : [first, ...others]
}

/** The differences of an answer, or of the read after it, from the table. */
const differencesOf = (
  called: Called & { readonly operation: Operation },
  { id }: Credential,
  after: Exchange,
  judgement: Exclude<Judgement, { readonly as: "right" }>
): ReadonlyArray<Difference> => {
  const { answer, isBulk, operation } = called
  if (judgement.as === "wrongly done") {
    const owners = ownersOf(judgement.expected)
    return isIdle(judgement.result) ? stillHolds(after, owners) : holds(after, owners)
  }
  const { results } = judgement
  const index = indexOf(answer, id)
  if (isBulk && isIn(answer, 2)) {
    const where = `body.data.${index}.status`
    return Expect.difference(answer, "wrong-value", where, itemWords(results, operation), statusIn(answer, id))
  }
  const families = [...new Set(results.map((result) => (result === "refused" ? 4 : 2)))]
  return Expect.family(answer, ...families)
}

/** The result that the table requires, in words. */
const insteadOf = (names: Names, judgement: Exclude<Judgement, { readonly as: "right" }>): string => {
  const asBefore = judgement.reading === undefined ? "" : `, as for the same call in #${judgement.reading}`
  return judgement.as === "wrongly done"
    ? `but then it belongs to ${ownersInWords(names, judgement.expected)}${asBefore}`
    : `but the right answer is: ${judgement.results.join(", or ")}${asBefore}`
}

/** A defect of a credential after a call: the differences, and an explanation. */
interface Wrong {
  readonly differences: ReadonlyArray<Difference>
  readonly because: string
}

/** Judges the refusal of a single call. Later reads show that it changed nothing. */
const lookAtRefusal = (called: Called, one: Credential, judging: TransitionJudge): boolean => {
  const { answer, isBulk, operation } = called
  if (operation === undefined || isBulk || !isIn(answer, 4)) return false
  const { state } = one.known
  const seen = { before: one.known, operation, isBulk, said: "refused", shown: state, exchange: answer.number } as const
  const judgement = judging(seen)
  if (judgement.as === "right") one.known = judgement.known
  return judgement.as === "right"
}

/** Judges an answer and the read after it by the table. Remembers the state if both are right. */
const look = (
  called: Called,
  one: Credential,
  after: Exchange,
  judging: TransitionJudge,
  names: Names
): Wrong | undefined => {
  const { answer, isBulk, operation } = called
  if (operation === undefined) return undefined
  if (!isIn(after, 2)) return { differences: Expect.status(after, 200), because: "but it can be read" }
  if (isBulk && isOdd(operation) && isIn(answer, 4)) {
    const differences = stillHolds(after, ownersOf(one.known.state))
    return differences.length === 0 ? undefined : { differences, because: "but a refused call changes nothing" }
  }
  const said = saidOf(called, one)
  const seen = { before: one.known, operation, isBulk, said, shown: shownIn(after), exchange: answer.number }
  const judgement = judging(seen)
  if (judgement.as !== "right") {
    const differences = differencesOf({ ...called, operation }, one, after, judgement)
    return { differences, because: insteadOf(names, judgement) }
  }
  one.known = judgement.known
  return undefined
}

/** Runs a sequence of calls on new credentials, and judges each answer and the state after it by the table. */
export const runSequence = Effect.fnUntraced(function* (
  steps: ReadonlyArray<Step>,
  people: People,
  judging: TransitionJudge
) {
  const numbers = Array.from({ length: credentialsInASequence }, (_, nth) => nth)
  const credentials = yield* Effect.forEach(numbers, (nth) => makeOne(people, nth))
  const names = namesOf(
    people,
    credentials.map(({ id }) => id)
  )
  const nameOf = ({ id }: Credential): string => names.get(id) ?? id
  const story = credentials.map((one) => `${nameOf(one)} belongs to ${ownersInWords(names, one.known.state)}`)
  const evidence: Array<Exchange> = []
  let made = 0

  const wrong = ({ because, differences }: Wrong, last: Exchange): Ending => {
    const lines = [...story, because]
    const told = Expect.difference(last, "wrong-value", callsPosition, "the result in the table of §3", [
      ...lines,
      ...legend(names, lines)
    ])
    return { as: "wrong", steps: made, differences: [...differences, ...told], evidence: [...evidence, last] }
  }

  const judged: Array<Exchange> = []
  const right: Ending = { as: "right", evidence: judged }
  let last: Prepared | undefined
  let shown: ReadonlyArray<Credential> = []
  for (const step of steps) {
    made += 1
    const prepared = prepare(step, people, credentials, last)
    if (prepared === undefined) continue
    last = prepared
    const called = yield* callOf(prepared, names, credentials)
    const { about, answer } = called
    if (isLost(answer)) return right
    evidence.push(answer)
    story.push(`${called.words}: ${inShort(answer)} (#${answer.number})`)
    shown = []
    for (const one of about) {
      if (lookAtRefusal(called, one, judging)) continue
      const after = yield* read("credential", one.id)
      if (isLost(after)) return right
      story.push(`  ${nameOf(one)} belongs to ${ownersInWords(names, shownIn(after))} (#${after.number})`)
      const found = look(called, one, after, judging, names)
      if (found !== undefined) return wrong(found, after)
      shown = [...shown, one]
    }
    if (about.length > 0) judged.push(answer)
  }
  for (const one of credentials.filter((one) => !one.isDeleted && !shown.includes(one))) {
    const after = yield* read("credential", one.id)
    if (isLost(after)) return right
    const differences = stillHolds(after, ownersOf(one.known.state))
    if (differences.length === 0) continue
    story.push(`in the end ${nameOf(one)} belongs to ${ownersInWords(names, shownIn(after))} (#${after.number})`)
    return wrong({ differences, because: "but no call has changed it since" }, after)
  }
  return right
})
