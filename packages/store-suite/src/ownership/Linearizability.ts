/** A call of a history: operation, answer, and the times of both by one strictly increasing clock. */
export interface Call<Operation> {
  readonly operation: Operation
  readonly answer: string
  readonly invokedAt: number
  readonly answeredAt: number
}

/** A sequential specification: the next state and the answer of an operation. */
export interface SequentialModel<State, Operation> {
  readonly step: (state: State, operation: Operation) => { readonly state: State; readonly answer: string }
  /** Equal for states that give the same answers to everything. */
  readonly keyOf: (state: State) => string
  /**
   * Whether an operation with this answer changes no state, such as a read or a refusal. It prunes the search of
   * equivalent orders.
   */
  readonly isIdle?: (operation: Operation, answer: string) => boolean
}

/** An order of the calls that explains every answer, with its possible final states. */
export interface Explanation<State, Operation> {
  readonly order: ReadonlyArray<Call<Operation>>
  readonly end: State
}

/** A position in the search: the placed calls, the state they lead to, and the order. */
interface Position<State, Operation> {
  readonly placed: bigint
  readonly state: State
  readonly order: ReadonlyArray<Call<Operation>>
}

/** The calls that may come next: no other unplaced call was answered before their invocation. */
const candidates = <Operation>(history: ReadonlyArray<Call<Operation>>, placed: bigint): ReadonlyArray<number> => {
  const open = history.flatMap((_, index) => ((placed >> BigInt(index)) & 1n ? [] : [index]))
  const firstAnswer = Math.min(...open.map((index) => history[index]?.answeredAt ?? Number.POSITIVE_INFINITY))
  return open.filter((index) => (history[index]?.invokedAt ?? Number.POSITIVE_INFINITY) < firstAnswer)
}

/** The next positions: one for each candidate call whose answer matches the model's. */
const positionsAfter = <State, Operation>(
  { isIdle = () => false, step }: SequentialModel<State, Operation>,
  history: ReadonlyArray<Call<Operation>>,
  { order, placed, state }: Position<State, Operation>
): ReadonlyArray<Position<State, Operation>> => {
  const positions: Array<Position<State, Operation>> = []
  for (const index of candidates(history, placed)) {
    const call = history[index]
    if (call === undefined) continue
    const next = step(state, call.operation)
    if (next.answer !== call.answer) continue
    const position = { placed: placed | (1n << BigInt(index)), state: next.state, order: [...order, call] }
    // Place a call without effect as soon as it fits: it never restricts the others.
    if (isIdle(call.operation, call.answer)) return [position]
    positions.push(position)
  }
  return positions
}

/**
 * Checks linearizability (Wing and Gong, "Testing and verifying concurrent objects", 1993): searches for a sequential
 * order of the calls that gives the same answers. Each call has its place between its invocation and its answer.
 * Remembers failed positions (Lowe). `isEnd` accepts the true final states.
 */
export const explain = <State, Operation>(
  model: SequentialModel<State, Operation>,
  initial: State,
  history: ReadonlyArray<Call<Operation>>,
  isEnd: (state: State) => boolean = () => true
): Explanation<State, Operation> | undefined => {
  const all = (1n << BigInt(history.length)) - 1n
  const seen = new Set<string>()
  const open: Array<Position<State, Operation>> = [{ placed: 0n, state: initial, order: [] }]
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    const { order, placed, state } = position
    if (placed === all && isEnd(state)) return { order, end: state }
    const key = `${placed} ${model.keyOf(state)}`
    if (seen.has(key)) continue
    seen.add(key)
    open.push(...positionsAfter(model, history, position))
  }
  return undefined
}
