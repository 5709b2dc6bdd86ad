import type { Spread } from "./load/Spread.ts"
import { judged, type Row, verdictOf } from "./Row.ts"
import type { Series } from "./Series.ts"

const signs = { "at least": "≥", "at most": "≤" } as const

/** Rounds to three significant digits. */
export const figure = (value: number): string =>
  Math.abs(value) >= 100 ? Math.round(value).toLocaleString("en-US") : value.toPrecision(3)

export const withSpread = ({ least, median, most }: Spread, unit = ""): string =>
  `${figure(median)}${unit} (${figure(least)}–${figure(most)})`

/** The unit of a series, as it follows a number. */
export const unitOf = ({ unit }: Series): string => (unit === "/s" ? unit : ` ${unit}`)

/** The unit of the judged value: a ratio, seconds or megabytes. */
const judgedUnit = ({ other, ours }: Row): string => {
  if (other !== undefined) return "×"
  return ours.unit === "ms" ? " s" : unitOf(ours)
}

/** The judged value with its range. */
export const resultText = (row: Row): string =>
  row.voidReason === undefined ? withSpread(judged(row), judgedUnit(row)) : `no figure: ${row.voidReason}`

/** The median of the judged value. */
export const medianText = (row: Row): string => `${figure(judged(row).median)}${judgedUnit(row)}`

/** The bar or the aim; empty if the row is not judged. */
export const goalText = (row: Row, value: "bar" | "aim"): string =>
  row.goal === null ? "" : `${signs[row.goal.direction]} ${row.goal[value]}${judgedUnit(row)}`

/** The verdict, with the bar. */
export const verdictText = (row: Row): string =>
  row.goal === null ? "no bar" : `bar ${goalText(row, "bar")}: ${verdictOf(row)}`
