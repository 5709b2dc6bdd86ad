import { Data, Predicate } from "effect"

/** Why a database could not be opened. */
export type OpenFailure =
  /** A process, possibly this one, has already opened it. */
  | "in use"
  /** The file, or its companion files, cannot be opened for writing. */
  | "not writable"
  | "not a database"
  | "damaged"
  /** Writes would be acknowledged before they are safe on disk. */
  | "not durable"
  /** Any other failure, such as a full disk. */
  | "unusable"

const advice: Readonly<Record<OpenFailure, string>> = {
  "in use": "is in use by another process: stop that process, or choose another file.",
  "not writable": "cannot be opened for writing: create its directory, and give this user write permission there.",
  "not a database":
    "is not a SQLite database: choose another file, or move it and its -wal file away and restore a backup in its place.",
  // With the damaged file's log in place, SQLite would replay it into the restored backup.
  damaged: "is damaged: move it and its -wal file away, and restore a backup in its place.",
  "not durable": "cannot be written durably: put the file on a local disk.",
  unusable: "cannot be used: check the disk."
}

/** The database was refused at start. Nothing in it was changed. */
export class SqliteOpenError extends Data.TaggedError("SqliteOpenError")<{
  readonly reason: OpenFailure
  readonly filename: string
  /** The error text of SQLite or of the check. */
  readonly detail: string
}> {
  /** One sentence that says what to do. */
  override get message(): string {
    return `${this.filename} ${advice[this.reason]}`
  }
}

// Primary result codes, https://www.sqlite.org/rescode.html
const reasons: ReadonlyMap<number, OpenFailure> = new Map([
  [3, "not writable"], // SQLITE_PERM
  [5, "in use"], // SQLITE_BUSY
  [6, "in use"], // SQLITE_LOCKED
  [8, "not writable"], // SQLITE_READONLY
  [11, "damaged"], // SQLITE_CORRUPT
  [14, "not writable"], // SQLITE_CANTOPEN
  [26, "not a database"] // SQLITE_NOTADB
])

/** Converts an error of `node:sqlite` during opening. */
export const fromCause = (filename: string, cause: unknown): SqliteOpenError => {
  const code = Predicate.hasProperty(cause, "errcode") && typeof cause.errcode === "number" ? cause.errcode & 0xff : 0
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new SqliteOpenError({ reason: reasons.get(code) ?? "unusable", filename, detail })
}
