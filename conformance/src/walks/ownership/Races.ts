import { Effect, Result } from "effect"
import { isDecided, type Raced, timelineOf } from "../../calls/OwnershipHistory.ts"
import type { People } from "../../calls/OwnershipSteps.ts"
import { legend, namesOf, ownersInWords } from "../../calls/OwnershipStory.ts"
import { anyOwner, read } from "../../calls/Resources.ts"
import { type Operation, type Party, type SlotName, type SlotState, slots } from "../../calls/Transitions.ts"
import type { Blocked } from "../../judgement/Blocked.ts"
import { control } from "../../judgement/Judge.ts"
import { Session } from "../../judgement/Session.ts"
import { limitsOf } from "../../profile/Limits.ts"
import { type Exchange, isIn } from "../../wire/Exchange.ts"
import { makeOwned } from "./OwnedCredentials.ts"
import { sendOperation } from "./SequenceCalls.ts"
import { slotsIn } from "./Slots.ts"

/** A call of a race: an operation or a read. */
export type Racer = Operation | "read"

/** The calls of one round. */
export interface Plan {
  /** Operations that run first, one after another, to set up the race. */
  readonly before: ReadonlyArray<Operation>
  readonly racers: ReadonlyArray<Racer>
}

/** One round: concurrent calls, and the state after them. */
export interface Round {
  readonly number: number
  readonly initial: SlotState
  readonly racers: ReadonlyArray<Raced>
  /** A read after all racers have ended. */
  readonly closing: Raced
  /** The round as a timeline. */
  readonly story: ReadonlyArray<string>
}

/** The number of owners of each type in a race. */
const ownersOfAType = 3

/** The owners of a type, without duplicates: the profile may name fewer existing owners. */
const partiesOf = (type: SlotName, ids: ReadonlyArray<{ readonly id: string }>): ReadonlyArray<Party> =>
  [...new Set(ids.map(({ id }) => id))].map((id) => ({ type, id }))

const makePeople = Effect.gen(function* () {
  const indices = Array.from({ length: ownersOfAType })
  const people: People = {
    worker: partiesOf("worker", yield* Effect.forEach(indices, () => anyOwner("worker"))),
    applicant: partiesOf("applicant", yield* Effect.forEach(indices, () => anyOwner("applicant")))
  }
  return people
})

const shownIn = (exchange: Exchange): Raced["shown"] => {
  if (!isIn(exchange, 2)) return undefined
  const { applicant, worker } = slotsIn(exchange)
  return { worker: worker === undefined ? "?" : worker, applicant: applicant === undefined ? "?" : applicant }
}

const readOnce = Effect.fnUntraced(function* (credential: string) {
  const exchange = yield* read("credential", credential)
  const raced: Raced = { operation: undefined, exchange, shown: shownIn(exchange) }
  return raced
})

const call = Effect.fnUntraced(function* (credential: string, racer: Racer) {
  if (racer === "read") return yield* readOnce(credential)
  const exchange = yield* sendOperation(credential, racer)
  const raced: Raced = { operation: racer, exchange, shown: undefined }
  return raced
})

/** All at the same time, each on a connection that an earlier read has opened. */
const atOnce = (credential: string, racers: ReadonlyArray<Racer>) =>
  Effect.forEach(racers, (racer) => call(credential, racer), { concurrency: "unbounded" })

/** The state on which the reads agree; undefined if they differ or one shows nothing. */
const agreed = (reads: ReadonlyArray<Raced>): SlotState | undefined => {
  const [first] = reads
  if (first?.shown === undefined) return undefined
  const { applicant, worker } = first.shown
  const isAgreed = reads.every(({ shown }) => shown?.worker === worker && shown.applicant === applicant)
  return isAgreed ? slots(worker, applicant) : undefined
}

/** Runs the operations one after another; the round is blocked if one fails. */
const prepare = (credential: string, operations: ReadonlyArray<Operation>) =>
  Effect.forEach(operations, (operation) => control(sendOperation(credential, operation)), { discard: true })

/** The credential of a race, and its slots. */
interface Prize {
  readonly id: string
  readonly state: SlotState
  /** An earlier round has opened connections, and ended with a read of this state. */
  readonly isRaced: boolean
}

const makePrize = Effect.fnUntraced(function* ({ worker: [owner] }: People) {
  const { id } = yield* makeOwned({ worker: owner?.id ?? "" })
  const prize: Prize = { id, state: slots(owner?.id ?? null, null), isRaced: false }
  return prize
})

/** Plans a round from its number and the slots before it. */
export type Planner = (state: SlotState, people: People, round: number) => Plan

/** The reads before a round: one for each connection to open, or one of the prepared state. */
const readsBefore = ({ isRaced }: Prize, { before, racers }: Plan): ReadonlyArray<Racer> => {
  if (!isRaced) return racers.map(() => "read")
  return before.length > 0 ? ["read"] : []
}

/** Runs one round; undefined if it could not start. */
const runRound = Effect.fnUntraced(function* (prize: Prize, people: People, planner: Planner, number: number) {
  const { id, state } = prize
  const plan = planner(state, people, number)
  const { before, racers } = plan
  yield* prepare(id, before)
  const reads = readsBefore(prize, plan)
  const initial = reads.length === 0 ? state : agreed(yield* atOnce(id, reads))
  if (initial === undefined) return undefined
  const calls = yield* atOnce(id, racers)
  const closing = yield* readOnce(id)
  const names = namesOf(people, [id])
  const lines = [
    `round ${number}: c1 belongs to ${ownersInWords(names, initial)}`,
    ...timelineOf(names, [...calls, closing])
  ]
  const round: Round = { number, initial, racers: calls, closing, story: [...lines, ...legend(names, lines)] }
  return round
})

/** The slots for the next round; undefined if they are uncertain. */
const endOf = ({ closing, racers }: Round): SlotState | undefined => {
  const end = agreed([closing])
  const isOwned = end !== undefined && (end.worker !== null || end.applicant !== null)
  return isOwned && racers.every(isDecided) ? end : undefined
}

/**
 * Runs the races of some kinds, as many rounds of each as the run asks for. After a round with an uncertain end,
 * continues with another credential.
 */
export const runRounds = Effect.fnUntraced(function* (planner: Planner, kinds = 1) {
  const limits = limitsOf((yield* Session).profile)
  const people = yield* makePeople
  const rounds: Array<Round> = []
  let prize: Prize | undefined
  let hindrance: Blocked | undefined
  for (let number = 1; number <= kinds * limits.rounds; number += 1) {
    const attempt = Effect.gen(function* () {
      const one = prize ?? (yield* makePrize(people))
      prize = undefined
      const round = yield* runRound(one, people, planner, number)
      if (round === undefined) return
      rounds.push(round)
      const state = endOf(round)
      if (state !== undefined) prize = { id: one.id, state, isRaced: true }
    })
    const ended = yield* Effect.result(attempt)
    if (Result.isFailure(ended)) hindrance = ended.failure
  }
  if (rounds.length === 0 && hindrance !== undefined) return yield* hindrance
  return rounds
})
