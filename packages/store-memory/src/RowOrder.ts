import { type Cursor, numericColumns, type Sort } from "@wcs/domain/resource/ListQuery"

/**
 * Compares text by code points, like UTF-8 bytes and the binary collations of databases. JavaScript compares UTF-16
 * units, which puts U+10000 and above before U+E000.
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

/** Negative when the first position is earlier in the order: by sort key, then by id, both in the sort direction. */
export const comparePlaces = (sort: Sort, one: Cursor, two: Cursor): number => {
  const ascending = compareKeys(sort.column, one.key, two.key) || compareText(one.id, two.id)
  return sort.direction === "asc" ? ascending : -ascending
}
