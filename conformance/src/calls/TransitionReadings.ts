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
 * What a call says that it did: `accepted` is a 2xx, `done` and `noop` are what the items of a batch tell apart, and
 * `untold` says nothing. Whatever `broken down` is, it is no decision.
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

/** A credential's slots, and everybody who has ever been in one. */
export interface Known {
  readonly state: SlotState
  readonly former: ReadonlySet<string>
}

const nameOf = ({ id, type }: { readonly id: string; readonly type: string }): string => `${type} ${id}`

/** Slots as they were found, with nothing known of what was before. */
export const knownFrom = (state: SlotState): Known => ({
  state,
  former: new Set((["worker", "applicant"] as const).map((type) => nameOf({ type, id: state[type] ?? "" })))
})

/** One operation on one credential, and what was seen of it. */
export interface Seen {
  readonly before: Known
  readonly operation: Operation
  readonly isBulk: boolean
  readonly said: Said
  /** Who is in the slots afterwards. */
  readonly shown: Pick<SlotState, "worker" | "applicant">
  /** The number of the exchange that the answer is from. */
  readonly exchange: number
}

/** What a deployment was seen to make of a cell that is open, and where. */
interface Reading {
  readonly result: Result
  readonly exchange: number
}

/** What the table says of an operation that was seen. */
export type Judgement =
  | { readonly as: "right"; readonly known: Known }
  /** None of the results that are right was answered; `reading` is the exchange that had narrowed them down. */
  | { readonly as: "wrongly answered"; readonly results: ReadonlyArray<Result>; readonly reading?: number }
  /** The slots hold something else than what was answered has to lead to. */
  | { readonly as: "wrongly done"; readonly result: Result; readonly expected: SlotState; readonly reading?: number }

/**
 * Whether whoever an operation names is in the slot or never was: what is made of one who was there before may depend on
 * how that one left, as a retry is told from something new.
 */
const namesNoFormer = ({ before: { former, state }, operation }: Seen): boolean =>
  [
    ...(operation.verb === "link" ? [] : [operation.from]),
    ...(operation.verb === "unlink" ? [] : [operation.to])
  ].every((party) => state[party.type] === party.id || !former.has(nameOf(party)))

/** Judges operations by the table, and where that is open by what the same deployment did in the same cell before. */
export const make = () => {
  const readings = new Map<string, Reading>()

  /** What may make a difference to whoever decides an open cell. */
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

/** Holds operations to the table, and to what it has seen. */
export type Judging = ReturnType<typeof make>
