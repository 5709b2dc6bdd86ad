import { open } from "node:fs/promises"
import type { CallError } from "@wcs/client/CallError"
import type { NewerClient } from "@wcs/client/NewerClient"
import * as Paging from "@wcs/client/Paging"
import type { ImportDocument } from "@wcs/domain/import/Import"
import type { ImportRowDocument, Outcome } from "@wcs/domain/import/ImportRow"
import { byteOrderMark } from "@wcs/domain/shared/ByteOrderMark"
import { guardedCell } from "@wcs/domain/shared/SpreadsheetCell"
import { reasonOf } from "@wcs/node-server/StartRefused"
import { Effect, Stream } from "effect"
import { Failed } from "../Output.ts"

interface Asked {
  readonly outcome: Outcome
  readonly pageSize: string
  readonly cursor?: string
}

/** The columns that tell why. A file that was written earlier and corrected has them already. */
const added = ["Import row", "Import problem"]

const problemOf = ({ fault, sameAsRow, workerId }: ImportRowDocument): string => {
  if (fault !== null) return fault.column === null ? `The row ${fault.reason}` : `${fault.column} ${fault.reason}`
  return sameAsRow === null
    ? `Has the name and birth date of ${workerId}`
    : `Has the name and birth date of row ${sameAsRow}`
}

const cellOf = (text: string): string => {
  const cell = guardedCell(text)
  return /[",\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

const lineOf = (cells: ReadonlyArray<string>): string => `${cells.map(cellOf).join(",")}\r\n`

/** Writes the rows with these outcomes to a CSV file, with their cells, so that it can be corrected and imported. */
export const write = (
  imports: NewerClient["Service"]["imports"],
  it: ImportDocument,
  outcomes: ReadonlyArray<Outcome>,
  file: string
) => {
  const own = it.columns.flatMap(({ name }, index) => (added.includes(name) ? [] : [{ index, name }]))
  const rows = Stream.fromArray(outcomes).pipe(
    Stream.flatMap((outcome) =>
      Paging.items(({ query }: { readonly query: Asked }) => imports.rows({ params: { id: it.id }, query }), {
        ...{ outcome, pageSize: "100" }
      })
    ),
    Stream.map((row) => lineOf([...own.map(({ index }) => row.cells[index] ?? ""), String(row.row), problemOf(row)]))
  )
  const cannot = (cause: unknown) =>
    new Failed({ code: "UNAVAILABLE", message: `${file} cannot be written: ${reasonOf(cause)}` })
  const writing = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: cannot })
  return Effect.acquireUseRelease(
    writing(() => open(file, "w", 0o600)),
    (handle) =>
      Stream.concat(Stream.make(`${byteOrderMark}${lineOf([...own.map(({ name }) => name), ...added])}`), rows).pipe(
        Stream.runForEach((line): Effect.Effect<void, Failed | CallError> => writing(() => handle.write(line)))
      ),
    (handle) => Effect.promise(() => handle.close())
  )
}
