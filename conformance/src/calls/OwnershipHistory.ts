import * as Linearizability from "../engine/Linearizability.ts"
import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import { type Names, operationInWords, ownersInWords } from "./OwnershipStory.ts"
import { after, holdersIn, type Operation, rowFor, type SlotState } from "./Transitions.ts"

/** Who is in the slots, as a read shows it. */
export type Holders = Pick<SlotState, "worker" | "applicant">

/** A call of a race, and what came of it. */
export interface Raced {
  /** Undefined for a read. */
  readonly operation: Operation | undefined
  readonly exchange: Exchange
  /** What a read shows; undefined for what is none, or shows nothing. */
  readonly shown: Holders | undefined
}

/** Whether an answer tells what was done; an overload, or none, does not. */
export const isDecided = ({ exchange }: Raced): boolean =>
  isIn(exchange, 2) || (isIn(exchange, 4) && statusOf(exchange) !== 429)

export const isAccepted = ({ exchange }: Raced): boolean => isIn(exchange, 2)

const callOf = (raced: Raced): Linearizability.Call<Raced> => ({
  operation: raced,
  sent: raced.exchange.number,
  answeredAfter: isDecided(raced) ? raced.exchange.lastSent : undefined
})

/** Whether two calls were both answered, and neither before the other was sent. */
export const overlapped = (one: Raced, other: Raced): boolean =>
  one !== other && isDecided(one) && isDecided(other) && Linearizability.overlap(callOf(one), callOf(other))

const resultsOf = (state: SlotState, operation: Operation, raced: Raced) =>
  rowFor(state, operation).results.filter((result) => !isDecided(raced) || (result === "refused") !== isAccepted(raced))

/** The table of transitions, as far as answers tell which of its results there was. */
const model: Linearizability.Model<SlotState, Raced> = {
  next: (state, raced) => {
    const { operation, shown } = raced
    if (operation !== undefined) return resultsOf(state, operation, raced).map((one) => after(state, operation, one))
    return shown === undefined || holdersIn(shown) === holdersIn(state) ? [state] : []
  },
  // whom a holder has followed matters only to transfers that are said again
  keyOf: (state) => `${holdersIn(state)} ${state.followed.worker} ${state.followed.applicant}`
}

/** Whether an order of calls that overlapped explains what each of them was answered, reads included. */
export const isExplained = (initial: SlotState, calls: ReadonlyArray<Raced>): boolean =>
  Linearizability.isLinearizable(model, initial, calls.map(callOf))

/**
 * Whether the operations that were accepted, and maybe those that nobody knows of, lead in some order to what the slots
 * hold in the end.
 */
export const follows = (initial: SlotState, calls: ReadonlyArray<Raced>, end: Holders): boolean => {
  const done = calls.filter((raced) => raced.operation !== undefined && (isAccepted(raced) || !isDecided(raced)))
  // whichever of them was over first: that is another rule's
  const anyhow = done.map((raced) => ({ ...callOf(raced), sent: 0, answeredAfter: isDecided(raced) ? 0 : undefined }))
  return Linearizability.isLinearizable(model, initial, anyhow, (state) => holdersIn(state) === holdersIn(end))
}

const tell =
  (names: Names) =>
  ({ exchange, operation, shown }: Raced): string => {
    const asked = operation === undefined ? "read" : operationInWords(names, operation)
    const answer = exchange.answer === null ? `no answer (${exchange.silence})` : `${statusOf(exchange)}`
    return `#${exchange.number} ${asked}: ${shown === undefined ? answer : ownersInWords(names, shown)}`
  }

/** What overlapped, as a timeline. */
export const timelineOf = (names: Names, calls: ReadonlyArray<Raced>): ReadonlyArray<string> =>
  Linearizability.timeline(calls.map(callOf), tell(names))
