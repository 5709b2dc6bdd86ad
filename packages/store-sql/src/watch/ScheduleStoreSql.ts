import { Credential } from "@wcs/domain/holding/Credential"
import { ownersIn } from "@wcs/domain/ownership/Ownership"
import { defaultTimeZone } from "@wcs/domain/shared/CalendarDay"
import { VerificationSource } from "@wcs/domain/verification/VerificationSource"
import { type ScheduledSource, ScheduleStore } from "@wcs/domain/watch/ScheduleStore"
import { Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import type { AccessEpoch } from "../access/AccessEpoch.ts"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { type ResourceRow, tableOf } from "../resource/ResourceTable.ts"
import { makeReadOwners } from "./OwnerRows.ts"

interface StandRow {
  readonly turn: unknown
  readonly last_id: string | null
}

type SourceRow = ResourceRow & StandRow & { readonly tenant_id: string; readonly time_zone: string | null }

type Start = ScheduleStore["Service"]["start"]

const standOf = ({ last_id, turn }: StandRow): ScheduledSource["stand"] =>
  last_id === null ? null : { turn: Number(turn), last: last_id }

const makeStart = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const records = makeRecordsWriter(sql)
  const readOwners = makeReadOwners(sql)
  const table = tableOf(Credential)

  /** Whether the schedule stands as expected. Others that ask wait until this transaction ends. */
  function* stands({ source, stand, tenantId }: ScheduledSource): Script<boolean> {
    const lock = dialect.lockTenant("schedule", tenantId)
    if (lock !== undefined) yield* rows(lock)
    const [row] = yield* rows(sql<StandRow>`SELECT s.turn, s.last_id FROM schedule AS s
      WHERE s.tenant_id = ${tenantId} AND s.source_id = ${source.id}`)
    const stored = row === undefined ? null : standOf(row)
    return stored?.turn === stand?.turn && stored?.last === stand?.last
  }

  return function* (
    ...[scheduled, due, { limit, startsMax }, decide]: Parameters<Start>
  ): Script<Result.Result<Effect.Success<ReturnType<Start>>>> {
    const { source, tenantId } = scheduled
    if (!(yield* stands(scheduled))) return Result.succeed(undefined)
    const before = due.before === undefined ? sql`` : sql` AND r.id < ${due.before}`
    const found = yield* rows(sql<ResourceRow & { readonly is_open: unknown }>`SELECT ${sql.literal(table.selected)},
      EXISTS (SELECT 1 FROM verification_run AS v WHERE v.tenant_id = r.tenant_id AND v.credential_id = r.id) AS is_open
      FROM credential AS r WHERE r.tenant_id = ${tenantId} AND r.id > ${due.stand.last}${before}
      ORDER BY r.id LIMIT ${limit}`)
    const cards = found.map((row) => ({ credential: table.decode(row), isOpen: Boolean(row.is_open) }))
    const people = yield* readOwners(
      tenantId,
      cards.map(({ credential }) => credential)
    )
    const verifications = []
    let last: string | undefined
    for (const { credential, isOpen } of cards) {
      if (verifications.length >= startsMax) break
      last = credential.id
      const held = ownersIn(credential.fields.attributes.owners).flatMap(({ id }) => people.get(id) ?? [])
      const verification = isOpen ? undefined : decide(credential, held)
      if (verification !== undefined) verifications.push(verification)
    }
    const isBehind = cards.length === limit || last !== cards.at(-1)?.credential.id
    yield* records.all(tenantId, { audit: [], events: [], verifications }, () => 0, null)
    const { last: last_id, turn } = isBehind ? { ...due.stand, last: last ?? due.stand.last } : due.end
    yield* changes(sql`INSERT INTO schedule ${sql.insert({ tenant_id: tenantId, source_id: source.id, turn, last_id })}
      ON CONFLICT (tenant_id, source_id) DO UPDATE SET turn = excluded.turn, last_id = excluded.last_id`)
    return Result.succeed({ started: verifications.length, isBehind: isBehind || due.before === undefined })
  }
}

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const start = makeStart(sql)
  const table = tableOf(VerificationSource)

  return ScheduleStore.of({
    sources: Effect.fn("ScheduleStore.sources")(({ sourceId, tenantId }, limit) =>
      sql<SourceRow>`SELECT r.tenant_id, ${sql.literal(table.selected)}, s.turn, s.last_id,
        (SELECT t.time_zone FROM tenant AS t WHERE t.id = r.tenant_id) AS time_zone
        FROM ${sql.literal(table.name)} AS r
        LEFT JOIN schedule AS s ON s.tenant_id = r.tenant_id AND s.source_id = r.id
        WHERE (r.tenant_id, r.id) > (${tenantId}, ${sourceId}) AND r.deleted_at IS NULL
        AND NOT EXISTS (SELECT 1 FROM ${sql.literal(table.name)} AS o WHERE o.tenant_id = r.tenant_id
          AND o.credential_type = r.credential_type AND o.deleted_at IS NULL
          AND (o.created_at, o.id) < (r.created_at, r.id))
        ORDER BY r.tenant_id, r.id LIMIT ${limit}`.pipe(
        Effect.orDie,
        Effect.map((found) =>
          found.map((row) => ({
            tenantId: row.tenant_id,
            timeZone: row.time_zone ?? defaultTimeZone,
            source: table.decode(row),
            stand: standOf(row)
          }))
        )
      )
    ),
    start: (...of) => atomically(() => start(...of))
  })
})

export const layer: Layer.Layer<ScheduleStore, never, SqlClient.SqlClient | AccessEpoch> = Layer.effect(
  ScheduleStore,
  make
)
