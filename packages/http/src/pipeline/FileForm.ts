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
  /** The person who asked for the file, or the account if it is not a user. */
  readonly madeBy: string
  readonly madeAt: Instant
  /** The time zone of the tenant. */
  readonly timeZone: string
  /** The parameters of the list. */
  readonly filters: Query
}

/** `audit-log` as "Audit log". */
export const titleOf = ({ name }: Pick<Heading, "name">): string =>
  name.charAt(0).toUpperCase() + name.slice(1).replaceAll("-", " ")

/** When a file was made, in the time zone of the tenant. */
export const timeOf = ({ madeAt, timeZone }: Pick<Heading, "madeAt" | "timeZone">): string => {
  const format = new Intl.DateTimeFormat("en-AU", { dateStyle: "long", timeStyle: "long", timeZone })
  return `${format.format(madeAt)} (${timeZone})`
}

/** Each parameter of the list, such as `status: SENT`. */
export const filtersOf = ({ filters }: Pick<Heading, "filters">): ReadonlyArray<string> =>
  Object.entries(filters).map(([field, value]) => `${field}: ${[value].flat().join(", ")}`)

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
