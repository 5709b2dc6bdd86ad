import type { Erasure, Status } from "@wcs/domain/erasure/Erasure"
import {
  type Erased,
  type ErasureBasis,
  type ErasureChange,
  ErasureStore,
  type Portion,
  type TenantRetention
} from "@wcs/domain/erasure/ErasureStore"
import type { EventDraft } from "@wcs/domain/event/EventDraft"
import { Credential, type CredentialFields } from "@wcs/domain/holding/Credential"
import { Worker } from "@wcs/domain/people/Worker"
import { erasedText } from "@wcs/domain/resource/Erasing"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { cardKey } from "@wcs/domain/shared/CardNumber"
import { Effect, Layer, Option, Result } from "effect"
import { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeEraseDocuments, makeEraseDocumentsOf } from "../document/DocumentRows.ts"
import { LostRace, makeAtomically } from "../engine/Atomic.ts"
import { makeColumns, number, orNull, type Row, text, word } from "../engine/Columns.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { makeTimelinePage, type TimelineTable } from "../engine/TimelineTable.ts"
import { makeEraseImported } from "../import/EraseImported.ts"
import { makeEraseNotes } from "../note/EraseNotes.ts"
import { makeRead, makeWrite, storedOf } from "../resource/ResourceRows.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"
import { makeForgetAnswers, makeForgetMessages, makeForgetVersions } from "./ForgetTraces.ts"

const columns = makeColumns<Erasure>({
  tenantId: text,
  workerId: text,
  reason: word(),
  status: word(),
  account: text,
  requestId: text,
  requestedAt: number,
  dueOn: orNull(text),
  erasedAt: orNull(number)
})
const selected = columns.selected("r")

const table: TimelineTable<"status", Row, Erasure> = {
  name: "erasure",
  selected,
  index: "erasure_of_tenant",
  fields: { status: { column: "status", index: "erasure_of_status" } },
  decode: columns.of
}

interface RetentionRow {
  readonly retention_years: unknown
  readonly time_zone: string
}

const retentionOf = ({ retention_years, time_zone }: RetentionRow): TenantRetention => ({
  retentionYears: retention_years === null ? undefined : Number(retention_years),
  timeZone: time_zone
})

/** Returns a statement that reads the workers that were merged into these, over any number of merges. */
const makeMerged = (sql: SqlClient.SqlClient) => {
  const { selected: ofWorker } = tableOf(Worker)
  return (tenantId: string, ids: ReadonlyArray<string>) =>
    sql<ResourceRow & { readonly survivor_id: string }>`WITH RECURSIVE person (survivor_id, from_id) AS (
        SELECT m.worker_id, m.from_id FROM worker_merge AS m
        WHERE m.tenant_id = ${tenantId} AND m.status = 'MERGED' AND ${sql.in("m.worker_id", ids)}
        UNION SELECT p.survivor_id, m.from_id FROM person AS p, worker_merge AS m
        WHERE m.tenant_id = ${tenantId} AND m.status = 'MERGED' AND m.worker_id = p.from_id)
      SELECT p.survivor_id, ${sql.literal(ofWorker)} FROM person AS p, worker AS r
      WHERE r.tenant_id = ${tenantId} AND r.id = p.from_id ORDER BY r.id`
}

/** Reads workers with their erasures. */
const makeLeavers = (sql: SqlClient.SqlClient) => {
  const mergedInto = makeMerged(sql)
  const { decode, selected: ofWorker } = tableOf(Worker)
  return Effect.fnUntraced(function* (tenantId: string, after: string, limit: number) {
    const workers = yield* sql<ResourceRow>`SELECT ${sql.literal(ofWorker)} FROM worker AS r
      WHERE r.tenant_id = ${tenantId} AND r.id > ${after} ORDER BY r.id LIMIT ${limit}`
    const ids = workers.map(({ id }) => id)
    if (ids.length === 0) return []
    const found = yield* sql<Row>`SELECT ${sql.literal(selected)} FROM erasure AS r
      WHERE r.tenant_id = ${tenantId} AND ${sql.in("r.worker_id", ids)}`
    const erasures = new Map(found.map((row) => [String(row["worker_id"]), columns.of(row)]))
    const merged = Map.groupBy(yield* mergedInto(tenantId, ids), (row) => row.survivor_id)
    return workers.map((row) => ({
      worker: decode(row),
      erasure: erasures.get(row.id),
      merged: (merged.get(row.id) ?? []).map(decode)
    }))
  })
}
/** Empties the versions of a resource before this one. */
const makeEmptyVersions = (sql: SqlClient.SqlClient) =>
  function* (tenantId: string, { type }: Resource, { id, version }: Pick<Stored, "id" | "version">): Script<void> {
    yield* changes(sql`UPDATE resource_version SET document = ''
      WHERE tenant_id = ${tenantId} AND kind = ${type} AND id = ${id} AND version < ${version} AND document <> ''`)
  }

/** Locks the worker that continues this one after any number of merges, and those between. */
const makeLockSurvivor = (sql: SqlClient.SqlClient) => {
  const readWorker = makeRead(sql, dialectOf(sql).forUpdate)
  return function* (tenantId: string, workerId: string): Script<Result.Result<string, LostRace>> {
    const chain = yield* rows(sql<{ readonly id: string }>`WITH RECURSIVE person (id) AS (
        SELECT r.worker_id FROM worker_merge AS r
        WHERE r.tenant_id = ${tenantId} AND r.from_id = ${workerId} AND r.status = 'MERGED'
        UNION SELECT m.worker_id FROM person AS p, worker_merge AS m
        WHERE m.tenant_id = ${tenantId} AND m.from_id = p.id AND m.status = 'MERGED')
      SELECT id FROM person`)
    const into = new Map<string, string | undefined>()
    // In the order in which a merge locks them.
    for (const id of [workerId, ...chain.map((row) => row.id)].sort()) {
      const worker = storedOf(Worker)(yield* rows(readWorker(Worker, tenantId, id)))
      into.set(id, Option.getOrUndefined(worker)?.fields.mergedInto?.id)
    }
    let survivor = workerId
    for (let next = into.get(survivor); next !== undefined; next = into.get(survivor)) survivor = next
    return into.has(survivor) ? Result.succeed(survivor) : Result.fail(new LostRace()) // merged since the first read
  }
}

const makeBegin = (sql: SqlClient.SqlClient) => {
  const readWorker = makeRead(sql, dialectOf(sql).forUpdate)
  const lockSurvivor = makeLockSurvivor(sql)
  const mergedInto = makeMerged(sql)
  const write = makeWrite(sql)
  const records = makeRecordsWriter(sql)
  const eraseImported = makeEraseImported(sql)
  const eraseNotes = makeEraseNotes(sql)
  const eraseDocumentsOf = makeEraseDocumentsOf(sql)
  return function* <E, D extends ErasureChange>(
    tenantId: string,
    askedId: string,
    decide: (basis: ErasureBasis) => Result.Result<D, E>,
    whom: "worker" | "person"
  ): Script<Result.Result<D["erasure"], E | LostRace>> {
    const locked = whom === "person" ? yield* lockSurvivor(tenantId, askedId) : Result.succeed(askedId)
    if (Result.isFailure(locked)) return Result.fail(locked.failure)
    const workerId = locked.success
    const worker = storedOf(Worker)(yield* rows(readWorker(Worker, tenantId, workerId)))
    const [row] = yield* rows(
      sql<Row>`SELECT ${sql.literal(selected)} FROM erasure AS r
        WHERE r.tenant_id = ${tenantId} AND r.worker_id = ${workerId}`
    )
    const known = row === undefined ? undefined : columns.of(row)
    const [tenant] = yield* rows(
      sql<RetentionRow>`SELECT t.retention_years, t.time_zone FROM tenant AS t WHERE t.id = ${tenantId}`
    )
    const retention = retentionOf(tenant ?? { retention_years: null, time_zone: defaultTimeZone })
    const merged = (yield* rows(mergedInto(tenantId, [workerId]))).map(tableOf(Worker).decode)
    const decided = decide({ worker, merged, erasure: Option.fromUndefinedOr(known), retention })
    if (Result.isFailure(decided)) return Result.fail(decided.failure)
    const { erasure, next, records: written } = decided.success
    if (next !== undefined && !(yield* write(Worker, tenantId, worker, next))) return Result.fail(new LostRace())
    if (erasure?.status === "ERASING") {
      yield* eraseImported(
        tenantId,
        workerId,
        Option.match(worker, { onNone: () => ({}), onSome: ({ fields }) => fields })
      )
      for (const id of [workerId, ...merged.map((one) => one.id)]) {
        yield* eraseDocumentsOf(tenantId, { type: "worker", id }, erasure.requestedAt)
        yield* eraseNotes(tenantId, id)
      }
    }
    if (erasure === null) {
      yield* changes(sql`DELETE FROM erasure
        WHERE tenant_id = ${tenantId} AND worker_id = ${workerId} AND status = 'ANNOUNCED'`)
    } else if (erasure !== undefined && erasure !== known) {
      yield* changes(sql`INSERT INTO erasure ${sql.insert(columns.row(erasure))}
        ON CONFLICT (tenant_id, worker_id) DO UPDATE SET status = excluded.status, reason = excluded.reason,
          account = excluded.account, request_id = excluded.request_id, requested_at = excluded.requested_at`)
    }
    yield* records.all(tenantId, written, () => next?.version ?? 0, null)
    return Result.succeed(erasure)
  }
}

/** Erases what other tables have of a credential: its documents, the notices of its history, and the scans of its number. */
const makeEraseBeside = (sql: SqlClient.SqlClient) => {
  const eraseDocuments = makeEraseDocuments(sql)
  const blank = sql.literal("first_name = '', surname = '', identifier = '', card = ''")
  return function* (
    tenantId: string,
    { fields: { attributes }, id }: Stored<CredentialFields>,
    at: number
  ): Script<void> {
    yield* eraseDocuments(tenantId, { type: "credential", id }, at)
    yield* changes(sql`UPDATE verification SET notice_reference = ${erasedText}
      WHERE tenant_id = ${tenantId} AND credential_id = ${id} AND notice_reference IS NOT NULL`)
    yield* changes(sql`UPDATE scan SET ${blank} WHERE tenant_id = ${tenantId} AND credential_id = ${id}`)
    if (attributes.identifier === undefined) return
    yield* changes(sql`UPDATE scan SET ${blank} WHERE tenant_id = ${tenantId} AND card = ${cardKey(attributes.identifier)}
      AND credential_type = ${attributes.credentialType}`)
  }
}

const makePortion = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const write = makeWrite(sql)
  const records = makeRecordsWriter(sql)
  const eraseBeside = makeEraseBeside(sql)
  const eraseNotes = makeEraseNotes(sql)
  const eraseDocumentsOf = makeEraseDocumentsOf(sql)
  const emptyVersions = makeEmptyVersions(sql)
  return function* (
    { after, column, limit, personId, resource, tenantId }: Portion,
    decide: Parameters<ErasureStore["Service"]["portion"]>[1]
  ): Script<Result.Result<Erased, LostRace>> {
    const { decode, name, selected } = tableOf(resource)
    const index = column === "id" ? sql.literal("") : dialect.indexedBy(`${name}_of_${column}`)
    const found = yield* rows(sql<ResourceRow>`SELECT ${sql.literal(selected)} FROM ${sql.literal(name)} AS r${index}
      WHERE r.tenant_id = ${tenantId} AND r.${sql.literal(column)} = ${personId} AND r.id > ${after}
      ORDER BY r.id LIMIT ${limit}${dialect.forUpdate}`)
    const all = found.map(decode)
    const applicants: Array<string> = []
    for (const stored of all) {
      const credential = resource.type === Credential.type ? (stored as Stored<CredentialFields>) : undefined
      const applicant = credential?.fields.attributes.owners.applicant
      if (typeof applicant === "string") applicants.push(applicant)
      const { audit, next } = decide(stored)
      if (next === stored) continue
      if (!(yield* write(resource, tenantId, Option.some(stored), next))) return Result.fail(new LostRace())
      yield* emptyVersions(tenantId, resource, next)
      if (resource.type === "applicant") {
        yield* eraseDocumentsOf(tenantId, { type: "applicant", id: stored.id }, next.updatedAt)
        yield* eraseNotes(tenantId, stored.id)
      }
      if (credential !== undefined) yield* eraseBeside(tenantId, credential, next.updatedAt)
      yield* records.audit(tenantId, [audit])
    }
    return Result.succeed({ ids: all.map(({ id }) => id), applicants })
  }
}

/** Whether the tenant `t` has announced erasures. On a distributed Postgres, such tenants after one are read apart. */
const announcing = (sql: SqlClient.SqlClient, after: string) => {
  const { isAmong, isDistributed } = dialectOf(sql)
  if (!isDistributed) {
    return Effect.succeed(sql`EXISTS (SELECT 1 FROM erasure AS e WHERE e.tenant_id = t.id AND e.status = 'ANNOUNCED')`)
  }
  return Effect.map(
    sql<{ readonly tenant_id: string }>`SELECT DISTINCT e.tenant_id FROM erasure AS e
      WHERE e.tenant_id > ${after} AND e.status = 'ANNOUNCED'`,
    (found) => isAmong("t.id", JSON.stringify(found.map(({ tenant_id }) => tenant_id)))
  )
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const page = yield* makeTimelinePage(table)
  const begin = makeBegin(sql)
  const portion = makePortion(sql)
  const forgetAnswers = makeForgetAnswers(sql)
  const leavers = makeLeavers(sql)
  const forgetVersions = makeForgetVersions(sql)
  const forgetMessages = makeForgetMessages(sql)

  const records = makeRecordsWriter(sql)

  function* finish(
    tenantId: string,
    workerId: string,
    now: number,
    eventOf: (erasure: Erasure) => EventDraft
  ): Script<Result.Result<boolean>> {
    const [row] = yield* rows(
      sql<Row>`UPDATE erasure SET status = ${"ERASED" satisfies Status}, erased_at = ${now}
        WHERE tenant_id = ${tenantId} AND worker_id = ${workerId} AND status <> 'ERASED'
        RETURNING ${sql.literal(columns.names.join(", "))}`
    )
    if (row === undefined) return Result.succeed(false)
    const [worker] = yield* rows(
      sql<{ readonly version: unknown }>`UPDATE worker SET version = version + 1
        WHERE tenant_id = ${tenantId} AND id = ${workerId} RETURNING version`
    )
    const events = worker === undefined ? [] : [eventOf(columns.of(row))]
    yield* records.all(tenantId, { audit: [], events }, () => Number(worker?.version), null)
    return Result.succeed(true)
  }

  return ErasureStore.of({
    begin: (tenantId, workerId, decide, whom = "worker") => atomically(() => begin(tenantId, workerId, decide, whom)),
    portion: (given, decide) => Effect.orDie(atomically(() => portion(given, decide))),
    forgetAnswers: (tenantId, subjects, after, limit) =>
      atomically(() => forgetAnswers(tenantId, subjects, after, limit)),
    forgetVersions: (tenantId, person, limit) => atomically(() => forgetVersions(tenantId, person, limit)),
    forgetMessages: (tenantId, person, limit) => atomically(() => forgetMessages(tenantId, person, limit)),
    finish: (tenantId, workerId, now, eventOf) => atomically(() => finish(tenantId, workerId, now, eventOf)),
    mergedFrom: Effect.fn("ErasureStore.mergedFrom")((tenantId, workerId, after, limit) =>
      sql<{ readonly from_id: string }>`SELECT r.from_id
        FROM worker_merge AS r${dialectOf(sql).indexedBy("worker_merge_of_worker_id")}
        WHERE r.tenant_id = ${tenantId} AND r.worker_id = ${workerId} AND r.status = 'MERGED' AND r.from_id > ${after}
        ORDER BY r.from_id LIMIT ${limit}`.pipe(
        Effect.orDie,
        Effect.map((found) => found.map(({ from_id }) => from_id))
      )
    ),
    retaining: Effect.fn("ErasureStore.retaining")(function* (after, limit) {
      const announced = yield* Effect.orDie(announcing(sql, after ?? ""))
      const found = yield* Effect.orDie(sql<RetentionRow & { readonly id: string }>`
        SELECT t.id, t.retention_years, t.time_zone FROM tenant AS t
        WHERE t.id > ${after ?? ""} AND (t.retention_years IS NOT NULL OR ${announced}) ORDER BY t.id LIMIT ${limit}`)
      return found.map((row) => ({ tenantId: row.id, ...retentionOf(row) }))
    }),
    leavers: Effect.fn("ErasureStore.leavers")((tenantId, after, limit) =>
      Effect.orDie(leavers(tenantId, after, limit))
    ),
    unfinished: Effect.fn("ErasureStore.unfinished")((limit) =>
      sql<Row>`SELECT ${sql.literal(selected)} FROM erasure AS r${dialectOf(sql).indexedBy("erasure_open")}
        WHERE r.status IN ('DUE', 'ERASING') ORDER BY r.position LIMIT ${limit}`.pipe(
        Effect.orDie,
        Effect.map((found) => found.map(columns.of))
      )
    ),
    list: Effect.fn("ErasureStore.list")((tenantId, selection) => Effect.orDie(page(tenantId, selection)))
  })
})

export const layer = Layer.effect(ErasureStore, make)
