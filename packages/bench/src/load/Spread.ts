/** The median and range of several rounds. */
export interface Spread {
  readonly median: number
  readonly least: number
  readonly most: number
}

export const quantileOf = (values: ReadonlyArray<number>, share: number): number => {
  const sorted = values.toSorted((one, two) => one - two)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
}

export const medianOf = (values: ReadonlyArray<number>): number => {
  const sorted = values.toSorted((one, two) => one - two)
  const middle = Math.floor(sorted.length / 2)
  const [low = Number.NaN, high = low] =
    sorted.length % 2 === 0 ? sorted.slice(middle - 1, middle + 1) : sorted.slice(middle, middle + 1)
  return (low + high) / 2
}

export const spreadOf = (values: ReadonlyArray<number>): Spread => ({
  median: medianOf(values),
  least: Math.min(...values),
  most: Math.max(...values)
})
