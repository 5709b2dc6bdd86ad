import { Array as Arr, Effect, Option, Result } from "effect"
import * as Links from "../crud/Links.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import type { Services } from "../crud/ResourceWrites.ts"
import { Worker, type WorkerFields } from "../people/Worker.ts"
import { isNoStoredText } from "../resource/ListQuery.ts"
import type { Stored } from "../resource/Resource.ts"
import { Ids } from "../shared/Id.ts"
import { Notifications } from "../shared/Notifications.ts"
import type { Mapping, RowFault } from "./ColumnMapping.ts"
import {
  type Candidate,
  type ImportRow,
  keysOf,
  type Marked,
  matchOf,
  namesakeOf,
  type Outcome,
  type ReadRow,
  type RowKeys,
  readRow
} from "./ImportRow.ts"
import { ImportStore } from "./ImportStore.ts"

// What the check, the run and the undo of rows share.

/** Rows that are written concurrently; they share the store's commits. */
export const atOnce = 32

/** The most ids of a read of the resource store. */
const idsMax = 100

/** A row with its meaning. */
export interface Understood extends RowKeys {
  readonly row: ImportRow
  readonly read: ReadRow
}

export type Mark = Marked & Partial<RowKeys>

export const markOf = (row: number, outcome: Outcome, rest: Partial<Omit<Mark, "row" | "outcome">> = {}): Mark => ({
  ...{ row, outcome, fault: null, workerId: null, sameAsRow: null },
  ...rest
})

export const faulty = (row: number, fault: RowFault, rest: Partial<Mark> = {}) =>
  markOf(row, "FAULTY", { fault, ...rest })

/** Reads the rows by the mapping. Returns the marks of those that cannot be read, too. */
export const understand = (mapping: Mapping, rows: ReadonlyArray<ImportRow>) => {
  const understood: Array<Understood> = []
  const unread: Array<Mark> = []
  for (const row of rows) {
    const read = readRow(mapping, row.cells)
    if (Result.isSuccess(read)) understood.push({ row, read: read.success, ...keysOf(read.success) })
    else unread.push(faulty(row.row, read.failure, { idKey: "", nameKey: "" }))
  }
  return { understood, unread }
}

const several: RowFault = { column: null, reason: "has an external id that several workers have" }

/** Judges what a row does: the worker that it updates, the one that it repeats, or its fault. */
export const aimOf = ({ read, row }: Understood, candidates: ReadonlyArray<Candidate>) =>
  Result.match(matchOf(read, candidates), {
    onFailure: () => ({ mark: faulty(row.row, several), match: Option.none<string>(), namesake: undefined }),
    onSuccess: (match) => ({
      ...{ mark: undefined, match },
      namesake: Option.isSome(match) ? undefined : namesakeOf(read, candidates)
    })
  })

/** The stores, and the services by which a row is carried out. */
export const makeTools = Effect.gen(function* () {
  const store = yield* ImportStore
  const resources = yield* ResourceStore
  const ids = yield* Ids
  const notifications = yield* Notifications
  const servicesOver = (over: ResourceStore["Service"]): Services => ({
    ...{ store: over, ids, notifications, resolve: Links.makeResolve(over) },
    ...{ auditId: ids.source("audit"), eventId: ids.source("event"), messageId: ids.source("message") }
  })

  const findAll = (tenantId: string, workers: ReadonlyArray<string>) =>
    Effect.map(
      Effect.forEach(Arr.chunksOf(workers, idsMax), (some) => resources.findAll(Worker, tenantId, some)),
      (found) => new Map<string, Stored<WorkerFields>>(found.flatMap((each) => [...each]))
    )

  const candidatesOf = (tenantId: string, rows: ReadonlyArray<Understood>) => {
    const stored = (texts: ReadonlyArray<string | undefined>) => [
      ...new Set(texts.filter((text) => text !== undefined && !isNoStoredText(text)) as ReadonlyArray<string>)
    ]
    return store.candidates(tenantId, {
      externalIds: stored(rows.map(({ read }) => read.externalId)),
      names: stored(rows.map(({ read }) => read.person?.name))
    })
  }

  return { store, resources, servicesOver, findAll, candidatesOf }
})

export type Tools = Effect.Success<typeof makeTools>
