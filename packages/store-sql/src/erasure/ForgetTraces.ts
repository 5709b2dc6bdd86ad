import type { OwnerReference } from "@wcs/domain/ownership/Ownership"
import { Result } from "effect"
import type { SqlClient } from "effect/sql"
import { makeExchanges } from "../delivery/ExchangeRows.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"

// What other rows still tell of a person. Each call erases some, and returns whether or where more is left.

/** Empties versions that a later one has replaced, from when the person owned the resource. */
export const makeForgetVersions = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const owned = {
    worker: sql.literal("x.worker_id <> '' AND x.worker_id"),
    applicant: sql.literal("x.applicant_id <> '' AND x.worker_id = '' AND x.applicant_id")
  }
  return function* (tenantId: string, { id, type }: OwnerReference, limit: number): Script<Result.Result<boolean>> {
    const emptied = yield* changes(sql`UPDATE resource_version SET document = '' WHERE tenant_id = ${tenantId}
      AND ${dialect.rowPlace} IN (
        SELECT x.${dialect.rowPlace} FROM resource_version AS x${dialect.indexedBy(`resource_version_of_${type}`)}
        WHERE x.tenant_id = ${tenantId} AND ${owned[type]} = ${id} AND x.document <> '' AND EXISTS (
          SELECT 1 FROM resource_version AS n WHERE n.tenant_id = ${tenantId} AND n.kind = x.kind AND n.id = x.id
          AND n.version > x.version)
        LIMIT ${limit})`)
    return Result.succeed(emptied === limit)
  }
}

/** Deletes messages to a person, with what is due of them. */
export const makeForgetMessages = (sql: SqlClient.SqlClient) =>
  function* (tenantId: string, { id }: OwnerReference, limit: number): Script<Result.Result<boolean>> {
    const found = yield* rows(sql<{ readonly id: string }>`SELECT r.id FROM message AS r
      WHERE r.tenant_id = ${tenantId} AND r.recipient_id = ${id} LIMIT ${limit}`)
    const ids = found.map((row) => row.id)
    if (ids.length === 0) return Result.succeed(false)
    yield* changes(sql`DELETE FROM message_queue WHERE tenant_id = ${tenantId} AND ${sql.in("id", ids)}`)
    yield* changes(sql`DELETE FROM message WHERE tenant_id = ${tenantId} AND ${sql.in("id", ids)}`)
    return Result.succeed(ids.length === limit)
  }

/** Deletes what receivers answered about these subjects. The deliveries keep no later answers. */
export const makeForgetAnswers = (sql: SqlClient.SqlClient) => {
  const exchanges = makeExchanges(sql)
  return function* (
    tenantId: string,
    subjects: ReadonlySet<string>,
    after: number,
    limit: number
  ): Script<Result.Result<number | null>> {
    const found = yield* rows(sql<{ readonly position: unknown; readonly id: string; readonly subject_id: string }>`
      SELECT e.position, e.id, e.subject_id FROM event AS e
      WHERE e.tenant_id = ${tenantId} AND e.position > ${after} ORDER BY e.position LIMIT ${limit}`)
    const events = found.filter(({ subject_id }) => subjects.has(subject_id))
    const about = events.map(({ id }) => id)
    if (about.length > 0) {
      // Those that are not sent yet get their deliveries later.
      const positions = events.map(({ position }) => Number(position))
      yield* changes(sql`UPDATE event SET keeps_answers = 0
        WHERE tenant_id = ${tenantId} AND ${sql.in("position", positions)} AND state <> 'sent' AND keeps_answers = 1`)
      const deliveries = yield* rows(sql<{ readonly tenant_id: string; readonly id: string }>`UPDATE delivery
        SET last_response = NULL, keeps_answers = 0 WHERE tenant_id = ${tenantId} AND ${sql.in("event_id", about)}
        AND (keeps_answers = 1 OR last_response IS NOT NULL) RETURNING tenant_id, id`)
      yield* exchanges.remove(deliveries)
    }
    const last = found.at(-1)
    return Result.succeed(last === undefined || found.length < limit ? null : Number(last.position))
  }
}
