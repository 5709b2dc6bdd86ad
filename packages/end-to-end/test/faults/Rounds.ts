/** The number of rounds of each random fault: few in `npm test`, 50 in `npm run faults`. */
export const rounds = Number(process.env["WCS_FAULT_ROUNDS"] ?? 2)

if (!Number.isInteger(rounds) || rounds < 1) throw new Error("WCS_FAULT_ROUNDS must be a whole number from 1")

/** Whether the scenarios run in full, as in `npm run faults`. Only then are times asserted. */
export const isFull = rounds >= 50

/** Returns reproducible random integers from 0 to below `limit`. */
export type Random = (limit: number) => number

/** Mulberry32, sufficient for choices. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
}

/** Chooses an item of a list that is not empty. */
export const oneOf = <Item>(random: Random, items: ReadonlyArray<Item>): Item => {
  const item = items[random(items.length)]
  if (item === undefined) throw new Error("the list is empty")
  return item
}
