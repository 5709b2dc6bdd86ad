import type { Choice } from "./Rows.ts"

// Covers choices by few servers: every pair of values of two points that are compatible occurs together on one of them.
// The table of servers is built by columns: the values of one point on all servers, after those of the points before.

type Names = ReadonlyArray<readonly [one: string, other: string]>

/** A point, with the number of its value on each server. The server's own value is 0, and the first choice is 1. */
interface Column {
  readonly choices: ReadonlyArray<Choice>
  readonly values: ReadonlyArray<number>
}

/** Numbers from 0 to 1, the same in every run. */
const numbers = () => {
  let state = 1
  return (): number => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const shuffled = <A>(values: ReadonlyArray<A>, random: () => number): ReadonlyArray<A> =>
  values
    .map((value) => ({ value, rank: random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ value }) => value)

/** How often each pair of values of two points occurs, and whether it may. */
interface Pairs {
  readonly values: ReadonlyArray<number>
  readonly counts: Array<number>
  readonly isFoe: ReadonlyArray<boolean>
}

const pairsWith = (
  { choices, values }: Column,
  own: ReadonlyArray<Choice>,
  column: ReadonlyArray<number>,
  foes: ReadonlySet<string>
): Pairs => {
  const size = own.length + 1
  const cells = Array.from({ length: (choices.length + 1) * size }, (_, cell) => cell)
  const isFoe = cells.map((cell) =>
    foes.has(`${choices[Math.floor(cell / size) - 1]?.name}\n${own[(cell % size) - 1]?.name}`)
  )
  const counts = cells.map(() => 0)
  for (const [server, value] of values.entries()) {
    const cell = value * size + (column[server] ?? 0)
    counts[cell] = (counts[cell] ?? 0) + 1
  }
  return { values, counts, isFoe }
}

/** What is wrong about a pair that occurs so often: it is missing, or it occurs although it must not. */
const wrong = (count: number, isFoe: boolean | undefined): number => (isFoe === true ? count : count === 0 ? 1 : 0)

/** How much less is wrong after a change of the value on one server. */
const gainOf = (all: ReadonlyArray<Pairs>, size: number, server: number, from: number, to: number): number => {
  let gain = 0
  for (const { counts, isFoe, values } of all) {
    const row = (values[server] ?? 0) * size
    const [left, entered] = [counts[row + from] ?? 0, counts[row + to] ?? 0]
    gain += wrong(left, isFoe[row + from]) - wrong(left - 1, isFoe[row + from])
    gain += wrong(entered, isFoe[row + to]) - wrong(entered + 1, isFoe[row + to])
  }
  return gain
}

/** Changes of a column before another start is tried. */
const stepsMost = 120

/** The values of a point on all servers, so that every pair with the columns before occurs; undefined if none is found. */
const columnFrom = (
  start: ReadonlyArray<number>,
  choices: ReadonlyArray<Choice>,
  before: ReadonlyArray<Column>,
  foes: ReadonlySet<string>,
  random: () => number
): Column | undefined => {
  const size = choices.length + 1
  const values = [...start]
  const all = before.map((column) => pairsWith(column, choices, values, foes))
  let left = all.reduce(
    (sum, { counts, isFoe }) => sum + counts.reduce((some, count, cell) => some + wrong(count, isFoe[cell]), 0),
    0
  )
  for (let step = 0; left > 0 && step < stepsMost; step += 1) {
    const moves = values.flatMap((from, server) =>
      Array.from({ length: size }, (_, to) => ({ server, from, to })).filter(({ to }) => to !== from)
    )
    const ranked = moves.map((move) => ({
      ...move,
      gain: gainOf(all, size, move.server, move.from, move.to),
      rank: random()
    }))
    const [best] = ranked.toSorted((one, other) => other.gain - one.gain || one.rank - other.rank)
    if (best === undefined || best.gain < 0) return undefined
    const { from, gain, server, to } = best
    for (const { counts, values: others } of all) {
      const row = (others[server] ?? 0) * size
      counts[row + from] = (counts[row + from] ?? 0) - 1
      counts[row + to] = (counts[row + to] ?? 0) + 1
    }
    values[server] = to
    left -= gain
  }
  return left === 0 ? { choices, values } : undefined
}

/** Starts of a column before there is one server more. */
const starts = 8

/** A table of so many servers; undefined if none is found. */
const tableOf = (
  points: ReadonlyArray<ReadonlyArray<Choice>>,
  servers: number,
  foes: ReadonlySet<string>
): ReadonlyArray<Column> | undefined => {
  const random = numbers()
  const columns: Array<Column> = []
  for (const choices of points) {
    const even = Array.from({ length: servers }, (_, server) => server % (choices.length + 1))
    let column: Column | undefined
    for (let start = 0; column === undefined && start < starts; start += 1) {
      column = columnFrom(shuffled(even, random), choices, columns, foes, random)
    }
    if (column === undefined) return undefined
    columns.push(column)
  }
  return columns
}

/** The choices of each point that may be together with others, most values first. */
const pointsOf = (choices: ReadonlyArray<Choice>): ReadonlyArray<ReadonlyArray<Choice>> =>
  [
    ...Map.groupBy(
      choices.filter(({ isAlone }) => isAlone !== true),
      ({ point }) => point
    ).values()
  ].toSorted((one, other) => other.length - one.length)

/** The fewest servers that there can be: the product of the two largest numbers of values. */
export const leastOf = (choices: ReadonlyArray<Choice>): number => {
  const [first = [], second = []] = pointsOf(choices)
  return (first.length + 1) * (second.length + 1)
}

/**
 * Servers, each as its choices, on which every pair of values of two points occurs together unless the pair is
 * incompatible. A choice that hides others has a server of its own. The result depends on nothing else.
 */
export const coveringOf = (
  choices: ReadonlyArray<Choice>,
  incompatible: Names = []
): ReadonlyArray<ReadonlyArray<Choice>> => {
  const points = pointsOf(choices)
  const foes = new Set(incompatible.flatMap(([one, other]) => [`${one}\n${other}`, `${other}\n${one}`]))
  const alone = choices.filter(({ isAlone }) => isAlone === true).map((choice) => [choice])
  let columns = points.length === 0 ? [] : (undefined as ReadonlyArray<Column> | undefined)
  let count = leastOf(choices)
  while (columns === undefined) {
    columns = tableOf(points, count, foes)
    if (columns === undefined) count += 1
  }
  const table = columns
  const servers = Array.from({ length: table.length === 0 ? 0 : count }, (_, server) => {
    const own = new Set(table.map((column) => column.choices[(column.values[server] ?? 0) - 1]))
    return choices.filter((choice) => own.has(choice))
  })
  return [...servers, ...alone]
}
