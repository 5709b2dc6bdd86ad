/** The owner slots of a credential (§2.2). */
export const slotNames = ["worker", "applicant"] as const
export type SlotName = (typeof slotNames)[number]

/** An owner that an operation names. */
export interface Party {
  readonly type: SlotName
  readonly id: string
  /** The id does not exist. */
  readonly isNobody?: true
}

/** An operation on the owners of a credential (§3). */
export type Operation =
  | { readonly verb: "link"; readonly to: Party }
  | { readonly verb: "unlink"; readonly from: Party }
  | { readonly verb: "transfer"; readonly from: Party; readonly to: Party }

/** The owners in the slots of a credential. */
export interface SlotState {
  readonly worker: string | null
  readonly applicant: string | null
  /** The predecessor of a slot's owner after a transfer, to recognize a repeated transfer; otherwise null. */
  readonly followed: Readonly<Record<SlotName, string | null>>
}

/** Slots with an unknown history. */
export const slots = (worker: string | null, applicant: string | null): SlotState => ({
  worker,
  applicant,
  followed: { worker: null, applicant: null }
})

/** The content of the operation's slot before it; for a transfer, the slot of `from`. */
export type Before = "empty" | "holds from" | "holds to" | "holds another"

const conditions = {
  /** The new owner does not exist. */
  "to nobody": (_: SlotState, operation: Operation) => operation.verb !== "unlink" && operation.to.isNobody === true,
  "another owner remains": (state: SlotState, operation: Operation) =>
    operation.verb === "unlink" && state[otherSlot(operation.from.type)] !== null,
  "said again": (state: SlotState, operation: Operation) =>
    operation.verb === "transfer" && state.followed[operation.to.type] === operation.from.id,
  "onto itself": (_: SlotState, operation: Operation) =>
    operation.verb === "transfer" && operation.from.type === operation.to.type && operation.from.id === operation.to.id,
  "to the other slot": (_: SlotState, operation: Operation) =>
    operation.verb === "transfer" && operation.from.type !== operation.to.type,
  "to the other slot, which holds it": (state: SlotState, operation: Operation) =>
    operation.verb === "transfer" &&
    operation.from.type !== operation.to.type &&
    state[operation.to.type] === operation.to.id
}

/**
 * The possible results of an operation. All but `refused` are a 2xx; `refused` and `unchanged` leave the slots as they
 * are.
 */
export type Result =
  | "slot holds to"
  | "slot empty"
  | "from leaves, to enters"
  | "to enters too"
  | "unchanged"
  | "refused"

/** The silences that leave cells of the table open. */
export type Silence = "SIL-06" | "SIL-07" | "SIL-08" | "SIL-17" | "SIL-28"

/** One row of the table of §3, or of the cells that it leaves open. */
export interface Row {
  readonly slot: Before | "any"
  readonly operation: Operation["verb"]
  readonly condition?: keyof typeof conditions
  readonly results: ReadonlyArray<Result>
  /** The table is silent: any of the results is correct. */
  readonly silence?: Silence
}

/**
 * The table of §3, with rows for the cells that §3 leaves open. The first matching row applies, so rows with a
 * condition precede the general row of the same slot.
 */
export const table: ReadonlyArray<Row> = [
  {
    slot: "empty",
    operation: "link",
    condition: "to nobody",
    results: ["slot holds to", "refused"],
    silence: "SIL-17"
  },
  { slot: "empty", operation: "link", results: ["slot holds to"] },
  { slot: "holds to", operation: "link", condition: "to nobody", results: ["unchanged", "refused"], silence: "SIL-17" },
  { slot: "holds to", operation: "link", results: ["unchanged"] },
  { slot: "holds another", operation: "link", results: ["refused"] },

  {
    slot: "holds from",
    operation: "transfer",
    condition: "to the other slot, which holds it",
    results: ["unchanged", "from leaves, to enters", "refused"],
    silence: "SIL-08"
  },
  {
    slot: "any",
    operation: "transfer",
    condition: "to the other slot, which holds it",
    results: ["unchanged", "refused"],
    silence: "SIL-08"
  },
  {
    slot: "holds from",
    operation: "transfer",
    condition: "to the other slot",
    results: ["from leaves, to enters", "to enters too", "refused"],
    silence: "SIL-08"
  },
  {
    slot: "empty",
    operation: "transfer",
    condition: "to the other slot",
    results: ["to enters too", "unchanged", "refused"],
    silence: "SIL-08"
  },
  { slot: "holds another", operation: "transfer", condition: "to the other slot", results: ["refused"] },
  {
    slot: "empty",
    operation: "transfer",
    results: ["slot holds to", "unchanged", "refused"],
    silence: "SIL-28"
  },
  {
    slot: "any",
    operation: "transfer",
    condition: "onto itself",
    results: ["unchanged", "refused"],
    silence: "SIL-28"
  },
  {
    slot: "holds from",
    operation: "transfer",
    condition: "to nobody",
    results: ["slot holds to", "refused"],
    silence: "SIL-17"
  },
  { slot: "holds from", operation: "transfer", results: ["slot holds to"] },
  {
    slot: "holds to",
    operation: "transfer",
    condition: "to nobody",
    results: ["unchanged", "refused"],
    silence: "SIL-17"
  },
  { slot: "holds to", operation: "transfer", condition: "said again", results: ["unchanged"] },
  { slot: "holds to", operation: "transfer", results: ["unchanged", "refused"], silence: "SIL-07" },
  { slot: "holds another", operation: "transfer", results: ["refused"] },

  { slot: "holds from", operation: "unlink", condition: "another owner remains", results: ["slot empty"] },
  { slot: "holds from", operation: "unlink", results: ["refused"] },
  { slot: "holds another", operation: "unlink", results: ["unchanged", "refused"], silence: "SIL-06" },
  { slot: "empty", operation: "unlink", results: ["unchanged"] }
]

export const otherSlot = (slot: SlotName): SlotName => (slot === "worker" ? "applicant" : "worker")

/** The slot that an operation changes. */
export const slotOf = (operation: Operation): SlotName =>
  operation.verb === "link" ? operation.to.type : operation.from.type

/** The content of an operation's slot before it. */
export const beforeOf = (state: SlotState, operation: Operation): Before => {
  const slot = slotOf(operation)
  const holder = state[slot]
  if (holder === null) return "empty"
  if (operation.verb !== "link" && holder === operation.from.id) return "holds from"
  if (operation.verb !== "unlink" && operation.to.type === slot && holder === operation.to.id) return "holds to"
  return "holds another"
}

/** The row for an operation in a state. */
export const rowFor = (state: SlotState, operation: Operation): Row => {
  const slot = beforeOf(state, operation)
  const row = table.find(
    (one) =>
      one.operation === operation.verb &&
      (one.slot === "any" || one.slot === slot) &&
      (one.condition === undefined || conditions[one.condition](state, operation))
  )
  if (row === undefined) throw new Error(`no row for ${operation.verb} where the slot ${slot}`)
  return row
}

const entered = (state: SlotState, operation: Operation): SlotState => {
  if (operation.verb === "unlink") return state
  const { to } = operation
  const followed = operation.verb === "transfer" ? operation.from.id : null
  return { ...state, [to.type]: to.id, followed: { ...state.followed, [to.type]: followed } }
}

const left = (state: SlotState, operation: Operation): SlotState => {
  if (operation.verb === "link") return state
  const { type } = operation.from
  return { ...state, [type]: null, followed: { ...state.followed, [type]: null } }
}

/** The slots after a result. */
export const after = (state: SlotState, operation: Operation, result: Result): SlotState => {
  switch (result) {
    case "slot holds to":
    case "to enters too":
      return entered(state, operation)
    case "slot empty":
      return left(state, operation)
    case "from leaves, to enters":
      return entered(left(state, operation), operation)
    case "unchanged":
    case "refused":
      return state
  }
}

/** Whether a result leaves the slots as they were. */
export const isIdle = (result: Result): boolean => result === "unchanged" || result === "refused"

/** The owners as text: equal for states that a read does not distinguish. */
export const holdersIn = ({ applicant, worker }: Pick<SlotState, SlotName>): string =>
  `${worker ?? "-"} ${applicant ?? "-"}`
