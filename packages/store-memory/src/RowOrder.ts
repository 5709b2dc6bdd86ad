import { type Cursor, numericColumns, type Sort } from "@wcs/domain/resource/ListQuery"

/**
 * Compares text by code points, as UTF-8 bytes compare and as databases' binary collations do. JavaScript's own order,
 * by UTF-16 units, puts U+10000 and above before U+E000.
 */
export const compareText = (one: string, two: string): number => {
  const length = Math.min(one.length, two.length)
  for (let index = 0; index < length; index++) {
    if (one[index] !== two[index]) return (one.codePointAt(index) ?? 0) - (two.codePointAt(index) ?? 0)
  }
  return one.length - two.length
}

const compareKeys = (column: string, one: string | number, two: string | number): number =>
  numericColumns.includes(column) ? Number(one) - Number(two) : compareText(String(one), String(two))

/** Negative where the first place comes first in the order: by its sort key, then its id, both in the sort's direction. */
export const comparePlaces = (sort: Sort, one: Cursor, two: Cursor): number => {
  const ascending = compareKeys(sort.column, one.key, two.key) || compareText(one.id, two.id)
  return sort.direction === "asc" ? ascending : -ascending
}
