import { createReadStream } from "node:fs"
import { type FileHandle, open, rm } from "node:fs/promises"
import type { PublicJwk } from "@wcs/domain/access/AccessToken"
import { AuditSeal, hashOf } from "@wcs/domain/audit/AuditSeal"
import type { Batch, ExportedSeals } from "@wcs/domain/audit/AuditVerification"
import { LoggedEntry } from "@wcs/domain/audit/LoggedEntry"
import { describe } from "@wcs/node-server/StartRefused"
import { Effect, Option, Schema } from "effect"
import { Failed, Misused } from "../Output.ts"
import type { Verify } from "./Keys.ts"
import { linesOf } from "./Lines.ts"
import { followed, type Log, sha256, unverified, type Verified } from "./Walk.ts"

/** The form of an export: one JSON object a line. */
const form = "wcs audit export 1"

const { Finite, String: Text, Struct } = Schema

/** The kinds of line, the most common ones first. A seal follows the entries of its batch, and its key precedes it. */
const Line = Schema.Union([
  Struct({ entry: LoggedEntry }),
  Struct({ seal: AuditSeal }),
  Struct({ key: Schema.Record(Text, Text) }),
  Struct({ log: Struct({ id: Text, name: Text }) }),
  Struct({ form: Schema.Literal(form), exportedAt: Text }),
  Struct({ end: Struct({ lines: Finite }) })
])
type Line = typeof Line.Type
const readLine = Schema.decodeUnknownOption(Schema.fromJsonString(Line))

/** The maximum length of a line. A seal of 256 entries has 10 kB. */
const lineMax = 1_000_000

const notWritten = (file: string) => (cause: unknown) =>
  new Failed({ code: "UNAVAILABLE", message: `${file} cannot be written: ${describe(cause)}` })

/** Writes the lines of an export. */
export class ExportWriter {
  readonly #handle: FileHandle
  readonly #file: string
  readonly #keys = new Set<string>()
  #lines = 0

  constructor(file: string, handle: FileHandle) {
    this.#file = file
    this.#handle = handle
  }

  /** The kids of all seals so far. */
  get kids(): ReadonlyArray<string> {
    return [...this.#keys]
  }

  write(lines: ReadonlyArray<Line>): Effect.Effect<void, Failed> {
    this.#lines += lines.length
    return Effect.tryPromise({
      try: () => this.#handle.appendFile(lines.map((line) => `${JSON.stringify(line)}\n`).join("")),
      catch: notWritten(this.#file)
    })
  }

  begin(exportedAt: string) {
    return this.write([{ form, exportedAt }])
  }

  batch({ entries, seal }: Batch, key: PublicJwk | undefined) {
    const kid = key?.["kid"] ?? ""
    const isNew = key !== undefined && !this.#keys.has(kid)
    if (isNew) this.#keys.add(kid)
    return this.write([...(isNew ? [{ key }] : []), ...entries.map((entry) => ({ entry })), { seal }])
  }

  /** Ends the file, so that a truncated one is found. */
  end(): Effect.Effect<void, Failed> {
    const lines = this.#lines
    return Effect.andThen(
      this.write([{ end: { lines } }]),
      Effect.tryPromise({ try: () => this.#handle.sync(), catch: notWritten(this.#file) })
    )
  }
}

/** Creates an export of mode 0600. If the effect fails, the file is removed. An existing file is never replaced. */
export const writeExport = <A, E, R>(file: string, fill: (writer: ExportWriter) => Effect.Effect<A, E, R>) =>
  Effect.acquireUseRelease(
    Effect.tryPromise({
      try: () => open(file, "wx", 0o600),
      catch: (cause) => new Misused({ message: `${file} cannot be created: ${describe(cause)}` })
    }),
    (handle) => fill(new ExportWriter(file, handle)),
    (handle, exit) =>
      Effect.promise(async () => {
        await handle.close()
        if (exit._tag === "Failure") await rm(file, { force: true })
      })
  )

/** A log in an export: its verified part, and the seals and entries that a deployment must still have. */
export interface ExportedLog {
  readonly verified: Verified
  readonly seals: ExportedSeals
  readonly unsealed: ReadonlyArray<LoggedEntry>
}

const emptyLog = (log: Log): ExportedLog => ({ verified: unverified(log), seals: [], unsealed: [] })

/** Verifies a seal of an export with the entries before it. */
const sealed = Effect.fnUntraced(function* <E>(
  { seals, unsealed, verified }: MutableLog,
  seal: AuditSeal,
  verify: Verify<E>
) {
  const entries = unsealed.splice(0)
  if (verified.fault !== undefined) return verified
  const next = yield* followed(verified, { seal, entries }, verify)
  if (next.fault === undefined) seals.push(hashOf(seal, sha256))
  return next
})

interface MutableLog extends ExportedLog {
  verified: Verified
  readonly seals: Array<string>
  readonly unsealed: Array<LoggedEntry>
}

/** Reads and verifies an export. Fails if the file is not a complete export. */
export const readExport = Effect.fnUntraced(function* <E>(
  file: string,
  { addKey, verify }: { readonly addKey: (key: PublicJwk) => Effect.Effect<void>; readonly verify: Verify<E> }
): Effect.fn.Return<ReadonlyArray<ExportedLog>, E | Misused> {
  const logs: Array<MutableLog> = []
  const source = linesOf(createReadStream(file, "utf8"), lineMax)
  let count = 0
  let isComplete = false
  const next = Effect.tryPromise({
    try: () => source.next(),
    catch: (cause) => new Misused({ message: `${file} cannot be read: ${describe(cause)}` })
  })
  for (let read = yield* next; read.done !== true; read = yield* next) {
    const line = Option.getOrUndefined(readLine(read.value))
    const log = logs.at(-1)
    const isFirst = count === 0
    if (line === undefined || isComplete || isFirst !== "form" in line) {
      return yield* new Misused({ message: `${file} is not an audit export: line ${count + 1} is not valid` })
    }
    if ("log" in line) logs.push({ ...emptyLog(line.log), seals: [], unsealed: [] })
    else if ("key" in line) yield* addKey(line.key)
    else if ("entry" in line) log?.unsealed.push(line.entry)
    else if ("seal" in line && log !== undefined) log.verified = yield* sealed(log, line.seal, verify)
    else if ("end" in line) isComplete = line.end.lines === count
    count += 1
  }
  if (!isComplete) return yield* new Misused({ message: `${file} is not complete: export the audit log again` })
  return logs.map((log) => ({
    ...log,
    verified: { ...log.verified, unsealed: log.unsealed.length, newest: new Map() }
  }))
})
