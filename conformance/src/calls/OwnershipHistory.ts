import { type Exchange, isIn, statusOf } from "../wire/Exchange.ts"
import * as Linearizability from "./Linearizability.ts"
import { type Names, operationInWords, ownersInWords } from "./OwnershipStory.ts"
import { after, holdersIn, type Operation, rowFor, type SlotState } from "./Transitions.ts"

/** The owners in the slots, as a read shows them. */
export type Holders = Pick<SlotState, "worker" | "applicant">

/** A call of a race and its result. */
export interface Raced {
  /** Undefined for a read. */
  readonly operation: Operation | undefined
  readonly exchange: Exchange
  /** The owners that a read shows; undefined for other calls and unreadable answers. */
  readonly shown: Holders | undefined
}

/** Whether an answer tells the result. An overload or a lost answer does not. */
export const isDecided = ({ exchange }: Raced): boolean =>
  isIn(exchange, 2) || (isIn(exchange, 4) && statusOf(exchange) !== 429)

export const isAccepted = ({ exchange }: Raced): boolean => isIn(exchange, 2)

const callOf = (raced: Raced): Linearizability.Call<Raced> => ({
  operation: raced,
  sent: raced.exchange.number,
  answeredAfter: isDecided(raced) ? raced.exchange.lastSent : undefined
})

/** Whether two calls overlapped: both were answered, and each was sent before the other's answer. */
export const overlapped = (one: Raced, other: Raced): boolean =>
  one !== other && isDecided(one) && isDecided(other) && Linearizability.overlap(callOf(one), callOf(other))

const resultsOf = (state: SlotState, operation: Operation, raced: Raced) =>
  rowFor(state, operation).results.filter((result) => !isDecided(raced) || (result === "refused") !== isAccepted(raced))

/** The transition table. Results that answers do not distinguish count as one. */
const model: Linearizability.Model<SlotState, Raced> = {
  next: (state, raced) => {
    const { operation, shown } = raced
    if (operation !== undefined) return resultsOf(state, operation, raced).map((one) => after(state, operation, one))
    return shown === undefined || holdersIn(shown) === holdersIn(state) ? [state] : []
  },
  // the predecessor of an owner matters only to repeated transfers
  keyOf: (state) => `${holdersIn(state)} ${state.followed.worker} ${state.followed.applicant}`
}

/** Whether some order of the overlapping calls explains every answer, including reads. */
export const isExplained = (initial: SlotState, calls: ReadonlyArray<Raced>): boolean =>
  Linearizability.isLinearizable(model, initial, calls.map(callOf))

/** Whether the accepted operations, and optionally the undecided ones, lead in some order to the final slots. */
export const follows = (initial: SlotState, calls: ReadonlyArray<Raced>, end: Holders): boolean => {
  const done = calls.filter((raced) => raced.operation !== undefined && (isAccepted(raced) || !isDecided(raced)))
  // ignores the order of answers: another rule judges that
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

/** The overlapping calls as a timeline. */
export const timelineOf = (names: Names, calls: ReadonlyArray<Raced>): ReadonlyArray<string> =>
  Linearizability.timeline(calls.map(callOf), tell(names))
