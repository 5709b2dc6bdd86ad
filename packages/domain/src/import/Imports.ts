import { Clock, Context, Effect, Layer, Option, Result, Schema, Stream } from "effect"
import { Caller, withoutCaller } from "../access/Caller.ts"
import { actorOf, entryOf } from "../audit/AuditEntry.ts"
import type { ShownPage } from "../resource/Collection.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { CollectionFull, ResourceNotFound } from "../resource/Resource.ts"
import * as Timeline from "../resource/Timeline.ts"
import { Ids, idFormat, isId } from "../shared/Id.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { importDue, Notifications } from "../shared/Notifications.ts"
import { RequestId } from "../shared/RequestId.ts"
import { dateOrders, MappedColumn, targets } from "./ColumnMapping.ts"
import {
  type Action,
  after,
  fileLimits,
  type Import,
  type ImportDocument,
  type ImportNotReady,
  ImportsBusy,
  ImportsMax,
  imports,
  mayDelete,
  shownImport,
  stopping
} from "./Import.ts"
import { headerOf, isBlank, makeColumns } from "./ImportFile.ts"
import { type ImportRowDocument, outcomes, shownRow } from "./ImportRow.ts"
import { type FileRow, ImportStore } from "./ImportStore.ts"

/** The body of a check. */
export const ImportCheck = Schema.Struct({
  mapping: Schema.optionalKey(
    Schema.Array(MappedColumn).check(
      Schema.isMaxLength(fileLimits.columns, { message: `must have at most ${fileLimits.columns} columns` })
    )
  ).annotateKey({
    description: "The columns that fill a field. Others are ignored. By default the mapping of the import stays."
  }),
  dateOrder: Schema.optionalKey(Schema.Literals(dateOrders)).annotateKey({
    description:
      "Order of day, month and year in dates such as 3/12/1990. By default that of the import stays. Required if that is " +
      "null and a column has dates."
  })
})
export type ImportCheck = typeof ImportCheck.Type

/** The body of a run. */
export const ImportRun = Schema.Struct({
  withDuplicates: Schema.optionalKey(Schema.Boolean).annotateKey({
    description:
      "Whether to carry out rows with the outcome DUPLICATE too. By default they are skipped. A run that goes on keeps its " +
      "choice by default."
  })
})
export type ImportRun = typeof ImportRun.Type

/** Rows that are stored together. */
const rowsPerInsert = 500

type Refused = InvalidArgument | ResourceNotFound | ImportNotReady | ImportsBusy

/** Imports of workers from files (DECISIONS.md#imports). */
export class Imports extends Context.Service<
  Imports,
  {
    /** Stores the records of a file as they arrive, the header first. Nothing is kept if the stream fails. */
    readonly upload: <E>(
      name: string,
      records: Stream.Stream<ReadonlyArray<string>, E>
    ) => Effect.Effect<ImportDocument, E | InvalidArgument | CollectionFull, Caller | RequestId>
    readonly list: (query: ListQuery.Query) => Effect.Effect<ShownPage<ImportDocument>, InvalidArgument, Caller>
    readonly read: (
      id: string,
      query: ListQuery.Query
    ) => Effect.Effect<ImportDocument, InvalidArgument | ResourceNotFound, Caller>
    /** A page of rows in order. */
    readonly rows: (
      id: string,
      query: ListQuery.Query
    ) => Effect.Effect<ShownPage<ImportRowDocument>, InvalidArgument | ResourceNotFound, Caller>
    readonly check: (id: string, body: ImportCheck) => Effect.Effect<ImportDocument, Refused, Caller | RequestId>
    readonly run: (id: string, body: ImportRun) => Effect.Effect<ImportDocument, Refused, Caller | RequestId>
    readonly undo: (id: string) => Effect.Effect<ImportDocument, Refused, Caller | RequestId>
    /** Stops the work in the background, if any goes on, after its present rows. What is done stays. */
    readonly stop: (id: string) => Effect.Effect<ImportDocument, InvalidArgument | ResourceNotFound, Caller | RequestId>
    /** Deletes the file and its rows, not the workers. */
    readonly remove: (id: string) => Effect.Effect<void, Refused, Caller | RequestId>
  }
>()("@wcs/domain/Imports") {}

const refuse = (reason: string) => Effect.fail(new InvalidArgument({ field: "file", reason }))

const notFound = (id: string) => new ResourceNotFound({ entityType: "import", id })

const requireImportId = (id: string): Result.Result<string, InvalidArgument> =>
  isId("import", id)
    ? Result.succeed(id)
    : Result.fail(new InvalidArgument({ field: "id", reason: `must be ${idFormat("import")}` }))

const found = (id: string, it: Option.Option<Import>): Result.Result<Import, ResourceNotFound> =>
  Option.isSome(it) && it.value.status !== "UPLOADING" ? Result.succeed(it.value) : Result.fail(notFound(id))

/** Fails if a mapping names an unknown column, or a column or field twice, or cannot name a worker. */
export const requireMapping = (
  columns: Import["columns"],
  mapped: ReadonlyArray<MappedColumn>
): Result.Result<ReadonlyArray<MappedColumn>, InvalidArgument> => {
  const refuse = (index: number, key: string, reason: string) =>
    Result.fail(new InvalidArgument({ field: `mapping.${index}.${key}`, reason }))
  for (const [index, { column, field }] of mapped.entries()) {
    if (!columns.some(({ name }) => name === column)) return refuse(index, "column", "must be a column of the file")
    if (mapped.findIndex((each) => each.column === column) < index) return refuse(index, "column", "is mapped twice")
    if (mapped.findIndex((each) => each.field === field) < index) return refuse(index, "field", "is filled twice")
  }
  const names = ["identity.displayName", "identity.firstName", "identity.lastName"]
  return mapped.some(({ field }) => names.includes(field) || field === "source.externalId")
    ? Result.succeed(mapped)
    : Result.fail(new InvalidArgument({ field: "mapping", reason: `must fill one of ${names.join(", ")}` }))
}

const mappingOf = (columns: Import["columns"]): ReadonlyArray<MappedColumn> =>
  columns.flatMap(({ name, proposal }) => (proposal === null ? [] : [{ column: name, field: proposal }]))

/** The choice of a check. Fails if the mapping cannot be carried out, or if the order of its dates is open. */
const checked = (it: Import, { dateOrder, mapping }: ImportCheck) =>
  Result.gen(function* () {
    const mapped = yield* requireMapping(it.columns, mapping ?? it.mapped)
    const order = dateOrder ?? it.dateOrder
    const hasDates = mapped.some(({ field }) => targets[field].kind === "date")
    const reason = "is required: the dates of the file fit both day first and month first"
    if (order === null && hasDates) return yield* Result.fail(new InvalidArgument({ field: "dateOrder", reason }))
    return { mapped, dateOrder: order }
  })

const rowParameters = ["pageSize", "cursor", "outcome"] as const

export const make = Effect.gen(function* () {
  const store = yield* ImportStore
  const ids = yield* Ids
  const notifications = yield* Notifications
  const auditId = ids.source("audit")
  const most = yield* ImportsMax

  const entry = (id: string, operation: "CREATE" | "UPDATE" | "DELETE", action: string) =>
    Effect.gen(function* () {
      const actor = actorOf(yield* Caller, yield* RequestId)
      const now = yield* Clock.currentTimeMillis
      const audit = entryOf(auditId(), actor, { operation, action, entityType: "import", entityId: id }, now)
      return { actor, audit, now }
    })

  const begin = Effect.fnUntraced(function* (id: string, name: string, header: ReadonlyArray<string>) {
    const { tenantId } = yield* Caller
    const columns = makeColumns(yield* Effect.fromResult(headerOf(header)))
    const { actor, audit, now } = yield* entry(id, "CREATE", "create")
    const it: Import = {
      ...{ id, tenantId, version: 1, name, status: "UPLOADING", rows: 0, columns: columns.columns(), mapped: [] },
      ...{ dateOrder: null, withDuplicates: false, cursor: 0, seen: 0, counts: {}, isUntouched: false },
      ...{ beforeUndo: null, problem: null, actor, createdAt: now, updatedAt: now }
    }
    yield* store.begin(it, audit, (others) =>
      others < most ? Result.void : Result.fail(new CollectionFull({ entityType: "import", most }))
    )
    return columns
  })

  /** Stores the rows of a file. Returns their number, and the columns; undefined for a file without any record. */
  const receive = Effect.fnUntraced(function* <E>(
    id: string,
    name: string,
    records: Stream.Stream<ReadonlyArray<string>, E>
  ) {
    const { tenantId } = yield* Caller
    let columns: ReturnType<typeof makeColumns> | undefined
    let count = 0
    let row = 0
    yield* Stream.runForEachArray(records, (batch) =>
      Effect.gen(function* () {
        const fresh: Array<FileRow> = []
        for (const cells of batch) {
          row += 1
          if (columns === undefined) columns = yield* begin(id, name, cells)
          else if (!isBlank(cells)) fresh.push({ row, cells: columns.add(cells) })
        }
        count += fresh.length
        if (count > fileLimits.rows) {
          return yield* refuse(`must have at most ${fileLimits.rows} rows. Split the file`)
        }
        for (let from = 0; from < fresh.length; from += rowsPerInsert) {
          yield* store.append(tenantId, id, fresh.slice(from, from + rowsPerInsert))
        }
      })
    )
    if (columns === undefined) return yield* refuse("is empty")
    if (count === 0) return yield* refuse("has no rows below the header")
    return { columns: columns.columns(), dateOrder: columns.dateOrder(), rows: count }
  })

  const upload = Effect.fn("Imports.upload")(function* <E>(
    name: string,
    records: Stream.Stream<ReadonlyArray<string>, E>
  ) {
    const { privileges, tenantId } = yield* Caller
    const id = yield* ids.mint("import")
    return yield* receive(id, name, records).pipe(
      Effect.flatMap(({ columns, dateOrder, rows }) =>
        store.change(tenantId, id, (current) => {
          if (Option.isNone(current)) throw new Error("an import vanished during its upload")
          const before = current.value
          const next: Import = {
            ...before,
            ...{ version: before.version + 1, status: "UPLOADED", rows, columns, dateOrder },
            mapped: mappingOf(columns)
          }
          return Result.succeed({ next, audit: null })
        })
      ),
      Effect.map((it) => shownImport(it, privileges)),
      Effect.onError(() => Effect.ignoreCause(withoutCaller(store.remove(tenantId, id, () => Result.succeed(null)))))
    )
  })

  const act = (
    id: string,
    action: Action,
    choose: (it: Import) => Result.Result<Parameters<typeof after>[4], Refused>
  ) =>
    Effect.gen(function* () {
      const { privileges, tenantId } = yield* Caller
      yield* Effect.fromResult(requireImportId(id))
      const { actor, audit, now } = yield* entry(id, "UPDATE", action)
      const next = yield* store.change(tenantId, id, (current, otherId) =>
        Result.gen(function* () {
          const it = yield* found(id, current)
          const choice = yield* choose(it)
          const next = yield* after(it, action, actor, now, choice)
          const isBusy = action !== "check" && otherId !== undefined
          return isBusy ? yield* Result.fail(new ImportsBusy({ otherId })) : { next, audit }
        })
      )
      yield* notifications.notify(importDue)
      return shownImport(next, privileges)
    })

  const readRows = Effect.fnUntraced(function* (id: string, query: ListQuery.Query) {
    const { tenantId } = yield* Caller
    const given = yield* Effect.fromResult(ListQuery.singles(rowParameters, query))
    const pageSize = yield* Effect.fromResult(ListQuery.parsePageSize(given.get("pageSize")))
    const asked = given.get("outcome")
    if (asked !== undefined) yield* Effect.fromResult(ListQuery.among("outcome", outcomes, asked))
    const outcome = outcomes.find((each) => each === asked)
    yield* Effect.fromResult(requireImportId(id))
    const cursor = given.get("cursor")
    const [of, row] = cursor === undefined ? [id, 0] : ListQuery.fromCursorText(cursor)
    if (of !== id || !Number.isSafeInteger(row)) return yield* Effect.fromResult(ListQuery.foreignCursor)
    yield* Effect.flatMap(store.find(tenantId, id), (it) => Effect.fromResult(found(id, it)))
    const limit = pageSize + 1
    const rows = yield* store.rows(tenantId, id, {
      after: Number(row),
      limit,
      ...(outcome === undefined ? {} : { outcome })
    })
    const shown = rows.slice(0, pageSize)
    const last = rows.length > pageSize ? shown.at(-1) : undefined
    return {
      documents: shown.map(shownRow),
      pageSize,
      nextCursor: last === undefined ? null : ListQuery.toCursorText([id, last.row]),
      total: undefined,
      warnings: []
    }
  })

  return Imports.of({
    upload,
    list: Effect.fn("Imports.list")(function* (query) {
      const { privileges, tenantId } = yield* Caller
      const selection = yield* Effect.fromResult(Timeline.parse(imports, query))
      const page = yield* store.list(tenantId, selection)
      return Timeline.shownPage(imports, selection, page, (it) => shownImport(it, privileges))
    }),
    read: Effect.fn("Imports.read")(function* (id, query) {
      const { privileges, tenantId } = yield* Caller
      yield* Effect.fromResult(ListQuery.singles([], query))
      yield* Effect.fromResult(requireImportId(id))
      return shownImport(yield* Effect.fromResult(found(id, yield* store.find(tenantId, id))), privileges)
    }),
    rows: readRows,
    check: (id, body) => act(id, "check", (it) => checked(it, body)),
    run: (id, { withDuplicates }) =>
      act(id, "run", (it) =>
        Result.succeed({ withDuplicates: withDuplicates ?? (it.status === "STOPPED" && it.withDuplicates) })
      ),
    undo: (id) => act(id, "undo", () => Result.succeed({})),
    stop: Effect.fn("Imports.stop")(function* (id) {
      const { privileges, tenantId } = yield* Caller
      yield* Effect.fromResult(requireImportId(id))
      const { audit, now } = yield* entry(id, "UPDATE", "stop")
      const next = yield* store.change(tenantId, id, (current) =>
        Result.map(found(id, current), (it) => {
          const next = stopping(it, now)
          return { next, audit: next === it ? null : audit }
        })
      )
      return shownImport(next, privileges)
    }),
    remove: Effect.fn("Imports.remove")(function* (id) {
      const { tenantId } = yield* Caller
      yield* Effect.fromResult(requireImportId(id))
      const { audit } = yield* entry(id, "DELETE", "delete")
      yield* store.remove(tenantId, id, (current) =>
        Result.gen(function* () {
          yield* mayDelete(yield* found(id, current))
          return audit
        })
      )
    })
  })
})

export const layer = Layer.effect(Imports, make)
