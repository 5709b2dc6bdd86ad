import type { Spread } from "./load/Spread.ts"
import type { Series } from "./Series.ts"
import { ratioOf, spread } from "./Series.ts"

/** What has to be reached, and what is aimed at. */
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
  /** Null for a figure that is told and not judged. */
  readonly goal: Goal | null
  /** What one has to know to read the line. */
  readonly note?: string
  /** The lines of which this is the worst. */
  readonly among?: ReadonlyArray<Row>
}

export type Verdict = "pass" | "miss" | "figure"

/** What is judged: the ratio, or ours in seconds where it stands alone. */
export const judged = ({ other, ours }: Row): Spread => {
  if (other !== undefined) return ratioOf(ours, other)
  const { least, median, most } = spread(ours)
  return { least: least / 1000, median: median / 1000, most: most / 1000 }
}

const reaches = (value: number, direction: Goal["direction"], wanted: number): boolean =>
  direction === "at least" ? value >= wanted : value <= wanted

export const verdictOf = (row: Row): Verdict =>
  row.goal === null ? "figure" : reaches(judged(row).median, row.goal.direction, row.goal.bar) ? "pass" : "miss"

export const reachesAim = (row: Row): boolean =>
  row.goal !== null && reaches(judged(row).median, row.goal.direction, row.goal.aim)
