import type { Series } from "./Series.ts"
import { ratioOf, spread } from "./Series.ts"
import type { Spread } from "./Spread.ts"

/** What has to be reached, and what is aimed at (design, section 6). */
export interface Goal {
  readonly direction: "at least" | "at most"
  readonly bar: number
  readonly aim: number
}

/** One line of the table. */
export interface Row {
  readonly what: string
  readonly against: string
  readonly ours: Series
  /** What ours is divided by; where there is nothing, ours is judged as it is. */
  readonly other?: Series
  readonly goal: Goal
  /** What one has to know to read the line. */
  readonly note?: string
}

export type Verdict = "pass" | "miss"

/** What is judged: the ratio, or ours in seconds where it stands alone. */
export const judged = ({ other, ours }: Row): Spread => {
  if (other !== undefined) return ratioOf(ours, other)
  const { least, median, most } = spread(ours)
  return { least: least / 1000, median: median / 1000, most: most / 1000 }
}

const reaches = (value: number, direction: Goal["direction"], wanted: number): boolean =>
  direction === "at least" ? value >= wanted : value <= wanted

export const verdictOf = (row: Row): Verdict =>
  reaches(judged(row).median, row.goal.direction, row.goal.bar) ? "pass" : "miss"

export const reachesAim = (row: Row): boolean => reaches(judged(row).median, row.goal.direction, row.goal.aim)
