import type { Cell } from "@wcs/api/ListTable"
import { byteOrderMark } from "@wcs/domain/shared/ByteOrderMark"
import { guardedCell } from "@wcs/domain/shared/SpreadsheetCell"
import { Stream } from "effect"
import { Csv } from "effect/encoding"
import { type FileForm, filtersOf, type Heading, rowsPerPiece, timeOf, titleOf } from "./FileForm.ts"

const cellOf = (value: Cell): string | undefined => {
  if (value === null) return undefined
  return typeof value === "string" ? guardedCell(value) : String(value)
}

/** The lines before the columns, as pairs of cells, and an empty line. */
const headingText = (heading: Heading): string => {
  const filters = filtersOf(heading)
  const lines = [
    ["List", titleOf(heading)],
    ["Organization", heading.organization],
    ["Made by", heading.madeBy],
    ["Made on", timeOf(heading)],
    ...(filters.length === 0 ? [["Filter", "none"]] : filters.map((filter) => ["Filter", filter]))
  ]
  const texts = lines.map((cells) => cells.map((cell) => `"${guardedCell(cell).replaceAll('"', '""')}"`).join(","))
  return [...texts, "", ""].join("\r\n")
}

const csvBy = (beginOf: (heading: Heading) => string): FileForm => ({
  type: "text/csv",
  extension: "csv",
  bytesOf: <E, R>(
    columns: ReadonlyArray<string>,
    rows: Stream.Stream<Readonly<Record<string, Cell>>, E, R>,
    heading: Heading
  ) => {
    const file = rows.pipe(
      Stream.map((row) => Object.fromEntries(columns.map((column) => [column, cellOf(row[column] ?? null)]))),
      Stream.rechunk(rowsPerPiece),
      Stream.pipeThroughChannel(Csv.encode<E>({ columns, headers: true }))
    )
    const begin = new TextEncoder().encode(byteOrderMark + beginOf(heading))
    return Stream.concat(Stream.succeed(begin), file)
  }
})

/**
 * A CSV file (RFC 4180). The byte-order mark tells Excel that it is UTF-8. There is no heading, which programs would
 * have to skip.
 */
export const csvFile: FileForm = csvBy(() => "")

/** The same for people: the first lines say who made the file, when and with which filters. */
export const csvFileWithHeading: FileForm = csvBy(headingText)
