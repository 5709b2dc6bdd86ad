/** How often each fault that strikes at random is tried: few times in `npm test`, 50 in `npm run faults`. */
export const rounds = Number(process.env["WCS_FAULT_ROUNDS"] ?? 3)

if (!Number.isInteger(rounds) || rounds < 1) throw new Error("WCS_FAULT_ROUNDS must be a whole number from 1")

/** Random numbers that are the same in every run: whole ones from 0 to below `limit`. */
export type Random = (limit: number) => number

/** Mulberry32, which is good enough to choose by. */
export const randomFrom = (seed: number): Random => {
  let state = seed >>> 0
  return (limit) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
}
