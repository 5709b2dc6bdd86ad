// Loaded before a process. Kills it before or after the n-th statement with a prefix, according to `WCS_FAULT_AT`:
// `{ "statement": "COMMIT", "when": "before", "number": 20 }`.
import { intercept } from "./Statements.ts"

const { number, statement, when } = JSON.parse(process.env["WCS_FAULT_AT"] ?? "")
let left: number = number

intercept((sql, _database, run) => {
  if (!sql.trimStart().startsWith(statement) || --left !== 0) return run()
  if (when === "after") run()
  process.kill(process.pid, "SIGKILL")
  for (;;) {} // until the signal arrives
})
