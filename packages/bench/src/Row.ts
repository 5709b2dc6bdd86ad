import type { Spread } from "./load/Spread.ts"
import type { Series } from "./Series.ts"
import { ratioOf, spread } from "./Series.ts"

/** The bar, and the aim beyond it. */
export interface Goal {
  readonly direction: "at least" | "at most"
  readonly bar: number
  readonly aim: number
}

/** The other side of a row that no side is compared with. */
export const fixedLimit = "a fixed limit"

/** A row of the table. */
export interface Row {
  readonly what: string
  readonly against: string
  readonly ours: Series
  /** The divisor of the ratio. Without it, our own value is judged: in seconds if it is a time. */
  readonly other?: Series
  /** Null for a value that is reported and not judged. */
  readonly goal: Goal | null
  /** Why the row has no figure, if it is void. */
  readonly voidReason?: string
  /** Context that the row needs. */
  readonly note?: string
  /** The rows that this one stands for, as the worst of them. */
  readonly among?: ReadonlyArray<Row>
}

export type Verdict = "pass" | "miss" | "reported" | "void"

/** The judged value: the ratio, or our own value if there is no other. */
export const judged = ({ other, ours }: Row): Spread => {
  if (other !== undefined) return ratioOf(ours, other)
  const { least, median, most } = spread(ours)
  if (ours.unit !== "ms") return { least, median, most }
  return { least: least / 1000, median: median / 1000, most: most / 1000 }
}

const reaches = (value: number, direction: Goal["direction"], wanted: number): boolean =>
  direction === "at least" ? value >= wanted : value <= wanted

export const verdictOf = (row: Row): Verdict => {
  if (row.voidReason !== undefined) return "void"
  if (row.goal === null) return "reported"
  return reaches(judged(row).median, row.goal.direction, row.goal.bar) ? "pass" : "miss"
}

export const reachesAim = (row: Row): boolean =>
  row.voidReason === undefined && row.goal !== null && reaches(judged(row).median, row.goal.direction, row.goal.aim)
