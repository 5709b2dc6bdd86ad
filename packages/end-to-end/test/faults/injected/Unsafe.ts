// Loaded into a server before its own modules. Makes SQLite skip the wait for the disk, as some builds might do.
import { intercept } from "./Statements.ts"

intercept((sql, database, run) =>
  sql === "PRAGMA synchronous = FULL" ? database.exec("PRAGMA synchronous = NORMAL") : run()
)
