// Loaded into a server before its own modules. Limits the growth of its store to 60 pages, until SIGUSR2 removes the
// limit.
import type { DatabaseSync } from "node:sqlite"
import { intercept } from "./Statements.ts"

const pages = 60
const limitless = 1_000_000_000

/** The last statement in the set-up of a writing connection. */
const isReady = (sql: string) => sql === "PRAGMA foreign_keys = ON"

const limit = (database: DatabaseSync) => {
  const count = Object.values(database.prepare("PRAGMA page_count").get() ?? {})[0]
  database.exec(`PRAGMA max_page_count = ${Number(count) + pages}`)
  process.on("SIGUSR2", () => database.exec(`PRAGMA max_page_count = ${limitless}`))
}

intercept((sql, database, run) => {
  const done = run()
  if (isReady(sql)) limit(database)
  return done
})
