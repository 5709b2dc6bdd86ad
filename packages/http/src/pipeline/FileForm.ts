import type { Cell } from "@wcs/api/ListTable"
import type { Query } from "@wcs/domain/resource/ListQuery"
import type { Instant } from "@wcs/domain/shared/Instant"
import type { Stream } from "effect"

/** What a reader of a file has to know about it. */
export interface Heading {
  /** The name of the list, such as `audit-log`. */
  readonly name: string
  /** The name of the tenant. */
  readonly organization: string
  /** The account that asked for the file. */
  readonly account: string
  readonly madeAt: Instant
  /** The time zone of the tenant. */
  readonly timeZone: string
  /** The parameters of the list. */
  readonly filters: Query
}

/** A form in which all rows of a list can be sent. */
export interface FileForm {
  /** The media type. */
  readonly type: string
  /** The ending of the name of a file. */
  readonly extension: string
  /** The rows as bytes in UTF-8, written while they are read. */
  readonly bytesOf: <E, R>(
    columns: ReadonlyArray<string>,
    rows: Stream.Stream<Readonly<Record<string, Cell>>, E, R>,
    heading: Heading
  ) => Stream.Stream<Uint8Array, E, R>
}

/** The rows that are written together. */
export const rowsPerPiece = 250
