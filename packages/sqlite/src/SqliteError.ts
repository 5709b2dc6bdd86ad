import { Predicate } from "effect"
import { SqlError } from "effect/sql"

// Extended result codes, https://www.sqlite.org/rescode.html#extrc
const uniqueIndex = 2067 // SQLITE_CONSTRAINT_UNIQUE, the only one that Effect classifies as a duplicate
const duplicates = [1555, 2579] // SQLITE_CONSTRAINT_PRIMARYKEY, SQLITE_CONSTRAINT_ROWID

/** Converts an error of `node:sqlite`, which has SQLite's code in `errcode`, to a portable one of `effect/sql`. */
export const fromCause = (cause: unknown): SqlError.SqlError => {
  if (SqlError.isSqlError(cause)) return cause
  const code = Predicate.hasProperty(cause, "errcode") ? cause.errcode : undefined
  const message = cause instanceof Error ? cause.message : String(cause)
  const errno = typeof code === "number" && duplicates.includes(code) ? uniqueIndex : code
  const classified = new Error(message, { cause })
  const reason = SqlError.classifySqliteError(Object.assign(classified, { errno }), { message })
  return new SqlError.SqlError({ reason })
}
