import { fileLimits } from "@wcs/domain/import/Import"
import { notUtf8, requireText, separatorOf } from "@wcs/domain/import/ImportFile"
import type { BodyRefusal } from "@wcs/domain/service/HttpRefusal"
import { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { Effect, Sink, Stream } from "effect"
import { Csv } from "effect/encoding"

/** Decodes pieces of UTF-8. A character may be split between two pieces. */
const decoded = <E>(pieces: Stream.Stream<Uint8Array, E>): Stream.Stream<string, E | InvalidArgument> =>
  Stream.suspend(() => {
    const decoder = new TextDecoder("utf-8", { fatal: true })
    let isFirst = true
    const decode = (piece: Uint8Array | undefined) =>
      Effect.try({
        try: () => (piece === undefined ? decoder.decode() : decoder.decode(piece, { stream: true })),
        catch: () => notUtf8
      })
    return pieces.pipe(
      Stream.mapEffect((piece) => {
        const check = isFirst || piece.includes(0) ? Effect.fromResult(requireText(piece)) : Effect.void
        isFirst = false
        return Effect.andThen(check, decode(piece))
      }),
      Stream.concat(Stream.fromEffect(decode(undefined)))
    )
  })

/** The text up to the end of the first line. It shows the separator. */
const firstLine = Sink.fold(
  () => "",
  (text: string) => !/[\r\n]/.test(text) && text.length < fileLimits.rowCharacters,
  (text, piece: string) => Effect.succeed(text + piece)
)

const faultOf = ({ kind, line, message }: Csv.CsvError): InvalidArgument =>
  new InvalidArgument({
    field: "file",
    reason:
      kind === "RecordSize"
        ? `must have at most ${fileLimits.rowCharacters} characters in a row: see line ${line}`
        : `is no valid CSV file: line ${line}: ${message}`
  })

/** The records of a CSV file (RFC 4180) as its bytes arrive. Commas, semicolons and tabs can separate the cells. */
export const records = (
  pieces: Stream.Stream<Uint8Array, BodyRefusal>
): Stream.Stream<ReadonlyArray<string>, BodyRefusal | InvalidArgument> =>
  Stream.unwrap(
    Effect.map(Stream.peel(decoded(pieces), firstLine), ([head, rest]) =>
      Stream.concat(Stream.succeed(head), rest).pipe(
        Stream.pipeThroughChannel(
          Csv.decodeString<BodyRefusal | InvalidArgument>({
            delimiter: separatorOf(head),
            maxRecordSize: fileLimits.rowCharacters
          })
        ),
        Stream.mapError((error) => (Csv.isCsvError(error) ? faultOf(error) : error))
      )
    )
  )
