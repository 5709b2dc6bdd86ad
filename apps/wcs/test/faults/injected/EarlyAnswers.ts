// Loaded before a server: after a while every COMMIT says at once that it is through, and is not made. So answers go
// out before what they say is on disk.
import { intercept } from "./Statements.ts"

const commitsMade = 10
const boundaries = ["BEGIN IMMEDIATE", "COMMIT", "ROLLBACK"]

let commits = 0

intercept((sql, _database, run) => {
  if (sql === "COMMIT") commits++
  // From then on there is one transaction, which only looks like many.
  return commits > commitsMade && boundaries.includes(sql) ? { changes: 0, lastInsertRowid: 0 } : run()
})
