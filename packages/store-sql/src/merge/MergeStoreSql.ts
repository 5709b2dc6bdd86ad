import { unitOf } from "@wcs/domain/crud/Links"
import { Ban, banLimit } from "@wcs/domain/holding/Ban"
import { Credential } from "@wcs/domain/holding/Credential"
import { isRowType, type Merge, type Moved, movedKinds, movedMax } from "@wcs/domain/merge/Merge"
import { type Held, kindOf, type MergePlan } from "@wcs/domain/merge/MergePlan"
import { type MergeBasis, type MergeChange, MergeStore } from "@wcs/domain/merge/MergeStore"
import { Worker, type WorkerFields } from "@wcs/domain/people/Worker"
import type { Stored } from "@wcs/domain/resource/Resource"
import { Answer } from "@wcs/domain/screening/Answer"
import { Task, taskIdOf } from "@wcs/domain/screening/Task"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { AccessEpoch } from "../access/AccessEpoch.ts"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { LostRace, makeAtomically } from "../engine/Atomic.ts"
import { json, makeColumns, number, orNull, type Row, text, word } from "../engine/Columns.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { makeTimelinePage, type TimelineTable } from "../engine/TimelineTable.ts"
import { makeRead, makeWrite, storedOf } from "../resource/ResourceRows.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"

const columns = makeColumns<Merge>({
  id: text,
  tenantId: text,
  workerId: text,
  fromId: text,
  status: word(),
  account: text,
  requestId: text,
  mergedAt: number,
  undoneAt: orNull(number),
  moved: json((stored): ReadonlyArray<Moved> => JSON.parse(stored))
})
const selected = columns.selected("r")

const table: TimelineTable<"workerId" | "fromId" | "status", Row, Merge> = {
  name: "worker_merge",
  selected,
  index: "worker_merge_of_tenant",
  fields: {
    workerId: { column: "worker_id", index: "worker_merge_of_worker_id" },
    fromId: { column: "from_id", index: "worker_merge_of_from_id" },
    status: { column: "status", index: "worker_merge_of_status" }
  },
  decode: columns.of
}

type Rows = Pick<MergeBasis, "held" | "tasks" | "users">

/** Reads the workers of a merge and their rows, and locks them: the workers first. */
const makeReads = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const readWorker = makeRead(sql, dialect.forUpdate)
  const readForShare = makeRead(sql, dialect.forShare)

  function* workers(tenantId: string, workerId: string, fromId: string): Script<Pick<MergeBasis, "worker" | "from">> {
    const found = new Map<string, Option.Option<Stored<WorkerFields>>>()
    for (const id of [workerId, fromId].sort()) {
      found.set(id, storedOf(Worker)(yield* rows(readWorker(Worker, tenantId, id))))
    }
    return { worker: found.get(workerId) ?? Option.none(), from: found.get(fromId) ?? Option.none() }
  }

  const byIds = (name: string, columns: string, tenantId: string, ids: ReadonlyArray<string>) =>
    rows(sql<ResourceRow>`SELECT ${sql.literal(columns)} FROM ${sql.literal(name)} AS r
      WHERE r.tenant_id = ${tenantId} AND ${dialect.isAmong("r.id", JSON.stringify(ids))}
      ORDER BY r.id${dialect.forUpdate}`)

  /** The unit of a worker. */
  function* unit(tenantId: string, from: MergeBasis["from"]): Script<MergeBasis["unit"]> {
    const [named] = Option.isNone(from) ? [] : unitOf(Worker, from.value.fields)
    return named === undefined
      ? Option.none()
      : storedOf(named.resource)(yield* rows(readForShare(named.resource, tenantId, named.id)))
  }

  /** The tasks about cards and answers, and about the bans of workers if a ban is among the rows. */
  function* tasksAbout(
    tenantId: string,
    held: ReadonlyArray<Held>,
    workers: ReadonlyArray<string>
  ): Script<ReadonlyArray<Stored>> {
    const isHeld = (type: string) => held.filter(({ kind }) => kind.resource.type === type)
    const cards = [...isHeld(Credential.type), ...isHeld(Answer.type)].map(({ stored }) => stored.id)
    const ids = [...cards, ...(isHeld(Ban.type).length === 0 ? [] : workers)].map(taskIdOf)
    if (ids.length === 0) return []
    return (yield* byIds("task", tableOf(Task).selected, tenantId, ids)).map(tableOf(Task).decode)
  }

  /** The accounts of users who are linked to a worker. */
  function* usersOf(tenantId: string, workerId: string): Script<ReadonlyArray<string>> {
    const found = yield* rows(sql<{ readonly id: string }>`SELECT r.id FROM account AS r
      WHERE r.tenant_id = ${tenantId} AND r.worker_id = ${workerId} ORDER BY r.id${dialect.forUpdate}`)
    return found.map(({ id }) => id)
  }

  /** The number of bans of a worker. */
  function* bansOf(tenantId: string, workerId: string): Script<number> {
    const found = yield* rows(sql`SELECT r.id FROM ban AS r${dialect.indexedBy("ban_of_worker_id")}
      WHERE r.tenant_id = ${tenantId} AND r.worker_id = ${workerId} AND r.deleted_at IS NULL LIMIT ${banLimit}`)
    return found.length
  }

  /** The rows of a worker. */
  function* heldBy(tenantId: string, workerId: string, toId: string): Script<Rows> {
    const held: Array<Held> = []
    for (const kind of movedKinds) {
      const left = movedMax + 1 - held.length
      if (left === 0) break
      const { decode, name, selected } = tableOf(kind.resource)
      const found = yield* rows(sql<ResourceRow>`SELECT ${sql.literal(selected)} FROM ${sql.literal(name)} AS r
        ${dialect.indexedBy(`${name}_of_${kind.column}`)}
        WHERE r.tenant_id = ${tenantId} AND r.${sql.literal(kind.column)} = ${workerId}
        ORDER BY r.created_at, r.id LIMIT ${left}${dialect.forUpdate}`)
      held.push(...found.map((row) => ({ kind, stored: decode(row) })))
    }
    const tasks = yield* tasksAbout(tenantId, held, [workerId, toId])
    return { held, tasks, users: yield* usersOf(tenantId, workerId) }
  }

  /** The rows that a merge has moved, wherever they are now. */
  function* moved(tenantId: string, { fromId, moved: all, workerId }: Merge): Script<Rows> {
    const held: Array<Held> = []
    const users = all.filter(({ type }) => type === "user").map(({ id }) => id)
    const others = all.filter(({ type }) => isRowType(type))
    for (const [type, some] of Map.groupBy(others, (row) => row.type)) {
      const kind = kindOf(type)
      const { decode, name, selected } = tableOf(kind.resource)
      const ids = some.map(({ id }) => id)
      const found = yield* byIds(name, selected, tenantId, ids)
      held.push(...found.map((row) => ({ kind, stored: decode(row) })))
    }
    const linked = users.length === 0 ? [] : yield* usersOf(tenantId, workerId)
    const tasks = yield* tasksAbout(tenantId, held, [workerId, fromId])
    return { held, tasks, users: linked.filter((id) => users.includes(id)) }
  }

  return { workers, bansOf, heldBy, moved, unit }
}

const makeWrites = (sql: SqlClient.SqlClient) => {
  const write = makeWrite(sql)
  const records = makeRecordsWriter(sql)

  function* writePlan(
    tenantId: string,
    { from, rows: moves, tasks, users, worker }: MergePlan,
    basis: Pick<MergeBasis, "worker" | "from">
  ): Script<boolean> {
    if (!(yield* write(Worker, tenantId, basis.worker, worker))) return false
    if (!(yield* write(Worker, tenantId, basis.from, from))) return false
    for (const { before, next, resource } of moves) {
      if (!(yield* write(resource, tenantId, Option.some(before), next))) return false
    }
    for (const { before, next } of tasks) {
      if (!(yield* write<JsonObject>(Task, tenantId, Option.fromUndefinedOr(before), next))) return false
    }
    if (users.length > 0) {
      const linked = from.deletedAt === null ? from.id : worker.id
      yield* changes(sql`UPDATE account SET worker_id = ${linked}
        WHERE tenant_id = ${tenantId} AND ${sql.in("id", users)}`)
    }
    return true
  }

  /** Writes a decision. */
  return function* (
    tenantId: string,
    { merge, plan, records: entries }: MergeChange,
    basis: Pick<MergeBasis, "worker" | "from">,
    traceparent: string | null
  ): Script<Result.Result<Merge, LostRace>> {
    if (plan === undefined) return Result.succeed(merge)
    if (!(yield* writePlan(tenantId, plan, basis))) return Result.fail(new LostRace())
    yield* changes(sql`INSERT INTO worker_merge ${sql.insert(columns.row(merge))}
      ON CONFLICT (tenant_id, id) DO UPDATE SET status = excluded.status, undone_at = excluded.undone_at`)
    const versions = new Map(
      [plan.worker, plan.from, ...plan.rows.map(({ next }) => next)].map(({ id, version }) => [id, version])
    )
    yield* records.all(tenantId, entries, (id) => versions.get(id) ?? 0, traceparent)
    return Result.succeed(merge)
  }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const epoch = yield* AccessEpoch
  const page = yield* makeTimelinePage(table)
  const read = makeReads(sql)
  const write = makeWrites(sql)

  function* merge<E>(
    tenantId: string,
    { fromId, workerId }: { readonly workerId: string; readonly fromId: string },
    decide: (basis: MergeBasis) => Result.Result<MergeChange, E>,
    traceparent: string | null
  ): Script<Result.Result<Merge, E | LostRace>> {
    const workers = yield* read.workers(tenantId, workerId, fromId)
    const bans = yield* read.bansOf(tenantId, workerId)
    const decided = decide({
      ...{ ...workers, bans, unit: Option.none() },
      ...(yield* read.heldBy(tenantId, fromId, workerId))
    })
    if (Result.isFailure(decided)) return Result.fail(decided.failure)
    return yield* write(tenantId, decided.success, workers, traceparent)
  }

  function* undo<E>(
    tenantId: string,
    mergeId: string,
    decide: (merge: Option.Option<Merge>, basis: MergeBasis) => Result.Result<MergeChange, E>,
    traceparent: string | null
  ): Script<Result.Result<Merge, E | LostRace>> {
    const [row] = yield* rows(sql<Row>`SELECT ${sql.literal(selected)} FROM worker_merge AS r
      WHERE r.tenant_id = ${tenantId} AND r.id = ${mergeId}${dialectOf(sql).forUpdate}`)
    const found = Option.map(Option.fromUndefinedOr(row), columns.of)
    const workers = Option.isNone(found)
      ? { worker: Option.none(), from: Option.none() }
      : yield* read.workers(tenantId, found.value.workerId, found.value.fromId)
    const rowsOf = Option.isNone(found) ? { held: [], tasks: [], users: [] } : yield* read.moved(tenantId, found.value)
    const unit = yield* read.unit(tenantId, workers.from)
    const decided = decide(found, { ...workers, bans: 0, unit, ...rowsOf })
    if (Result.isFailure(decided)) return Result.fail(decided.failure)
    return yield* write(tenantId, decided.success, workers, traceparent)
  }

  /** A write of access data, because the worker of a user can change. */
  const accessWrite = <A, E>(
    tenantId: string,
    script: (traceparent: string | null) => Script<Result.Result<A, E | LostRace>>
  ) => epoch.moving(atomically<A, E>(script, { tenantId, by: 1 }))

  return MergeStore.of({
    merge: (tenantId, workers, decide) =>
      accessWrite(tenantId, (traceparent) => merge(tenantId, workers, decide, traceparent)),
    undo: (tenantId, mergeId, decide) =>
      accessWrite(tenantId, (traceparent) => undo(tenantId, mergeId, decide, traceparent)),
    list: Effect.fn("MergeStore.list")((tenantId, selection) => Effect.orDie(page(tenantId, selection)))
  })
})

export const layer = Layer.effect(MergeStore, make)
