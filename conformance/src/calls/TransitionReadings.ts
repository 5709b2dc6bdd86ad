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
 * reports nothing; `broken down` is a failure, not a decision.
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

/** How a deployment decided an open cell, and in which exchange. */
interface Reading {
  readonly result: Result
  readonly exchange: number
}

/** The verdict of the table on an observed operation. */
export type Judgement =
  | { readonly as: "right"; readonly known: Known }
  /** The answer is none of the allowed results. `reading` is the exchange that had narrowed them down. */
  | { readonly as: "wrongly answered"; readonly results: ReadonlyArray<Result>; readonly reading?: number }
  /** The slots do not hold the owners that follow from the answer. */
  | { readonly as: "wrongly done"; readonly result: Result; readonly expected: SlotState; readonly reading?: number }

/**
 * Whether the named owners are in the slot or never were. For a former owner the result may depend on how it left,
 * because a retry is not a new call.
 */
const namesNoFormer = ({ before: { former, state }, operation }: Seen): boolean =>
  [
    ...(operation.verb === "link" ? [] : [operation.from]),
    ...(operation.verb === "unlink" ? [] : [operation.to])
  ].every((party) => state[party.type] === party.id || !former.has(nameOf(party)))

/** Judges operations by the table. For open cells it expects the same decision as before in the same cell. */
export const make = () => {
  const readings = new Map<string, Reading>()

  /** The facts on which a deployment may decide an open cell. */
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
export type Judging = ReturnType<typeof make>
