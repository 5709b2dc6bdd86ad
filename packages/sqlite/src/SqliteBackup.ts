import { type FileHandle, open, rename, rm, stat } from "node:fs/promises"
import { dirname } from "node:path"
import { backup, DatabaseSync } from "node:sqlite"
import { Context, Data, Effect } from "effect"
import { isInMemory } from "./SqliteConnection.ts"

/** The backup failed. No file has its name. */
export class SqliteBackupError extends Data.TaggedError("SqliteBackupError")<{
  readonly file: string
  readonly detail: string
}> {
  override get message(): string {
    return `No backup was written to ${this.file}: ${this.detail}.`
  }
}

/** Backs up the database while it is in use. */
export class SqliteBackup extends Context.Service<
  SqliteBackup,
  {
    /**
     * Writes everything committed at one moment to a new file, without blocking readers or the writer. The file gets
     * its name once it is complete, checked and on disk. An existing file is never overwritten.
     */
    readonly backup: (file: string) => Effect.Effect<void, SqliteBackupError>
  }
>()("@wcs/sqlite/SqliteBackup") {}

/** All pages in one step: the copy is a snapshot, and a write does not restart it. */
const allPages = 2 ** 31 - 1

const check = (file: string): void => {
  using database = new DatabaseSync(file)
  // A copy in WAL mode would create two more files when it is opened.
  database.exec("PRAGMA journal_mode = DELETE")
  const found = Object.values(database.prepare("PRAGMA quick_check(1)").get() ?? {})[0]
  if (found !== "ok") throw new Error(`the copy is damaged: ${found}`)
}

const sync = async (path: string): Promise<void> => {
  let handle: FileHandle | undefined
  try {
    handle = await open(path, "r")
    await handle.sync()
  } finally {
    await handle?.close()
  }
}

const copy = async (filename: string, file: string): Promise<void> => {
  const isThere = await stat(file).then(
    () => true,
    () => false
  )
  if (isThere) throw new Error("the file already exists")
  const partial = `${file}.partial`
  await rm(partial, { force: true })
  try {
    // A separate connection: the writer's would see uncommitted rows.
    using source = new DatabaseSync(filename, { readOnly: true })
    await backup(source, partial, { rate: allPages })
    check(partial)
    await sync(partial)
    await rename(partial, file)
    await sync(dirname(file))
  } finally {
    await rm(partial, { force: true })
  }
}

export const make = (filename: string): SqliteBackup["Service"] =>
  SqliteBackup.of({
    backup: Effect.fn("SqliteBackup.backup")((file) =>
      isInMemory(filename)
        ? Effect.fail(new SqliteBackupError({ file, detail: "an in-memory database cannot be backed up" }))
        : Effect.tryPromise({
            try: () => copy(filename, file),
            catch: (cause) =>
              new SqliteBackupError({ file, detail: cause instanceof Error ? cause.message : String(cause) })
          })
    )
  })
