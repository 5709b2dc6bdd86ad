import { Caller } from "@wcs/domain/access/Caller"
import { Unavailable } from "@wcs/domain/service/HttpRefusal"
import type { Refusal } from "@wcs/domain/service/Refusals"
import { byteOrderMark } from "@wcs/domain/shared/ByteOrderMark"
import { dayAt } from "@wcs/domain/shared/CalendarDay"
import { Cause, Clock, type Context, Effect, Stream } from "effect"
import { Csv } from "effect/encoding"
import { HttpServerResponse } from "effect/http"
import type { Call } from "./Call.ts"

/** A row: a value for each column. Null is an empty cell. */
type Row<Column extends string> = Readonly<Record<Column, string | number | boolean | null>>

/** The files that a server sends at the same time, in all and to one tenant. Each reads a whole list. */
const mostFiles = { all: 8, perTenant: 2 }

/** A file ends after this time, so a caller whose access ended does not read on for long. */
const longestMillis = 5 * 60_000

/** The rows that are written together. */
const rowsPerPiece = 250

/** The weight of a media type that an `Accept` header names (RFC 9110, section 12.5.1); 0 if it does not. */
const weightOf = (accept: string, type: string): number => {
  const [found] = accept
    .toLowerCase()
    .split(",")
    .flatMap((range) => {
      const [name, ...parameters] = range.split(";").map((part) => part.trim())
      return name === type ? [parameters] : []
    })
  const weight = found?.find((parameter) => parameter.startsWith("q="))
  return found === undefined ? 0 : weight === undefined ? 1 : Number(weight.slice(2)) || 0
}

/** Whether the caller prefers CSV to JSON. Without a preference, the answer is JSON. */
export const isWanted = ({ request }: Pick<Call, "request">): boolean => {
  const accept = request.headers["accept"] ?? ""
  return weightOf(accept, "text/csv") > weightOf(accept, "application/json")
}

/** Spreadsheets run a cell that begins with one of these as a formula, also with the full-width forms. */
const formula = /^[=+\-@\t\r\n＝＋－＠]/

/** The text of a cell. An apostrophe keeps a spreadsheet from running the text. */
const cellOf = (value: string | number | boolean | null): string | undefined => {
  if (value === null) return undefined
  if (typeof value !== "string") return String(value)
  return formula.test(value) ? `'${value}` : value
}

/** Rows as the bytes of a CSV file (RFC 4180) in UTF-8. The byte-order mark tells Excel that it is UTF-8. */
export const bytesOf = <Column extends string, E, R>(
  columns: ReadonlyArray<Column>,
  rows: Stream.Stream<Row<Column>, E, R>
): Stream.Stream<Uint8Array, E, R> => {
  const file = rows.pipe(
    Stream.map((row) => Object.fromEntries(columns.map((column) => [column, cellOf(row[column])]))),
    Stream.rechunk(rowsPerPiece),
    Stream.pipeThroughChannel(Csv.encode<E>({ columns, headers: true }))
  )
  return Stream.concat(Stream.succeed(new TextEncoder().encode(byteOrderMark)), file)
}

/** Fails when the file took too long. The client sees an incomplete body. */
const inTime = <A, E, R>(pieces: Stream.Stream<A, E, R>, until: number): Stream.Stream<A, E, R> =>
  Stream.tap(pieces, () =>
    Effect.flatMap(Clock.currentTimeMillis, (now) =>
      now > until ? Effect.die(new Error("a file took too long to send")) : Effect.void
    )
  )

const busy = new Unavailable({ retryAfterSeconds: 10 })

/**
 * Returns the function that answers rows as a CSV file. Rows are read while the file is sent, so a file of any length
 * needs little memory. Files have places: above the limit the answer is 503.
 */
export const make = () => {
  const sending = new Map<string, number>()
  const countOf = (tenantId: string): number => sending.get(tenantId) ?? 0
  const isFull = (tenantId: string): boolean =>
    countOf(tenantId) >= mostFiles.perTenant ||
    [...sending.values()].reduce((sum, count) => sum + count, 0) >= mostFiles.all
  const enter = (tenantId: string) => Effect.sync(() => sending.set(tenantId, countOf(tenantId) + 1))
  const leave = (tenantId: string) =>
    Effect.sync(() => {
      const left = countOf(tenantId) - 1
      if (left > 0) sending.set(tenantId, left)
      else sending.delete(tenantId)
    })

  return <Column extends string, E extends Refusal>(
    call: Call,
    name: string,
    columns: ReadonlyArray<Column>,
    rows: Effect.Effect<Stream.Stream<Row<Column>>, E, Caller>
  ) =>
    Effect.gen(function* () {
      const { tenantId, timeZone } = yield* Caller
      if (isFull(tenantId)) return yield* busy
      const found = yield* rows
      const now = yield* Clock.currentTimeMillis
      // A place is taken when the body is read: nothing reads that of a HEAD, or of a client that has left.
      const place = Effect.acquireRelease(enter(tenantId), () => leave(tenantId))
      const held = Stream.unwrap(Effect.as(place, inTime(bytesOf(columns, found), now + longestMillis)))
      const log = (cause: Cause.Cause<never>) =>
        Cause.hasInterruptsOnly(cause) // the client left
          ? Effect.void
          : Effect.annotateLogs(Effect.logError("a file is incomplete", cause), { requestId: call.requestId })
      return HttpServerResponse.stream(
        held.pipe(Stream.tapCause(log), Stream.provideContext(call.services as Context.Context<never>)),
        {
          contentType: "text/csv; charset=utf-8",
          headers: { "content-disposition": `attachment; filename="${name}-${dayAt(now, timeZone)}.csv"` }
        }
      )
    })
}
