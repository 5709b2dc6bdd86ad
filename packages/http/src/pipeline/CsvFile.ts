import type { Cell } from "@wcs/api/ListTable"
import { byteOrderMark } from "@wcs/domain/shared/ByteOrderMark"
import { guardedCell } from "@wcs/domain/shared/SpreadsheetCell"
import { Stream } from "effect"
import { Csv } from "effect/encoding"
import { type FileForm, rowsPerPiece } from "./FileForm.ts"

const cellOf = (value: Cell): string | undefined => {
  if (value === null) return undefined
  return typeof value === "string" ? guardedCell(value) : String(value)
}

/**
 * A CSV file (RFC 4180). The byte-order mark tells Excel that it is UTF-8. There is no heading, which programs would
 * have to skip.
 */
export const csvFile: FileForm = {
  type: "text/csv",
  extension: "csv",
  bytesOf: <E, R>(columns: ReadonlyArray<string>, rows: Stream.Stream<Readonly<Record<string, Cell>>, E, R>) => {
    const file = rows.pipe(
      Stream.map((row) => Object.fromEntries(columns.map((column) => [column, cellOf(row[column] ?? null)]))),
      Stream.rechunk(rowsPerPiece),
      Stream.pipeThroughChannel(Csv.encode<E>({ columns, headers: true }))
    )
    return Stream.concat(Stream.succeed(new TextEncoder().encode(byteOrderMark)), file)
  }
}
