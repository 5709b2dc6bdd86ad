/** A call of a history, in the order in which one caller of all of them sent them and heard of them. */
export interface Call<Operation> {
  readonly operation: Operation
  /** Its place among everything that was sent. */
  readonly sent: number
  /** What had been sent last when its answer came; undefined where none came, so that it may have been done or not. */
  readonly answeredAfter: number | undefined
}

/** What a deployment may make of a call. */
export interface Model<State, Operation> {
  /** The states that may follow, of those results that agree with what was answered; none where no result does. */
  readonly next: (state: State, operation: Operation) => ReadonlyArray<State>
  /** Equal for states that answer everything alike. */
  readonly keyOf: (state: State) => string
}

/** Whether a call was answered before another one was sent. */
const precedes = (one: Call<unknown>, other: Call<unknown>): boolean =>
  one.answeredAfter !== undefined && one.answeredAfter < other.sent

/** Whether neither of two calls was over before the other began. */
export const overlap = (one: Call<unknown>, other: Call<unknown>): boolean =>
  !precedes(one, other) && !precedes(other, one)

/** Where a search stands: which calls have their place, and what they led to. */
interface Position<State> {
  readonly placed: ReadonlySet<number>
  readonly state: State
}

/** Where the search may go on: behind each call that no other, yet unplaced one precedes. */
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
 * Whether there is an order of the calls, each between its sending and its answer, in which one caller at a time could
 * have been answered the same: whether a history is linearizable (Wing and Gong, "Testing and verifying concurrent
 * objects", 1993), with Lowe's memory of the positions that lead nowhere. A call without an answer has a place anywhere
 * after its sending, or none. `isEnd` says which last states are true.
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

/** Characters from one moment of a timeline to the next. */
const momentWidth = 3

/**
 * A history as a timeline: a bar for each call, from its sending to its answer, and beside it what `tell` says of it. A
 * bar without an end is of a call that was never answered.
 */
export const timeline = <Operation>(
  history: ReadonlyArray<Call<Operation>>,
  tell: (operation: Operation) => string
): ReadonlyArray<string> => {
  // an answer comes after what was sent last before it
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
