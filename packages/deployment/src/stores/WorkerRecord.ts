import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { Predecessors } from "@wcs/delivery/lease/Predecessors"
import { fromCause, type SqliteOpenError } from "@wcs/sqlite/SqliteOpenError"
import { firstCell } from "@wcs/store-sql/cells/Directory"
import { Context, Effect, Layer, Option } from "effect"
import { Settings } from "../Settings.ts"
import { DataDirectory } from "./DataDirectory.ts"

/** A file for each database, because a process has workers on each. */
const fileOf = (cell: string): string => (cell === firstCell ? "workers.sqlite" : `workers-${cell}.sqlite`)

/** The most ids that the file keeps. A process has one id for each kind of leases. */
const idsMax = 24

/**
 * Opens the file with the ids of workers that ran on this data directory. SQLite's lock, held until the scope closes,
 * proves that no other process is among them: the operating system releases it however a process ends.
 */
const open = (file: string) =>
  Effect.acquireRelease(
    Effect.try({
      try: () => {
        const database = new DatabaseSync(file, { timeout: 0 })
        try {
          database.exec("PRAGMA locking_mode = EXCLUSIVE; PRAGMA synchronous = OFF; BEGIN EXCLUSIVE")
          database.exec("CREATE TABLE IF NOT EXISTS worker (number INTEGER PRIMARY KEY, id TEXT NOT NULL) STRICT")
          database.exec(`DELETE FROM worker WHERE number <= (SELECT max(number) FROM worker) - ${idsMax}`)
          database.exec("COMMIT")
          return database
        } catch (cause) {
          database.close()
          throw cause
        }
      },
      catch: (cause) => fromCause(file, cause)
    }),
    (database) => Effect.sync(() => database.close())
  )

/** Without its record, a worker that crashes is succeeded only when its leases expire. */
const notUsed = ({ message, reason }: SqliteOpenError) =>
  reason === "in use" ? Effect.void : Effect.logWarning(message)

const recordIn = Effect.fnUntraced(function* (file: string) {
  const database = yield* open(file)
  const ended = database
    .prepare("SELECT id FROM worker ORDER BY number")
    .all()
    .map(({ id }) => String(id))
  const insert = database.prepare("INSERT INTO worker (id) VALUES (?)")
  return (worker: string) =>
    Effect.try({ try: () => insert.run(worker), catch: (cause) => fromCause(file, cause) }).pipe(
      Effect.catch(notUsed),
      Effect.as(ended)
    )
})

/**
 * The predecessors of a worker are those that ran on its data directory. There are none if another process uses the
 * directory, or if the file cannot be used: then leases of a crashed worker expire.
 */
export const layer = Layer.unwrap(
  Effect.gen(function* () {
    const { cell, database } = yield* Settings
    if (Option.isNone(database)) return Layer.empty // the embedded store keeps its leases in memory
    const { path } = yield* DataDirectory
    return Layer.effectContext(
      recordIn(join(path, fileOf(cell))).pipe(
        Effect.map((record) => Context.make(Predecessors, record)),
        Effect.catch((error) => Effect.as(notUsed(error), Context.empty()))
      )
    )
  })
)
