import { readFile, stat } from "node:fs/promises"
import { basename, resolve } from "node:path"
import type { CallError } from "@wcs/client/CallError"
import { NewerClient } from "@wcs/client/NewerClient"
import {
  type DateOrder,
  type ImportField,
  importFields,
  type MappedColumn,
  targets
} from "@wcs/domain/import/ColumnMapping"
import { fileLimits, type ImportDocument } from "@wcs/domain/import/Import"
import { notUtf8, requireText } from "@wcs/domain/import/ImportFile"
import type { Outcome } from "@wcs/domain/import/ImportRow"
import type { InvalidArgument } from "@wcs/domain/shared/InvalidArgument"
import { reasonOf } from "@wcs/node-server/StartRefused"
import { Console, Effect, Option, Result } from "effect"
import { Json } from "../Json.ts"
import { Failed, Misused, show } from "../Output.ts"
import * as Access from "./Access.ts"
import * as RowsFile from "./RowsFile.ts"

/** The flags of the command. */
export interface Given extends Access.Asked {
  readonly file: Option.Option<string>
  readonly resume: Option.Option<string>
  readonly undo: Option.Option<string>
  readonly map: ReadonlyArray<string>
  readonly dateOrder: Option.Option<DateOrder>
  readonly dryRun: boolean
  readonly withDuplicates: boolean
  readonly faults: Option.Option<string>
}

type Calls = NewerClient["Service"]["imports"]

/** The interval at which an import is read while its work goes on. */
const pollMillis = 500

/** Reads a file, and refuses one that the server would refuse for its first bytes. */
const readCsv = Effect.fnUntraced(function* (file: string) {
  const misused = (reason: string) => new Misused({ message: `${file} ${reason}` })
  const unreadable = (cause: unknown) => misused(`cannot be read: ${reasonOf(cause)}`)
  const { size } = yield* Effect.tryPromise({ try: () => stat(file), catch: unreadable })
  if (size > fileLimits.bytes) return yield* misused(`must have at most ${fileLimits.bytes / 1024 / 1024} MiB`)
  const bytes = yield* Effect.tryPromise({ try: () => readFile(file), catch: unreadable })
  const reasonIn = ({ reason }: InvalidArgument) => misused(reason)
  yield* Effect.mapError(Effect.fromResult(requireText(bytes)), reasonIn)
  return yield* Effect.try({
    try: () => new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes),
    catch: () => reasonIn(notUtf8)
  })
})

const isDate = (field: ImportField): boolean => targets[field].kind === "date"

/** Reads `COLUMN=FIELD`. The name of a column may have `=`. */
const pairOf = (text: string): Result.Result<readonly [column: string, field: ImportField | undefined], Misused> => {
  const at = text.lastIndexOf("=")
  const name = text.slice(at + 1)
  const field = importFields.find((each) => each === name)
  return at < 1 || (name !== "" && field === undefined)
    ? Result.fail(
        new Misused({ message: `--map must be COLUMN=FIELD with one of the fields ${importFields.join(", ")}` })
      )
    : Result.succeed([text.slice(0, at), field] as const)
}

/** The mapping of an import with the columns that the flags change. */
const mappingOf = Effect.fnUntraced(function* (
  it: ImportDocument,
  pairs: ReadonlyArray<readonly [column: string, field: ImportField | undefined]>
) {
  const unknown = pairs.find(([column]) => !it.columns.some(({ name }) => name === column))
  if (unknown !== undefined) {
    const names = it.columns.map(({ name }) => JSON.stringify(name)).join(", ")
    return yield* new Misused({ message: `--map: the file has no column ${JSON.stringify(unknown[0])}, but ${names}` })
  }
  const given = new Map(pairs)
  const fields = [...given.values()]
  return it.columns.flatMap(({ name }): ReadonlyArray<MappedColumn> => {
    const proposed = it.mapping.find(({ column }) => column === name)?.field
    const field = given.has(name) ? given.get(name) : fields.includes(proposed) ? undefined : proposed
    return field === undefined ? [] : [{ column: name, field }]
  })
})

/** Shows progress to people: one line of a terminal that is written again. */
const progress = Effect.fnUntraced(function* (text: string) {
  if ((yield* Json) || !process.stderr.isTTY) return
  process.stderr.write(`\r\u001B[K${text}`)
})

const tell = Effect.fnUntraced(function* (text: string) {
  if (!(yield* Json)) yield* Console.error(text)
})

const doing: Readonly<Record<string, string>> = { CHECKING: "checked", RUNNING: "carried out", UNDOING: "undone" }

/** Reads an import until its work ends. */
const follow = Effect.fnUntraced(function* (imports: Calls, id: string) {
  for (;;) {
    const { data: it } = yield* imports.read({ params: { id } })
    const verb = doing[it.status]
    if (verb === undefined) {
      yield* progress("")
      return it
    }
    yield* progress(`${it.done} of ${it.rows} rows ${verb}`)
    yield* Effect.sleep(pollMillis)
  }
})

const mappingShown = (it: ImportDocument) =>
  it.columns.map(({ name, samples }) => ({
    column: name,
    example: samples[0] ?? "",
    field: it.mapping.find(({ column }) => column === name)?.field ?? "(ignored)"
  }))

/** Prints how an import ended, and fails if something was left out. */
const conclude = Effect.fnUntraced(function* (imports: Calls, it: ImportDocument, { dryRun, faults }: Given) {
  const isJson = yield* Json
  const isUndone = it.status === "UNDONE"
  const outcomes: ReadonlyArray<Outcome> = isUndone ? ["KEPT"] : ["FAULTY", "DUPLICATE"]
  const left = outcomes.filter((outcome) => it.counts[outcome] > 0)
  if (Option.isSome(faults)) yield* RowsFile.write(imports, it, left, faults.value)
  const counts = Object.entries(it.counts).filter(([, count]) => isJson || count > 0)
  yield* show(
    { id: it.id, status: it.status, rows: it.rows, ...Object.fromEntries(counts), problem: it.problem },
    isJson
  )
  if (it.problem !== null) return yield* new Failed({ code: it.status, message: it.problem })
  if (left.length === 0) return
  const some = left.map((outcome) => `${it.counts[outcome]} ${outcome}`).join(", ")
  const where = Option.match(faults, {
    onNone: () => `to see why: wcs import --resume ${it.id} --dry-run --faults FILE`,
    onSome: (file) => `see ${file}`
  })
  const verb = isUndone ? "were not undone" : dryRun ? "would be left out" : "were left out"
  return yield* new Failed({ code: "ROWS_LEFT_OUT", message: `of ${it.rows} rows, some ${verb}: ${some}; ${where}` })
})

/** The work of a file, or of an import that was begun. */
const work = Effect.fnUntraced(function* (imports: Calls, given: Given) {
  const pairs = yield* Effect.forEach(given.map, (text) => Effect.fromResult(pairOf(text)))
  const begin = Option.match(given.file, {
    onNone: () => follow(imports, Option.getOrThrow(given.resume)),
    onSome: (file) =>
      Effect.flatMap(readCsv(file), (payload) => {
        const name = [...basename(file)].slice(0, fileLimits.nameCharacters).join("")
        return Effect.map(imports.create({ query: { name }, payload }), ({ body }) => body.data)
      })
  })
  let it: ImportDocument = yield* begin
  const params = { id: it.id }
  if (Option.isSome(given.file)) yield* tell(`To go on after an interruption: wcs import --resume ${it.id}`)
  if (it.status === "UPLOADED" || (it.status === "CHECKED" && (pairs.length > 0 || Option.isSome(given.dateOrder)))) {
    const mapping = yield* mappingOf(it, pairs)
    const dateOrder = Option.match(given.dateOrder, { onNone: () => ({}), onSome: (order) => ({ dateOrder: order }) })
    if (it.dateOrder === null && Option.isNone(given.dateOrder) && mapping.some(({ field }) => isDate(field))) {
      const message = `the dates of the file could begin with the day or with the month; go on with: wcs import --resume ${it.id} --date-order DMY, or MDY`
      return yield* new Misused({ message })
    }
    const { data: checking } = yield* imports.check({ params, payload: { mapping, ...dateOrder } })
    if (!(yield* Json)) yield* show({ mapping: mappingShown(checking) }, false)
    it = yield* follow(imports, it.id)
  }
  if (!given.dryRun && (it.status === "CHECKED" || it.status === "STOPPED")) {
    yield* imports.run({ params, payload: given.withDuplicates ? { withDuplicates: true } : {} })
    it = yield* follow(imports, it.id)
  }
  return it
})

const undo = Effect.fnUntraced(function* (imports: Calls, id: string) {
  yield* imports.undo({ params: { id } })
  return yield* follow(imports, id)
})

const isCallError = (error: { readonly _tag: string }): error is CallError => "operation" in error

const failed = (error: CallError): Failed =>
  new Failed({
    code: error._tag === "Refused" ? (error.code ?? "UNAVAILABLE") : "UNAVAILABLE",
    message: error.message
  })

/** Carries out the command. */
export const perform = Effect.fnUntraced(function* (given: Given) {
  const { faults, file, resume } = given
  if ([file, resume, given.undo].filter(Option.isSome).length !== 1) {
    return yield* new Misused({ message: "one of a file, --resume and --undo must be given" })
  }
  if (Option.exists(Option.all([file, faults]), ([from, to]) => resolve(from) === resolve(to))) {
    return yield* new Misused({ message: "--faults must be another file than the one to import" })
  }
  yield* Effect.gen(function* () {
    const { imports } = yield* NewerClient
    const it = yield* Option.match(given.undo, {
      onNone: () => work(imports, given),
      onSome: (id) => undo(imports, id)
    })
    yield* conclude(imports, it, given)
  }).pipe(
    Effect.catchIf(isCallError, (error) => Effect.fail(failed(error))),
    Effect.provide(Access.layer(given)),
    Effect.catchTag("InvalidBaseUrl", ({ message }) => Effect.fail(new Misused({ message: `--url: ${message}` })))
  )
})
