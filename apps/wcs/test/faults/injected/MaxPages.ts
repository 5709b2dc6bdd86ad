// Loaded before a server: its store may grow by 60 pages and no more, until SIGUSR2 takes the limit away.
import type { DatabaseSync } from "node:sqlite"
import { intercept } from "./Statements.ts"

const pages = 60
const limitless = 1_000_000_000

/** The last statement by which a connection that writes is made ready. */
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
