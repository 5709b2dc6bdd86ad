import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"

/** How many connections a server has for requests: ours, as it has where nothing is set, and the peer. */
export const poolSize = 10

const fileIn = (directory: string): string => join(directory, "database-url")

/** The Postgres that holds the store of a data directory; null where the store is a file of the directory. */
export const databaseOf = (directory: string): string | null =>
  existsSync(fileIn(directory)) ? readFileSync(fileIn(directory), "utf8") : null

/** Has the store of a data directory in a database of Postgres. */
export const nameDatabase = (directory: string, url: string): void =>
  writeFileSync(fileIn(directory), url, { mode: 0o600 })
