// Loaded before a process: it is killed, as by kill -9, before or after the statement with the number that
// `WCS_FAULT_AT` says among those that begin so: `{ "statement": "COMMIT", "when": "before", "number": 20 }`.
import { intercept } from "./Statements.ts"

const { number, statement, when } = JSON.parse(process.env["WCS_FAULT_AT"] ?? "")
let left: number = number

intercept((sql, _database, run) => {
  if (!sql.trimStart().startsWith(statement) || --left !== 0) return run()
  if (when === "after") run()
  process.kill(process.pid, "SIGKILL")
  for (;;) {} // until the signal is there
})
