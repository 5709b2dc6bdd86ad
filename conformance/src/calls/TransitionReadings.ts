import {
  after,
  beforeOf,
  holdersIn,
  isIdle,
  type Operation,
  otherSlot,
  type Result,
  type Row,
  rowFor,
  type SlotState,
  slotOf,
  table
} from "./Transitions.ts"

/**
 * The result that a call reports. `accepted` is a 2xx; `done` and `noop` come from the items of a batch; `untold`
 * means that there is no result; `broken down` is a failure of the server, not a decision.
 */
export type Said = "accepted" | "refused" | "done" | "noop" | "untold" | "broken down"

const fits = (said: Said, result: Result): boolean => {
  switch (said) {
    case "accepted":
      return result !== "refused"
    case "refused":
      return result === "refused"
    case "done":
      return !isIdle(result)
    case "noop":
      return result === "unchanged"
    case "untold":
      return true
    case "broken down":
      return false
  }
}

/** A credential's slots, and every owner that was ever in one. */
export interface Known {
  readonly state: SlotState
  readonly former: ReadonlySet<string>
}

const nameOf = ({ id, type }: { readonly id: string; readonly type: string }): string => `${type} ${id}`

/** Slots with an unknown history. */
export const knownFrom = (state: SlotState): Known => ({
  state,
  former: new Set((["worker", "applicant"] as const).map((type) => nameOf({ type, id: state[type] ?? "" })))
})

/** One operation on one credential, and its observed result. */
export interface Seen {
  readonly before: Known
  readonly operation: Operation
  readonly isBulk: boolean
  readonly said: Said
  /** The owners in the slots afterwards. */
  readonly shown: Pick<SlotState, "worker" | "applicant">
  /** The number of the answer's exchange. */
  readonly exchange: number
}

/** How a deployment decided a cell that the specification leaves open, and in which exchange. */
interface Reading {
  readonly result: Result
  readonly exchange: number
}

/** The verdict of the table on an observed operation. */
export type Judgement =
  | { readonly as: "right"; readonly known: Known }
  /** The answer is none of the allowed results. `reading` is the earlier exchange that limited the results to one. */
  | { readonly as: "wrongly answered"; readonly results: ReadonlyArray<Result>; readonly reading?: number }
  /** The slots do not hold the owners that follow from the answer. */
  | { readonly as: "wrongly done"; readonly result: Result; readonly expected: SlotState; readonly reading?: number }

/**
 * Whether each named owner is in the slot now or was never in it. A call that names a former owner may be a retry. Its
 * result may then differ from that of a new call, so it says nothing about other calls.
 */
const namesNoFormer = ({ before: { former, state }, operation }: Seen): boolean =>
  [
    ...(operation.verb === "link" ? [] : [operation.from]),
    ...(operation.verb === "unlink" ? [] : [operation.to])
  ].every((party) => state[party.type] === party.id || !former.has(nameOf(party)))

/** Judges operations by the table. In a cell that the specification leaves open, it expects the earlier decision. */
export const make = () => {
  const readings = new Map<string, Reading>()

  /** The facts by which a deployment may decide a cell that the specification leaves open. */
  const keyOf = (row: Row, { before: { state }, isBulk, operation }: Seen): string => {
    const slot = slotOf(operation)
    const isNobody = operation.verb !== "unlink" && operation.to.isNobody === true
    const told = [
      table.indexOf(row),
      slot,
      beforeOf(state, operation),
      state[otherSlot(slot)] === null,
      isNobody,
      isBulk
    ]
    return told.join(" ")
  }

  const learn = (row: Row, seen: Seen, result: Result): void => {
    if (row.silence === undefined || seen.said === "untold" || !namesNoFormer(seen)) return
    const key = keyOf(row, seen)
    if (!readings.has(key)) readings.set(key, { result, exchange: seen.exchange })
  }

  return (seen: Seen): Judgement => {
    const { before, operation, said, shown } = seen
    const row = rowFor(before.state, operation)
    const reading = namesNoFormer(seen) ? readings.get(keyOf(row, seen)) : undefined
    const results = reading === undefined ? row.results : [reading.result]
    const because = reading === undefined ? {} : { reading: reading.exchange }
    const answered = results.filter((result) => fits(said, result))
    const [first] = answered
    if (first === undefined) return { as: "wrongly answered", results, ...because }
    const done = answered.find((result) => holdersIn(after(before.state, operation, result)) === holdersIn(shown))
    if (done === undefined) {
      return { as: "wrongly done", result: first, expected: after(before.state, operation, first), ...because }
    }
    learn(row, seen, done)
    const state = after(before.state, operation, done)
    const former = new Set([...before.former, ...knownFrom(state).former])
    return { as: "right", known: { state, former } }
  }
}

/** Judges operations by the table and by earlier observations. */
export type TransitionJudge = ReturnType<typeof make>
