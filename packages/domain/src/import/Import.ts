import { Context, Data, Result, Schema } from "effect"
import type { Privileges } from "../access/Privilege.ts"
import type { Actor } from "../audit/AuditEntry.ts"
import { createdAt, typeField, updatedAt } from "../resource/ShownFields.ts"
import type { Timeline } from "../resource/Timeline.ts"
import { ImportId } from "../shared/Id.ts"
import { type Instant, toRfc3339 } from "../shared/Instant.ts"
import { type DateOrder, dateOrders, ImportField, MappedColumn } from "./ColumnMapping.ts"
import { type Counts, outcomes } from "./ImportRow.ts"

/** The most of a file. */
export const fileLimits = {
  bytes: 64 * 1024 * 1024,
  rows: 100_000,
  columns: 100,
  /** Characters of one row. */
  rowCharacters: 64 * 1024,
  nameCharacters: 200
}

/** The most imports that a tenant keeps. */
export const ImportsMax = Context.Reference<number>("@wcs/domain/ImportsMax", { defaultValue: () => 20 })

/** An import and its rows are deleted this long after its last change. */
export const keptMillis = 7 * 86_400_000

/** An upload that takes longer is taken to be lost. */
export const uploadMillis = 3_600_000

/** How far an import has come. */
export const statuses = [
  "UPLOADING",
  "UPLOADED",
  "CHECKING",
  "CHECKED",
  "RUNNING",
  "DONE",
  "UNDOING",
  "UNDONE",
  "STOPPED",
  "UNDO_STOPPED"
] as const
export const Status = Schema.Literals(statuses).annotate({ identifier: "ImportStatus" })

const aboutStatus =
  "UPLOADED: choose the mapping, then check. CHECKING, RUNNING and UNDOING go on in the background until they end or you " +
  "stop them. CHECKED: run. DONE: all rows are carried out; undo. STOPPED: the run could not go on; run the rest, or undo. UNDO_STOPPED: the undo could " +
  "not go on; undo the rest."
export type Status = typeof Status.Type

/** What a caller may ask of an import. */
export type Action = "check" | "run" | "undo"

/** The status after an action by the status before. Others refuse it. */
const transitions: Readonly<Record<Action, Readonly<Partial<Record<Status, Status>>>>> = {
  check: { UPLOADED: "CHECKING", CHECKED: "CHECKING" },
  run: { CHECKED: "RUNNING", STOPPED: "RUNNING" },
  undo: { DONE: "UNDOING", STOPPED: "UNDOING", UNDO_STOPPED: "UNDOING" }
}

/** The status when the work in the background ends. */
const ends = { CHECKING: "CHECKED", RUNNING: "DONE", UNDOING: "UNDONE" } as const satisfies Partial<
  Record<Status, Status>
>

/** A status in which a worker program has work to do. */
export type Working = keyof typeof ends
export const isWorking = (status: Status): status is Working => Object.hasOwn(ends, status)

/** The status of the import does not allow the action. */
export class ImportNotReady extends Data.TaggedError("ImportNotReady")<{
  readonly action: Action | "delete"
  readonly status: Status
}> {}

/** Another import of the tenant creates, updates or deletes workers. */
export class ImportsBusy extends Data.TaggedError("ImportsBusy")<{ readonly otherId: string }> {}

/** A column of the file. */
export interface FileColumn {
  readonly name: string
  /** The first values, not empty. */
  readonly samples: ReadonlyArray<string>
  readonly proposal: ImportField | null
}

/** What an undo of an import replaces at its beginning. */
type BeforeUndo = Pick<Import, "status" | "seen" | "counts">

/** An import. */
export interface Import {
  readonly id: string
  readonly tenantId: string
  /** Raised by every change. */
  readonly version: number
  readonly name: string
  readonly status: Status
  /** The rows of the file, without the header. */
  readonly rows: number
  readonly columns: ReadonlyArray<FileColumn>
  readonly mapped: ReadonlyArray<MappedColumn>
  /** Null if the dates of the file fit more than one order, and nobody has chosen one. */
  readonly dateOrder: DateOrder | null
  /** Whether a run carries out rows with the outcome DUPLICATE. */
  readonly withDuplicates: boolean
  /** The number of the last row that the present work has seen. */
  readonly cursor: number
  /** The rows that the present work has seen. */
  readonly seen: number
  readonly counts: Counts
  /** Whether the present undo has found every worker as the import left it. */
  readonly isUntouched: boolean
  /** The state before the present undo, to which a refused undo returns; null without one. */
  readonly beforeUndo: BeforeUndo | null
  /** Whether the work stops after its present rows. Absent in imports of earlier releases. */
  readonly isStopping?: boolean
  /** Why the work stopped or undid nothing. */
  readonly problem: string | null
  /** On whose behalf the work is done. */
  readonly actor: Actor
  readonly createdAt: Instant
  readonly updatedAt: Instant
}

/** An import as the API shows it. */
export const ImportDocument = Schema.Struct({
  id: ImportId,
  type: typeField("import"),
  name: Schema.String.annotate({ description: "Name of the file, as the caller gave it." }),
  status: Status.annotateKey({ description: aboutStatus }),
  rows: Schema.Int.annotate({ description: "Number of rows of the file, without the header." }),
  columns: Schema.Array(
    Schema.Struct({
      name: Schema.String.annotate({ description: "Name of the column in the header." }),
      samples: Schema.Array(Schema.String).annotate({
        description: "The first values of the column, at most three. Empty without the privilege to UPDATE imports."
      }),
      proposal: Schema.NullOr(ImportField).annotate({ description: "The field that its name suggests." })
    })
  ).annotate({ description: "The columns of the file, in order." }),
  mapping: Schema.Array(MappedColumn).annotate({
    description: "The columns that fill a field: those of the last check, before it those that the server proposes."
  }),
  dateOrder: Schema.NullOr(Schema.Literals(dateOrders)).annotate({
    description:
      "Order of day, month and year in dates such as 3/12/1990. `YYYY-MM-DD` is always understood. Null if the dates of " +
      "the file fit more than one order: the check must name one."
  }),
  done: Schema.Int.annotate({ description: "The rows that the present or last work has seen." }),
  counts: Schema.Struct(
    Object.fromEntries(
      outcomes.map((outcome) => [outcome, Schema.Int.annotate({ description: `Number of rows with ${outcome}.` })])
    ) as Record<(typeof outcomes)[number], typeof Schema.Int>
  ).annotate({ description: "The number of those rows with each outcome." }),
  stopping: Schema.Boolean.annotate({
    description: "Whether the work in the background stops after its present rows, because a caller asked for it."
  }),
  problem: Schema.NullOr(Schema.String).annotate({
    description: "Why the work stopped, or why an undo changed nothing. Null if there is no problem."
  }),
  account: Schema.String.annotate({ description: "URN of the account that uploaded the file or asked for the work." }),
  createdAt,
  updatedAt
})
export type ImportDocument = typeof ImportDocument.Type

/** Returns the import as the API shows it to a caller. The samples are cells, and are shown like the rows. */
export const shownImport = (it: Import, privileges: Privileges): ImportDocument => ({
  id: it.id,
  type: "import",
  name: it.name,
  status: it.status,
  rows: it.rows,
  columns: privileges.has("import:UPDATE") ? it.columns : it.columns.map((column) => ({ ...column, samples: [] })),
  mapping: it.mapped,
  dateOrder: it.dateOrder,
  done: it.seen,
  counts: Object.fromEntries(outcomes.map((outcome) => [outcome, it.counts[outcome] ?? 0])) as ImportDocument["counts"],
  stopping: isWorking(it.status) && it.isStopping === true,
  problem: it.problem,
  account: it.actor.account,
  createdAt: toRfc3339(it.createdAt),
  updatedAt: toRfc3339(it.updatedAt)
})

/** A tenant's imports in the order of upload. */
export const imports: Timeline<"status"> = {
  type: "import",
  filters: { status: statuses },
  ends: false,
  newestFirst: true
}

/**
 * Returns the import after an action. Work begins at the first row again; rows that are done keep their outcome. An undo
 * that stopped goes on without another look at all rows, since some are undone.
 */
export const after = (
  it: Import,
  action: Action,
  actor: Actor,
  now: Instant,
  choice: Partial<Pick<Import, "mapped" | "dateOrder" | "withDuplicates">> = {}
): Result.Result<Import, ImportNotReady> => {
  const status = transitions[action][it.status]
  if (status === undefined) return Result.fail(new ImportNotReady({ action, status: it.status }))
  const next = { ...it, ...choice, status, version: it.version + 1, updatedAt: now, problem: null }
  const isUntouched = it.status === "UNDO_STOPPED"
  const beforeUndo = action === "undo" ? { status: it.status, seen: it.seen, counts: it.counts } : null
  return Result.succeed({ ...next, actor, cursor: 0, seen: 0, counts: {}, isUntouched, isStopping: false, beforeUndo })
}

/**
 * Returns the import whose work shall stop; the same one if no work goes on or it stops already. The work ends itself
 * after its present rows, so that its counts are right. Until then it goes on for the account that asked for it.
 */
export const stopping = (it: Import, now: Instant): Import =>
  isWorking(it.status) && it.isStopping !== true
    ? { ...it, version: it.version + 1, updatedAt: now, isStopping: true }
    : it

/** Whether an import may be deleted: nothing works on it. */
export const mayDelete = ({ status }: Import): Result.Result<void, ImportNotReady> =>
  isWorking(status) ? Result.fail(new ImportNotReady({ action: "delete", status })) : Result.void

/** The place that the work has reached. */
export interface Progress {
  readonly cursor: number
  readonly seen: number
  readonly counts: Counts
  readonly isLast: boolean
}

/** The problem of work that a caller has stopped. */
const stoppedWork = {
  CHECKING: "The check was stopped.",
  RUNNING: "The import was stopped.",
  UNDOING: "The undo was stopped."
} as const satisfies Record<Working, string>

/** Returns the import after a portion of its work. */
export const advanced = (it: Import, { counts, cursor, isLast, seen }: Progress, now: Instant): Import => {
  const next = { ...it, version: it.version + 1, updatedAt: now, cursor, seen, counts }
  if (!isWorking(it.status)) return next
  const isLook = it.status === "UNDOING" && !it.isUntouched
  const isDone = isLast && !isLook
  if (it.isStopping === true && !isDone) {
    const stopped = halted({ ...it, cursor, seen, counts }, stoppedWork[it.status], now)
    return isLook ? { ...stopped, problem: null } : stopped // nothing is undone yet
  }
  // An undo looks at all rows before it changes the first one.
  if (isLast && isLook) return { ...next, cursor: 0, seen: 0, counts: {}, isUntouched: true }
  return isDone ? { ...next, status: ends[it.status], isStopping: false } : next
}

/** Returns the import whose work ended early, for a reason. An undo that has undone nothing leaves no trace. */
export const halted = (it: Import, problem: string, now: Instant): Import => {
  const next = { ...it, version: it.version + 1, updatedAt: now, isStopping: false, problem }
  if (it.status === "CHECKING") return { ...next, status: "UPLOADED" }
  if (it.status !== "UNDOING") return { ...next, status: "STOPPED" }
  return it.isUntouched || it.beforeUndo === null
    ? { ...next, status: "UNDO_STOPPED" }
    : { ...next, ...it.beforeUndo, beforeUndo: null }
}
