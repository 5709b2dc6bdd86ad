import { Credential } from "@wcs/domain/holding/Credential"
import { ownersIn } from "@wcs/domain/ownership/Ownership"
import { type Plan, planId, type ScheduledTenant } from "@wcs/domain/schedule/Plan"
import type { DueIds } from "@wcs/domain/schedule/Schedule"
import { ScheduleStore } from "@wcs/domain/schedule/ScheduleStore"
import { VerificationSource } from "@wcs/domain/verification/VerificationSource"
import { Effect, Layer, Result } from "effect"
import { SqlClient, type Statement } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"
import { makeReadOwners } from "./OwnerRows.ts"

interface StandRow {
  readonly turn: unknown
  readonly last_id: string
  readonly looked_at: unknown
}

interface TenantRow {
  readonly id: string
  readonly time_zone: string
}

type Of<Row> = Row & { readonly tenant_id: string }

type Start = ScheduleStore["Service"]["start"]

/** How seldom a row is written only to say that a worker looked. In milliseconds. */
const freshMillis = 3_600_000

/** The statements of a plan. */
const makeReads = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const waiting = dialect.indexedBy("verification_run_waiting")
  return {
    /** The condition of its due credentials `r`. */
    isDue: ({ tenantId, types }: Plan, { before, stand }: DueIds) =>
      sql`r.tenant_id = ${tenantId} AND r.id > ${stand.last} ${before === undefined ? sql`` : sql`AND r.id < ${before}`}
      AND r.deleted_at IS NULL AND ${sql.in("r.credential_type", types)}`,
    /** The number of its open verifications that no person keeps waiting, up to `most`. */
    running: ({ tenantId, types }: Plan, most: number) =>
      sql<{ readonly count: unknown }>`SELECT count(*) AS count FROM (
        SELECT 1 AS one FROM verification_run AS r${waiting} WHERE r.tenant_id = ${tenantId} AND r.due_at IS NOT NULL
        AND ${sql.in(
          "r.queue",
          types.map((type) => `${tenantId} ${type}`)
        )} LIMIT ${most}) AS o`,
    stand: ({ tenantId }: Plan, sourceId: string) =>
      sql<StandRow>`SELECT s.turn, s.last_id, s.looked_at FROM schedule AS s
        WHERE s.tenant_id = ${tenantId} AND s.source_id = ${sourceId}`
  }
}

const makeStart = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const reads = makeReads(sql)
  const records = makeRecordsWriter(sql)
  const readOwners = makeReadOwners(sql)
  const table = tableOf(Credential)

  /** Reads the stored stand. Others that ask wait until this transaction ends. */
  function* lockedStand(plan: Plan): Script<StandRow | undefined> {
    const lock = dialect.lockTenant("schedule", plan.tenantId)
    if (lock !== undefined) yield* rows(lock)
    const [row] = yield* rows(reads.stand(plan, planId(plan)))
    return row
  }

  /** Reads due credentials, and locks them as a conclusion does: it would miss a verification that begins meanwhile. */
  function* dueCards(plan: Plan, due: DueIds, limit: number) {
    const found = yield* rows(sql<ResourceRow & { readonly is_open: unknown }>`SELECT ${sql.literal(table.selected)},
      EXISTS (SELECT 1 FROM verification_run AS v WHERE v.tenant_id = ${plan.tenantId} AND v.credential_id = r.id) AS is_open
      FROM credential AS r WHERE ${reads.isDue(plan, due)} ORDER BY r.id LIMIT ${limit}${dialect.forUpdate}`)
    const cards = found.map((row) => ({ credential: table.decode(row), isOpen: Boolean(row.is_open) }))
    const people = yield* readOwners(
      plan.tenantId,
      cards.map(({ credential }) => credential)
    )
    return cards.map(({ credential, isOpen }) => ({
      credential,
      isOpen,
      owners: ownersIn(credential.fields.attributes.owners).flatMap(({ id }) => people.get(id) ?? [])
    }))
  }

  return function* (
    ...[plan, due, limit, decide]: Parameters<Start>
  ): Script<Result.Result<Effect.Success<ReturnType<Start>>>> {
    const { stand, tenantId } = plan
    const stored = yield* lockedStand(plan)
    const isAsExpected = stored === undefined ? stand === null : Number(stored.turn) === stand?.turn
    if (!isAsExpected || stored?.last_id !== stand?.last) return Result.succeed(undefined)
    const [running] = yield* rows(reads.running(plan, plan.openMax))
    const startsMax = plan.openMax - Number(running?.count ?? 0)
    const cards = startsMax > 0 ? yield* dueCards(plan, due, limit) : []
    const verifications = []
    let last = due.stand.last
    for (const { credential, isOpen, owners } of cards) {
      if (verifications.length >= startsMax) break
      last = credential.id
      const verification = isOpen ? undefined : decide(credential, owners)
      if (verification !== undefined) verifications.push(verification)
    }
    yield* records.all(tenantId, { audit: [], events: [], verifications }, () => 0, null)
    const isBehind = startsMax <= 0 || cards.length === limit || last < (cards.at(-1)?.credential.id ?? "")
    const { last: last_id, turn } = isBehind ? { ...due.stand, last } : due.end
    const isNews = cards.length > 0 || turn !== stand?.turn || due.at - Number(stored?.looked_at ?? 0) >= freshMillis
    if (isNews) {
      const row = { tenant_id: tenantId, source_id: planId(plan), turn, last_id, looked_at: due.at }
      yield* changes(sql`INSERT INTO schedule ${sql.insert(row)} ON CONFLICT (tenant_id, source_id) DO UPDATE
        SET turn = excluded.turn, last_id = excluded.last_id, looked_at = excluded.looked_at`)
    }
    return Result.succeed({ started: verifications.length, isBehind: isBehind || due.before === undefined })
  }
}

const makeTenants = (sql: SqlClient.SqlClient) => {
  const table = tableOf(VerificationSource)
  return Effect.fnUntraced(function* (tenants: Statement.Statement<TenantRow>) {
    const found = yield* tenants
    const ids = found.map(({ id }) => id)
    if (ids.length === 0) return []
    const sources = yield* sql<Of<ResourceRow>>`SELECT r.tenant_id, ${sql.literal(table.selected)}
      FROM ${sql.literal(table.name)} AS r WHERE ${sql.in("r.tenant_id", ids)} AND r.deleted_at IS NULL
      ORDER BY r.created_at, r.id LIMIT ${ids.length * VerificationSource.most}`
    const stands = yield* sql<
      Of<StandRow> & { readonly source_id: string }
    >`SELECT s.tenant_id, s.source_id, s.turn, s.last_id, s.looked_at
      FROM schedule AS s WHERE ${sql.in("s.tenant_id", ids)}`
    return found.map(
      ({ id, time_zone }): ScheduledTenant => ({
        tenantId: id,
        timeZone: time_zone,
        sources: sources.filter(({ tenant_id }) => tenant_id === id).map(table.decode),
        stands: new Map(
          stands
            .filter(({ tenant_id }) => tenant_id === id)
            .map(({ last_id, looked_at, source_id, turn }) => [
              source_id,
              { turn: Number(turn), last: last_id, lookedAt: Number(looked_at) }
            ])
        )
      })
    )
  }, Effect.orDie)
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const start = makeStart(sql)
  const reads = makeReads(sql)
  const tenantsOf = makeTenants(sql)

  return ScheduleStore.of({
    tenants: Effect.fn("ScheduleStore.tenants")((after, limit) =>
      tenantsOf(sql`SELECT t.id, t.time_zone FROM tenant AS t WHERE t.id > ${after} ORDER BY t.id LIMIT ${limit}`)
    ),
    tenant: Effect.fn("ScheduleStore.tenant")((id) =>
      Effect.map(tenantsOf(sql`SELECT t.id, t.time_zone FROM tenant AS t WHERE t.id = ${id}`), ([found]) => found)
    ),
    start: (...of) => atomically(() => start(...of)),
    backlog: Effect.fn("ScheduleStore.backlog")(function* (plan, due, most) {
      const [running] = yield* reads.running(plan, most)
      const [open] = yield* sql<{ readonly count: unknown }>`SELECT count(*) AS count FROM (
        SELECT 1 AS one FROM credential AS r WHERE ${reads.isDue(plan, due)} LIMIT ${most}) AS o`
      return { due: Number(open?.count ?? 0), running: Number(running?.count ?? 0) }
    }, Effect.orDie)
  })
})

export const layer = Layer.effect(ScheduleStore, make)
