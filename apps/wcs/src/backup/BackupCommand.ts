import { stat } from "node:fs/promises"
import { settingsNamed } from "@wcs/deployment/cells/CellSettings"
import * as Settings from "@wcs/deployment/Settings"
import { engine, inNewStore, inSnapshot, requireFitting } from "@wcs/deployment/stores/BackupConnection"
import { DataDirectory, existingKey } from "@wcs/deployment/stores/DataDirectory"
import { toRfc3339 } from "@wcs/domain/shared/Instant"
import { fileKeysOf } from "@wcs/keys/FileCodes"
import type { MasterKey } from "@wcs/keys/MasterKey"
import { dump, lastPositions } from "@wcs/store-sql/backup/Dump"
import { continueAfter, makeLoader } from "@wcs/store-sql/backup/Load"
import { firstCell } from "@wcs/store-sql/cells/Directory"
import { applied } from "@wcs/store-sql/engine/Migrations"
import { readDeletions, repeatDeletions } from "@wcs/store-sql/erasure/DeletionList"
import { readErasures, repeatErasures } from "@wcs/store-sql/erasure/ErasureList"
import { Clock, Effect, Option } from "effect"
import { Argument, Command, Flag } from "effect/cli"
import { Json } from "../Json.ts"
import { Failed, Refused, show } from "../Output.ts"
import {
  type BackupWriter,
  form,
  type Head,
  openBackup,
  readBackup,
  type Trust,
  verifying,
  writeBackup
} from "./BackupFile.ts"
import { Digests, differing, type TableDigest } from "./Digest.ts"
import { listKeysOf, readList, writeErasures } from "./ErasuresFile.ts"

const total = (tables: Readonly<Record<string, TableDigest>>): number =>
  Object.values(tables).reduce((sum, { rows }) => sum + rows, 0)

const fill = Effect.fnUntraced(function* (writer: BackupWriter) {
  // Read before the snapshot: everything that was acknowledged until then is in the snapshot.
  const takenAt = toRfc3339(yield* Clock.currentTimeMillis)
  yield* inSnapshot(
    Effect.gen(function* () {
      yield* writer.begin({ takenAt, engine: yield* engine, migrations: yield* applied })
      yield* dump((table, columns, rows) => writer.rows(table, columns, rows))
      yield* writer.end(yield* lastPositions)
    })
  )
})

/** The database of a command, in a deployment of several. */
const database = Flag.String("database").pipe(
  Flag.withDefault(firstCell),
  Flag.withDescription("Name of the database in WCS_CELLS. Default: main, that of DATABASE_URL")
)

/** Runs a command on the database with a name. */
const onDatabase =
  (name: string) =>
  <A, E, R>(work: Effect.Effect<A, E, R>) =>
    work.pipe(Effect.provideServiceEffect(Settings.Settings, settingsNamed(name)), Effect.provide(Settings.layer))

/** `wcs backup`: writes all rows of the store as of one moment to a file, while servers run. */
export const backup = Command.make(
  "backup",
  {
    file: Argument.String("file").pipe(Argument.withDescription("The file to create. An existing file is kept")),
    database
  },
  ({ database, file }) =>
    Effect.gen(function* () {
      const masterKey = yield* inSnapshot(Effect.tap(existingKey, requireFitting))
      const keys = fileKeysOf(masterKey, form)
      const { head, end } = yield* writeBackup(file, keys[0], fill, (draft) =>
        Effect.scoped(
          Effect.flatMap(openBackup(draft), (opened) =>
            readBackup(opened, { keys, acceptsUnauthenticated: false }, () => verifying)
          )
        )
      )
      const { size } = yield* Effect.promise(() => stat(file))
      yield* show(
        {
          file,
          bytes: size,
          takenAt: head.takenAt,
          engine: head.engine,
          tables: Object.keys(end.tables).length,
          rows: total(end.tables),
          masterKey: "not included: keep a copy of it elsewhere"
        },
        yield* Json
      )
    }).pipe(onDatabase(database))
).pipe(
  Command.withDescription(
    "Write all data of the store as of this moment to a file and verify the file. Servers keep running. The master key is not included"
  )
)

/** `wcs erasures`: writes the list of erased people, and of deleted documents and notes, to a file that outlives backups. */
export const erasures = Command.make(
  "erasures",
  {
    file: Argument.String("file").pipe(Argument.withDescription("The file to create. An existing file is kept")),
    since: Flag.Date("since").pipe(
      Flag.optional,
      Flag.withDescription(
        "Only list documents and notes that were deleted since this day, YYYY-MM-DD: that of the oldest backup that you keep"
      )
    ),
    database
  },
  ({ database, file, since }) =>
    Effect.gen(function* () {
      const from = Option.match(since, { onNone: () => 0, onSome: (day) => day.getTime() })
      const { masterKey, ...gone } = yield* inSnapshot(
        Effect.all({
          masterKey: Effect.tap(existingKey, requireFitting),
          erasures: readErasures,
          deletions: readDeletions(from)
        })
      )
      yield* writeErasures(file, listKeysOf(masterKey)[0], gone)
      const deletions = gone.deletions.filter(({ entityType }) => entityType !== "credential").length
      yield* show({ file, erasures: gone.erasures.length, deletions }, yield* Json)
    }).pipe(onDatabase(database))
).pipe(
  Command.withDescription(
    "Write the ids of all erased workers, and of deleted documents and notes, to a file, for wcs restore --erasures. Write it often, and keep it where backups are"
  )
)

/** Fails unless the store has the rows of the backup. */
const compare = Effect.fnUntraced(function* (expected: Readonly<Record<string, TableDigest>>) {
  const digests = new Digests()
  yield* dump((table, _, rows) =>
    Effect.sync(() =>
      digests.add(
        table,
        rows.map((row) => JSON.stringify(row))
      )
    )
  )
  const bad = differing(expected, digests.tables)
  if (bad === undefined) return
  return yield* new Failed({ code: "INTERNAL", message: `the rows of ${bad} were not restored; nothing was changed` })
})

/** Loads the rows of a backup into the store of the open transaction. */
const sinkOf = Effect.fnUntraced(function* (masterKey: MasterKey["Service"], { migrations }: Head) {
  const loader = yield* makeLoader(migrations)
  let previous = ""
  return {
    table: Effect.fnUntraced(function* (name: string, columns: ReadonlyArray<string>) {
      // The first table of a backup: a wrong master key is found before the other rows are loaded.
      if (previous === "signing_key") yield* requireFitting(masterKey)
      previous = name
      yield* loader.begin(name, columns)
    }),
    rows: loader.insert
  }
})

const restoreFrom = (file: string, acceptsUnauthenticated: boolean, list: Option.Option<string>) =>
  inNewStore(
    Effect.gen(function* () {
      const { masterKey } = yield* DataDirectory
      const gone = Option.isNone(list) ? undefined : yield* readList(list.value, listKeysOf(masterKey))
      const trust: Trust = { keys: fileKeysOf(masterKey, form), acceptsUnauthenticated }
      // Read twice, so that the database parses no value of an altered file. If somebody alters the open file between,
      // the second read fails too, and the transaction is rolled back.
      const opened = yield* openBackup(file)
      yield* readBackup(opened, trust, () => verifying)
      const { end, head } = yield* readBackup(opened, trust, (read) => sinkOf(masterKey, read))
      yield* continueAfter(end.positions)
      yield* compare(end.tables)
      const erasures = gone === undefined ? 0 : yield* repeatErasures(gone.erasures)
      const deletions = gone === undefined ? 0 : yield* repeatDeletions(gone.deletions)
      return { head, end, erasures, deletions }
    }).pipe(Effect.scoped)
  )

/** `wcs restore`: fills the empty store of the settings from a backup. */
export const restore = Command.make(
  "restore",
  {
    file: Argument.String("file").pipe(Argument.withDescription("A file that wcs backup wrote")),
    database,
    erasures: Flag.String("erasures").pipe(
      Flag.optional,
      Flag.withDescription(
        "A list that wcs erasures wrote later than the backup. The worker erases these people again, and these documents and notes are deleted. Without it, all of them are back"
      )
    ),
    unauthenticated: Flag.Boolean("unauthenticated").pipe(
      Flag.withDefault(false),
      Flag.withDescription(
        "Also accept a backup of release 0.1.0, which has no authentication code. A person who could write to the file may have altered it"
      )
    )
  },
  ({ database, erasures: list, file, unauthenticated }) =>
    Effect.gen(function* () {
      const { deletions, end, erasures, head } = yield* restoreFrom(file, unauthenticated, list)
      yield* show(
        {
          engine: yield* engine,
          takenAt: head.takenAt,
          tables: Object.keys(end.tables).length,
          rows: total(end.tables),
          erasures,
          deletions
        },
        yield* Json
      )
    }).pipe(
      onDatabase(database),
      Effect.catchTags({
        StoreError: ({ message }) => Effect.fail(new Refused({ message })),
        UnknownRows: ({ message }) => Effect.fail(new Refused({ message: `${file}: ${message}` }))
      })
    )
).pipe(
  Command.withDescription(
    "Fill an empty store from a backup and verify its rows. The store is a new data directory with the master key, or an empty database"
  )
)
