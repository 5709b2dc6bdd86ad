// Loaded into a server before its own modules. After some COMMITs, every COMMIT returns immediately without effect, so
// responses are sent before the data is on disk.
import { intercept } from "./Statements.ts"

const commitsMade = 10
const boundaries = ["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"]

let commits = 0

intercept((sql, _database, run) => {
  if (sql === "COMMIT") commits++
  // From now on, one transaction looks like many.
  return commits > commitsMade && boundaries.includes(sql) ? { changes: 0, lastInsertRowid: 0 } : run()
})
