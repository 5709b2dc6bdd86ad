/** A call of a history. One client records when it sent the calls and received the responses. */
export interface Call<Operation> {
  readonly operation: Operation
  /** The position of the request among all requests. */
  readonly sent: number
  /**
   * The last request that was sent before the response arrived; undefined without a response: the call may or may not
   * have been executed.
   */
  readonly answeredAfter: number | undefined
}

/** The sequential specification. */
export interface Model<State, Operation> {
  /** Returns the possible next states for results that match the response; empty if no result matches. */
  readonly next: (state: State, operation: Operation) => ReadonlyArray<State>
  /** A key that is equal for equivalent states. */
  readonly keyOf: (state: State) => string
}

/** Whether a call was answered before another was sent. */
const precedes = (one: Call<unknown>, other: Call<unknown>): boolean =>
  one.answeredAfter !== undefined && one.answeredAfter < other.sent

/** Whether two calls overlap. */
export const overlap = (one: Call<unknown>, other: Call<unknown>): boolean =>
  !precedes(one, other) && !precedes(other, one)

/** A position of the search: the ordered calls and the state after them. */
interface Position<State> {
  readonly placed: ReadonlySet<number>
  readonly state: State
}

/** Returns the next positions: each adds a call that none of the remaining calls precedes. */
const positionsAfter = <State, Operation>(
  { next }: Model<State, Operation>,
  history: ReadonlyArray<Call<Operation>>,
  { placed, state }: Position<State>
): ReadonlyArray<Position<State>> => {
  const open = history.flatMap((call, index) => (placed.has(index) ? [] : [{ call, index }]))
  return open
    .filter(({ call }) => !open.some((other) => precedes(other.call, call)))
    .flatMap(({ call, index }) =>
      next(state, call.operation).map((following) => ({ placed: new Set([...placed, index]), state: following }))
    )
}

/**
 * Returns whether a history is linearizable (Wing and Gong, "Testing and verifying concurrent objects", 1993), with
 * Lowe's cache of failed positions. A call without a response takes any position after its request, or none. `isEnd`
 * accepts the final states.
 */
export const isLinearizable = <State, Operation>(
  model: Model<State, Operation>,
  initial: State,
  history: ReadonlyArray<Call<Operation>>,
  isEnd: (state: State) => boolean = () => true
): boolean => {
  const answered = history.flatMap(({ answeredAfter }, index) => (answeredAfter === undefined ? [] : [index]))
  const seen = new Set<string>()
  const open: Array<Position<State>> = [{ placed: new Set(), state: initial }]
  for (let position = open.pop(); position !== undefined; position = open.pop()) {
    const { placed, state } = position
    if (answered.every((index) => placed.has(index)) && isEnd(state)) return true
    const key = `${[...placed].toSorted((one, other) => one - other).join()} ${model.keyOf(state)}`
    if (seen.has(key)) continue
    seen.add(key)
    open.push(...positionsAfter(model, history, position))
  }
  return false
}

/** The columns between two moments of a timeline. */
const momentWidth = 3

/**
 * Formats a history as a timeline: one bar per call from request to response, labelled by `tell`. A bar without an end
 * is a call without a response.
 */
export const timeline = <Operation>(
  history: ReadonlyArray<Call<Operation>>,
  tell: (operation: Operation) => string
): ReadonlyArray<string> => {
  // a response follows the last request that was sent before it
  const moments = [...new Set(history.flatMap((call) => [call.sent, (call.answeredAfter ?? call.sent) + 0.5]))]
  const ordered = moments.toSorted((one, other) => one - other)
  const columnOf = (moment: number): number => ordered.indexOf(moment) * momentWidth
  const width = ordered.length * momentWidth
  return history
    .toSorted((one, other) => one.sent - other.sent)
    .map((call) => {
      const from = columnOf(call.sent)
      const to = call.answeredAfter === undefined ? width - 1 : columnOf(call.answeredAfter + 0.5)
      const bar = `${" ".repeat(from)}|${"-".repeat(Math.max(0, to - from - 1))}${call.answeredAfter === undefined ? ">" : "|"}`
      return `${bar.padEnd(width + 1)}${tell(call.operation)}`
    })
}
