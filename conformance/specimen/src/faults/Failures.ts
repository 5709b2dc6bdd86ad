import { each, type Fault, row, rows } from "./Rows.ts"

// Calls that break the server, and what its failures show.

const nowhere = { endpoint: "none", path: "elsewhere" }

/** Faults of ENV-12, ENV-15 and ENV-18. */
export const failureFaults: ReadonlyArray<Fault> = [
  ...row("ENV-12 no-answer", "a deep body ends the connection", { endpoint: "POST /workers" }),
  ...row("ENV-12 missing", "a quote in a text empties the table", { endpoint: "POST /workers", field: "displayName" }),
  ...row("ENV-15 not-json", "an unknown path fails with a page", nowhere),
  ...row("ENV-15 missing", "an unknown path fails without a message", nowhere),
  ...rows(
    "ENV-18 disclosed",
    "an unknown path fails and shows internals",
    each(
      "shown",
      ["a stack", "a trace", "a query", "a database state", "a file", "an address", "an internal name"],
      nowhere
    )
  )
]
