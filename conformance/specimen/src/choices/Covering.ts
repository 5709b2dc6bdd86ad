import type { Choice } from "./Rows.ts"

// Covers choices by few servers: every pair of values of two points that are compatible occurs together on one of them.

/** A value of a point: a choice, or the server's own. */
interface Cell {
  readonly point: string
  readonly choice: Choice | undefined
}

type Pairs = ReadonlyMap<Cell, Set<Cell>>

/** The values of each point, the server's own first. */
const cellsOf = (choices: ReadonlyArray<Choice>): ReadonlyArray<ReadonlyArray<Cell>> =>
  [...Map.groupBy(choices, ({ point }) => point)].map(([point, own]) => [
    { point, choice: undefined },
    ...own.map((choice) => ({ point, choice }))
  ])

/** The pairs of cells for which a condition holds, in both directions. */
const pairsOf = (cells: ReadonlyArray<Cell>, holds: (one: Cell, other: Cell) => boolean): Pairs =>
  new Map(
    cells.map((cell) => [cell, new Set(cells.filter((other) => other.point !== cell.point && holds(cell, other)))])
  )

/** Numbers from 0 to 1, the same in every run. */
const numbers = () => {
  let state = 1
  return () => {
    state = (state * 48_271) % 2_147_483_647
    return state / 2_147_483_647
  }
}

const shuffled = <A>(values: ReadonlyArray<A>, random: () => number): ReadonlyArray<A> =>
  values
    .map((value) => ({ value, rank: random() }))
    .toSorted((one, other) => one.rank - other.rank)
    .map(({ value }) => value)

const sizeIn = (pairs: Pairs, cell: Cell): number => pairs.get(cell)?.size ?? 0

/** The cell with most pairs. */
const most = (cells: Iterable<Cell>, pairs: Pairs): Cell | undefined =>
  [...cells].reduce<Cell | undefined>(
    (best, cell) => (best === undefined || sizeIn(pairs, cell) > sizeIn(pairs, best) ? cell : best),
    undefined
  )

/** The number of pairs of a cell with these. */
const gainOf = (pairs: Pairs, cell: Cell, taken: ReadonlyArray<Cell>): number => {
  const open = pairs.get(cell)
  return open === undefined ? 0 : taken.filter((one) => open.has(one)).length
}

/** A server with a pair that is still open, and with as many others as the order of the points permits. */
const serverWith = (
  points: ReadonlyArray<ReadonlyArray<Cell>>,
  open: Pairs,
  foes: Pairs,
  random: () => number
): ReadonlyArray<Cell> => {
  const first = most(shuffled(points.flat(), random), open)
  const second = first && most(shuffled([...(open.get(first) ?? [])], random), open)
  const taken = [first, second].filter((cell) => cell !== undefined)
  for (const cells of shuffled(points, random)) {
    if (cells.some((cell) => taken.includes(cell))) continue
    const ranked = cells
      .filter((cell) => !taken.some((one) => foes.get(cell)?.has(one)))
      .map((cell) => ({ cell, gain: gainOf(open, cell, taken), rest: sizeIn(open, cell) }))
    const [best] = ranked.toSorted((one, other) => other.gain - one.gain || other.rest - one.rest)
    if (best !== undefined) taken.push(best.cell)
  }
  return taken
}

/** The number of open pairs on a server. */
const gainOfAll = (open: Pairs, server: ReadonlyArray<Cell>): number =>
  server.reduce((sum, cell) => sum + gainOf(open, cell, server), 0)

/** Servers that are tried before the best of them is taken. */
const tries = 12

/**
 * Servers, each as its choices, on which every pair of values of two points occurs together unless the pair is
 * incompatible. A choice that hides others has a server of its own. The result depends on nothing else.
 */
export const coveringOf = (
  choices: ReadonlyArray<Choice>,
  incompatible: ReadonlyArray<readonly [one: string, other: string]> = []
): ReadonlyArray<ReadonlyArray<Choice>> => {
  const together = choices.filter(({ isAlone }) => isAlone !== true)
  const points = cellsOf(together)
  const cells = points.flat()
  const names = new Set(incompatible.flatMap(([one, other]) => [`${one}\n${other}`, `${other}\n${one}`]))
  const areFoes = (one: Cell, other: Cell) => names.has(`${one.choice?.name}\n${other.choice?.name}`)
  const foes = pairsOf(cells, areFoes)
  const open = pairsOf(cells, (one, other) => !areFoes(one, other))
  const random = numbers()
  const servers: Array<ReadonlyArray<Choice>> = []
  while (cells.some((cell) => sizeIn(open, cell) > 0)) {
    const tried = Array.from({ length: tries }, () => serverWith(points, open, foes, random))
    const [best = []] = tried.toSorted((one, other) => gainOfAll(open, other) - gainOfAll(open, one))
    for (const cell of best) for (const other of best) open.get(cell)?.delete(other)
    const own = new Set(best.map(({ choice }) => choice))
    servers.push(together.filter((choice) => own.has(choice)))
  }
  return [...servers, ...choices.filter(({ isAlone }) => isAlone === true).map((choice) => [choice])]
}

/** The fewest servers that there can be: the product of the two largest numbers of values. */
export const leastOf = (choices: ReadonlyArray<Choice>): number => {
  const counts = cellsOf(choices.filter(({ isAlone }) => isAlone !== true)).map(({ length }) => length)
  const [first = 1, second = 1] = counts.toSorted((one, other) => other - one)
  return first * second
}
