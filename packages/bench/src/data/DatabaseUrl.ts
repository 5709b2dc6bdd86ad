import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** The connections of a server for requests: our default, also used for the peer. */
export const poolSize = 10

const fileIn = (directory: string): string => join(directory, "database-url")

/** The database that holds the store of a data directory; null if the store is a file in it. */
export const databaseOf = (directory: string): string | null =>
  existsSync(fileIn(directory)) ? readFileSync(fileIn(directory), "utf8") : null

/** Puts the store of a data directory into a Postgres database. */
export const nameDatabase = (directory: string, url: string): void =>
  writeFileSync(fileIn(directory), url, { mode: 0o600 })
