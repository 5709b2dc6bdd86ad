/** A call of a history: what was asked, what was answered, and when by one clock that never stands still. */
export interface Call<Operation> {
  readonly operation: Operation
  readonly answer: string
  readonly invokedAt: number
  readonly answeredAt: number
}

/** What one caller after another would see: the next state and the answer of an operation. */
export interface SequentialModel<State, Operation> {
  readonly step: (state: State, operation: Operation) => { readonly state: State; readonly answer: string }
  /** Equal for states that answer everything alike. */
  readonly keyOf: (state: State) => string
  /**
   * Whether an operation that is answered so has changed nothing, whatever the state was: a read, a refusal. Saying it
   * spares the search the many orders that differ in nothing else.
   */
  readonly isIdle?: (operation: Operation, answer: string) => boolean
}

/** An order of the calls that explains every answer, and the states that its end can be in. */
export interface Explanation<State, Operation> {
  readonly order: ReadonlyArray<Call<Operation>>
  readonly end: State
}

/** Where a search stands: which calls have their place, what they led to, and how it came there. */
interface Position<State, Operation> {
  readonly placed: bigint
  readonly state: State
  readonly order: ReadonlyArray<Call<Operation>>
}

/** The calls that may come next: those that no other, yet unplaced one was answered before the invocation of. */
const candidates = <Operation>(history: ReadonlyArray<Call<Operation>>, placed: bigint): ReadonlyArray<number> => {
  const open = history.flatMap((_, index) => ((placed >> BigInt(index)) & 1n ? [] : [index]))
  const firstAnswer = Math.min(...open.map((index) => history[index]?.answeredAt ?? Number.POSITIVE_INFINITY))
  return open.filter((index) => (history[index]?.invokedAt ?? Number.POSITIVE_INFINITY) < firstAnswer)
}

/** Where the search may go on: behind each call that may come next and would be answered as it was. */
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
    // What changes nothing stands best where it first fits: the others are as free behind it as they were before.
    if (isIdle(call.operation, call.answer)) return [position]
    positions.push(position)
  }
  return positions
}

/**
 * Looks for an order of the calls, each between its invocation and its answer, in which a caller at a time would get
 * the same answers: whether a history is linearizable (Wing and Gong, "Testing and verifying concurrent objects",
 * 1993), with Lowe's memory of the positions that lead nowhere. `isEnd` says which last states are true.
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
