import { Data, Predicate } from "effect"

/** Why a database cannot be served from. */
export type OpenFailure =
  /** A process, this one included, has it open already. */
  | "in use"
  /** The file, or what must stand beside it, cannot be opened for writing. */
  | "not writable"
  | "not a database"
  | "damaged"
  /** It would answer before what was written is safe on disk. */
  | "not durable"
  /** Anything else: the disk is full, or fails. */
  | "unusable"

const advice: Readonly<Record<OpenFailure, string>> = {
  "in use": "is in use by another process: stop that one, or choose another file.",
  "not writable": "cannot be opened for writing: make its directory, and let this user write there.",
  "not a database":
    "is not a SQLite database: choose another file, or move it and its -wal file away and restore a backup in its place.",
  // Beside a restored backup SQLite would replay the damaged one's log into it.
  damaged: "is damaged: move it and its -wal file away, and restore a backup in its place.",
  "not durable": "cannot be written durably: put it on a local disk.",
  unusable: "cannot be used: check its disk."
}

/** The database is refused at start, and nothing in it was changed. */
export class SqliteOpenError extends Data.TaggedError("SqliteOpenError")<{
  readonly reason: OpenFailure
  readonly filename: string
  /** What SQLite or the check said. */
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

/** What an error of `node:sqlite` means for a database that is being opened. */
export const fromCause = (filename: string, cause: unknown): SqliteOpenError => {
  const code = Predicate.hasProperty(cause, "errcode") && typeof cause.errcode === "number" ? cause.errcode & 0xff : 0
  const detail = cause instanceof Error ? cause.message : String(cause)
  return new SqliteOpenError({ reason: reasons.get(code) ?? "unusable", filename, detail })
}
