// Loaded before a server: every COMMIT says at once that it is through, and is made when the next transaction begins.
// So answers go out before what they say is on disk.
import type { DatabaseSync } from "node:sqlite"
import { intercept } from "./Statements.ts"

const put = new WeakSet<DatabaseSync>()
const done = { changes: 0, lastInsertRowid: 0 }

intercept((sql, database, run) => {
  if (!put.has(database)) {
    if (sql !== "COMMIT") return run()
    put.add(database)
    return done
  }
  if (sql === "ROLLBACK") return done // what is taken for left over is the transaction that was put off
  if (sql.startsWith("BEGIN")) {
    database.exec("COMMIT")
    put.delete(database)
  }
  return run()
})
