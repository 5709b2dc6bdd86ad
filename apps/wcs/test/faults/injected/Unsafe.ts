// Loaded before a server: SQLite is told to leave out the waiting for the disk, as a build of it might by itself.
import { intercept } from "./Statements.ts"

intercept((sql, database, run) =>
  sql === "PRAGMA synchronous = FULL" ? database.exec("PRAGMA synchronous = NORMAL") : run()
)
