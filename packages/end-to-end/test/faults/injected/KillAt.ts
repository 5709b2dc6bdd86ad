// Loaded into a process before its own modules. Kills the process before or after the n-th SQL statement that begins
// with a text. The environment variable `WCS_FAULT_AT` sets both:
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
