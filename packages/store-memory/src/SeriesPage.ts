import { totalLimit } from "@wcs/domain/resource/ListQuery"
import type { SeriesPage, SeriesSelection } from "@wcs/domain/resource/Series"
import type { Instant } from "@wcs/domain/shared/Instant"

/** A row that a time filter can match. */
interface Timed {
  readonly at?: Instant
}

const isWithin = ({ at }: Timed, from: Instant | undefined, to: Instant | undefined): boolean =>
  (from === undefined || (at !== undefined && at >= from)) && (to === undefined || (at !== undefined && at < to))

/** A page of rows in order of creation. Rows are never deleted. */
export const seriesPage = <Field extends string, Row extends Readonly<Record<Field, string | null>> & Timed>(
  rows: ReadonlyArray<Row>,
  selection: SeriesSelection<Field>,
  hasEnded?: (row: Row) => boolean
): SeriesPage<Row> =>
  placedPage(
    rows.map((row, index) => ({ ...row, position: index + 1 })),
    selection,
    hasEnded
  )

/** A page of rows in order of their positions. */
export const placedPage = <Field extends string, Row extends Readonly<Record<Field, string | null>> & Timed>(
  rows: ReadonlyArray<Row & { readonly position: number }>,
  { after, conditions, direction, from, includeDeleted, includeTotal, pageSize, to }: SeriesSelection<Field>,
  hasEnded: (row: Row) => boolean = () => false
): SeriesPage<Row> => {
  const matching =
    conditions === undefined
      ? []
      : rows
          .filter((row) => includeDeleted || !hasEnded(row))
          .filter((row) => isWithin(row, from, to))
          .filter((row) => conditions.every(({ field, value }) => row[field] === value))
  const ordered = direction === "asc" ? matching : matching.toReversed()
  const following = ordered.filter(
    ({ position }) => after === undefined || (direction === "asc" ? position > after : position < after)
  )
  return {
    items: following.slice(0, pageSize),
    hasMore: following.length > pageSize,
    total: includeTotal ? Math.min(matching.length, totalLimit) : undefined
  }
}
