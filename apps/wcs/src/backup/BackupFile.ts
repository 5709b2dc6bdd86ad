import { once } from "node:events"
import { existsSync } from "node:fs"
import { type FileHandle, mkdtemp, open, rm } from "node:fs/promises"
import { dirname, join, resolve } from "node:path"
import { pipeline } from "node:stream/promises"
import { createGunzip, createGzip, type Gzip } from "node:zlib"
import { type FileCode, type FileKey, isSameCode } from "@wcs/keys/FileCodes"
import { settleName } from "@wcs/node-server/PrivateFile"
import { describe, reasonOf } from "@wcs/node-server/StartRefused"
import type { Row } from "@wcs/store-sql/backup/Dump"
import type { Applied } from "@wcs/store-sql/engine/Migrations"
import { Effect, Option, Schema } from "effect"
import { linesOf } from "../audit/Lines.ts"
import { Failed, Misused } from "../Output.ts"
import { Digests, differing, type TableDigest } from "./Digest.ts"

// A gzip file of JSON lines: the head, each table with its rows, the end, and the authentication code of all lines
// before it. Without the master key, nobody can change a row, leave one out or add one.

export const form = "wcs backup 2"
/** The form without an authentication code. */
const unauthenticated = "wcs backup 1"

const { Finite, Literal, String: Text, Struct } = Schema

/** The first line, without its form and the public id of the key that authenticates the file. */
export interface Head {
  /** The moment of the backup: the file has everything that was acknowledged before. */
  readonly takenAt: string
  readonly engine: string
  readonly migrations: ReadonlyArray<Applied>
}

/** The last line. */
export interface End {
  /** The last position that each table has assigned. */
  readonly positions: Readonly<Record<string, number>>
  readonly tables: Readonly<Record<string, TableDigest>>
}

const headFields = { takenAt: Text, engine: Text, migrations: Schema.Array(Struct({ id: Finite, name: Text })) }

const Line = Schema.Union([
  Struct({ table: Text, columns: Schema.Array(Text) }),
  Struct({ form: Literal(form), key: Text, ...headFields }),
  Struct({ form: Literal(unauthenticated), ...headFields }),
  Struct({
    end: Struct({
      positions: Schema.Record(Text, Finite),
      tables: Schema.Record(Text, Struct({ rows: Finite, digest: Text }))
    })
  }),
  Struct({ code: Text })
])
const decodeLine = Schema.decodeUnknownOption(Schema.fromJsonString(Line))
const readLine = (text: string) => Option.getOrUndefined(decodeLine(text))

const isValue = (value: unknown): boolean => value === null || typeof value === "string" || Number.isFinite(value)

/** The JSON of each row of a line. Not by a Schema, which takes most of the time of a restore. */
const readRows = (text: string): { readonly rows: ReadonlyArray<string> } | undefined => {
  try {
    const rows: unknown = JSON.parse(text)
    const areRows = Array.isArray(rows) && rows.every((row) => Array.isArray(row) && row.every(isValue))
    return areRows ? { rows: rows.map((row) => JSON.stringify(row)) } : undefined
  } catch {
    return undefined
  }
}

/** Characters of rows in a line, unless one row has more. */
const rowsLength = 1_000_000

/** The maximum length of a line. A row has at most a few documents of 1 MiB. */
const lineMax = 64_000_000

/** Fast rather than small: a second per 100 MB of rows. */
const level = 3

const notWritten = (file: string) => (cause: unknown) =>
  new Failed({ code: "UNAVAILABLE", message: `${file} cannot be written: ${describe(cause)}` })

/** Lines of about a million characters. */
const linesOfRows = (rows: ReadonlyArray<string>): ReadonlyArray<string> => {
  const lines: Array<string> = []
  let line: Array<string> = []
  let length = 0
  for (const [index, row] of rows.entries()) {
    line.push(row)
    length += row.length
    if (length < rowsLength && index < rows.length - 1) continue
    lines.push(`[${line.join(",")}]`)
    ;[line, length] = [[], 0]
  }
  return lines
}

/** Writes the lines of a backup. */
export class BackupWriter {
  readonly #file: string
  readonly #key: FileKey
  readonly #code: FileCode
  readonly #gzip: Gzip = createGzip({ level })
  readonly #written: Promise<void>
  readonly #digests = new Digests()
  #table = ""

  constructor(file: string, handle: FileHandle, key: FileKey) {
    this.#file = file
    this.#key = key
    this.#code = key.begin()
    this.#written = pipeline(this.#gzip, handle.createWriteStream({ flush: true }))
    this.#written.catch(() => {}) // reported by the next write
  }

  /** Writes a line that the code covers. */
  #write(line: string): Effect.Effect<void, Failed> {
    return Effect.suspend(() => {
      this.#code.add(`${line}\n`)
      return this.#put(line)
    })
  }

  #put(line: string): Effect.Effect<void, Failed> {
    return Effect.tryPromise({
      try: async () => {
        if (!this.#gzip.write(`${line}\n`)) await Promise.race([once(this.#gzip, "drain"), this.#written])
      },
      catch: notWritten(this.#file)
    })
  }

  begin(head: Head): Effect.Effect<void, Failed> {
    return this.#write(JSON.stringify({ form, key: this.#key.id, ...head }))
  }

  rows(table: string, columns: ReadonlyArray<string>, rows: ReadonlyArray<Row>): Effect.Effect<void, Failed> {
    const texts = rows.map((row) => JSON.stringify(row))
    this.#digests.add(table, texts)
    const begin = table === this.#table ? [] : [JSON.stringify({ table, columns })]
    this.#table = table
    return Effect.forEach([...begin, ...linesOfRows(texts)], (line) => this.#write(line), { discard: true })
  }

  end(positions: End["positions"]): Effect.Effect<void, Failed> {
    const finish = Effect.tryPromise({
      try: () => {
        this.#gzip.end()
        return this.#written
      },
      catch: notWritten(this.#file)
    })
    return this.#write(JSON.stringify({ end: { positions, tables: this.#digests.tables } })).pipe(
      Effect.andThen(Effect.suspend(() => this.#put(JSON.stringify({ code: this.#code.end() })))),
      Effect.andThen(finish)
    )
  }
}

const existing = (file: string) => new Misused({ message: `${file} exists already: choose another file` })

/** A folder beside the file, for the draft. A file that exists is refused first, because a backup may take minutes. */
const folderFor = (file: string): Effect.Effect<string, Misused> =>
  existsSync(file)
    ? existing(file)
    : Effect.tryPromise({
        try: () => mkdtemp(join(dirname(resolve(file)), ".backup-")),
        catch: (cause) => new Misused({ message: `${file} cannot be created: ${describe(cause)}` })
      })

/**
 * Creates a backup of mode 0600. `fill` writes the draft and `check` reads it from disk; then the draft gets its name.
 * If one of them fails, no file has the name. An existing file is never replaced.
 */
export const writeBackup = <A, E, F, R>(
  file: string,
  key: FileKey,
  fill: (writer: BackupWriter) => Effect.Effect<void, E, R>,
  check: (draft: string) => Effect.Effect<A, F, R>
) =>
  Effect.acquireUseRelease(
    Effect.suspend(() => folderFor(file)),
    (directory) =>
      Effect.gen(function* () {
        const draft = join(directory, "file")
        const handle = yield* Effect.tryPromise({ try: () => open(draft, "wx", 0o600), catch: notWritten(file) })
        yield* fill(new BackupWriter(file, handle, key))
        const checked = yield* check(draft)
        if (yield* settleName(draft, resolve(file))) return checked
        return yield* existing(file)
      }),
    (directory) => Effect.promise(() => rm(directory, { recursive: true, force: true }))
  )

/** Takes the tables of a backup in their order. */
export interface Sink<E = never, R = never> {
  readonly table: (name: string, columns: ReadonlyArray<string>) => Effect.Effect<void, E, R>
  /** Rows of the last table, as JSON. */
  readonly rows: (text: string) => Effect.Effect<void, E, R>
}

/** Verifies without doing anything else. */
export const verifying: Effect.Effect<Sink> = Effect.succeed({ table: () => Effect.void, rows: () => Effect.void })

/** How far a file is trusted. */
export interface Trust {
  /** The keys of backups that are accepted. */
  readonly keys: ReadonlyArray<FileKey>
  /** Also accepts a file of the form that has no authentication code. */
  readonly acceptsUnauthenticated: boolean
}

const withoutCode = (file: string) =>
  new Misused({
    message:
      `${file} has no authentication code, since an earlier release wrote it, and may have been altered: restore it ` +
      "with --unauthenticated only if nobody else could write to it; nothing was changed"
  })

/** Starts the code of a file under the key that its head names. */
const codeFor = (id: string, { keys }: Trust): Effect.Effect<FileCode, Misused> => {
  const key = keys.find((one) => one.id === id)
  if (key !== undefined) return Effect.sync(key.begin)
  return new Misused({
    message:
      "the master key is not the key of the backed-up store: use the right key, or add it to the key file as the " +
      "second line; nothing was changed"
  })
}

/** A backup that is open for reading. */
export interface OpenBackup {
  readonly file: string
  readonly handle: FileHandle
}

const unreadable = (file: string) => (cause: unknown) =>
  new Misused({
    message: isCut(cause)
      ? `${file} is damaged or not complete: use another backup`
      : `${file} cannot be read: ${describe(cause)}`
  })

/** Opens a backup until the scope ends. Each read is of this file, even if another file gets its name meanwhile. */
export const openBackup = (file: string) =>
  Effect.acquireRelease(Effect.tryPromise({ try: () => open(file, "r"), catch: unreadable(file) }), (handle) =>
    Effect.promise(() => handle.close())
  ).pipe(Effect.map((handle): OpenBackup => ({ file, handle })))

/** Reads a backup into a sink and verifies it. Returns its head and end. Fails if the file is not a complete backup. */
export const readBackup = Effect.fnUntraced(function* <E, F, R, Q>(
  { file, handle }: OpenBackup,
  trust: Trust,
  sinkOf: (head: Head) => Effect.Effect<Sink<E, R>, F, Q>
) {
  const digests = new Digests()
  const source = linesOf(textOf(handle), lineMax)
  const next = Effect.tryPromise({ try: () => source.next(), catch: unreadable(file) })
  let [head, end]: [Head | undefined, End | undefined] = [undefined, undefined]
  let [table, count, isComplete] = ["", 0, false]
  let sink: Sink<E, R> | undefined
  let code: FileCode | undefined
  for (let read = yield* next; read.done !== true; read = yield* next) {
    count += 1
    const line = table !== "" && read.value.startsWith("[") ? readRows(read.value) : readLine(read.value)
    const isExpected =
      line !== undefined && !isComplete && (count === 1) === "form" in line && (end !== undefined) === "code" in line
    if (!isExpected) return yield* new Misused({ message: `${file} is not a backup: line ${count} is not valid` })
    if ("code" in line) {
      if (code === undefined || !isSameCode(code.end(), line.code)) {
        return yield* new Misused({ message: `${file} was altered: use another backup; nothing was changed` })
      }
      isComplete = true
      continue
    }
    if ("form" in line) {
      if ("key" in line) code = yield* codeFor(line.key, trust)
      else if (!trust.acceptsUnauthenticated) return yield* withoutCode(file)
      head = line
      sink = yield* sinkOf(line)
    } else if ("table" in line) {
      table = line.table
      digests.add(table, [])
      yield* sink?.table(table, line.columns) ?? Effect.void
    } else if ("end" in line) {
      end = line.end
      isComplete = code === undefined
    } else {
      digests.add(table, line.rows)
      yield* sink?.rows(read.value) ?? Effect.void
    }
    code?.add(`${read.value}\n`)
  }
  if (head === undefined || end === undefined || !isComplete) {
    return yield* new Misused({ message: `${file} is not complete: use another backup` })
  }
  const bad = differing(end.tables, digests.tables)
  if (bad !== undefined) {
    return yield* new Misused({ message: `${file} is damaged: the rows of ${bad} have another digest` })
  }
  return { head, end }
})

/** Whether a gzip file ends too early, or has other bytes than were written. */
const isCut = (cause: unknown): boolean => reasonOf(cause).startsWith("Z_")

async function* textOf(handle: FileHandle): AsyncGenerator<string> {
  const unzipped = createGunzip()
  const read = pipeline(handle.createReadStream({ start: 0, autoClose: false }), unzipped)
  read.catch(() => {}) // reported by the reader of the stream
  for await (const chunk of unzipped.setEncoding("utf8")) yield chunk
  await read
}
