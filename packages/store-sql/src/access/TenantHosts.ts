import { HostTaken } from "@wcs/domain/access/AccessStore"
import type { HostChange, Tenant } from "@wcs/domain/access/Tenant"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { Option, Result } from "effect"
import type { SqlClient } from "effect/sql"
import type { RecordsWriter } from "../audit/RecordsWriter.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"

interface HostRow {
  readonly host: string
  readonly ordinal: unknown
}

/** Changes the hosts of a tenant, whose row is locked meanwhile. */
export const makeChangeHosts = (sql: SqlClient.SqlClient, records: RecordsWriter) => {
  const { forUpdate } = dialectOf(sql)

  return function* <E>(
    tenantId: string,
    decide: HostChange<E>,
    entry: AuditEntry
  ): Script<Result.Result<Option.Option<Tenant>, HostTaken | E>> {
    const [tenant] = yield* rows(
      sql<Pick<Tenant, "id" | "name">>`SELECT t.id, t.name FROM tenant AS t WHERE t.id = ${tenantId}${forUpdate}`
    )
    if (tenant === undefined) return Result.succeed(Option.none())
    const stored = yield* rows(
      sql<HostRow>`SELECT h.host, h.ordinal FROM tenant_host AS h WHERE h.tenant_id = ${tenantId} ORDER BY h.ordinal`
    )
    const before = stored.map(({ host }) => host)
    const decided = decide(before)
    if (Result.isFailure(decided)) return Result.fail(decided.failure)
    const hosts = decided.success
    const added = hosts.filter((host) => !before.includes(host))
    const removed = before.filter((host) => !hosts.includes(host))
    const changed = Result.succeed(Option.some<Tenant>({ ...tenant, hosts }))
    if (added.length + removed.length === 0) return changed
    for (const host of removed) {
      yield* changes(sql`DELETE FROM tenant_host WHERE tenant_id = ${tenantId} AND host = ${host}`)
    }
    const last = Math.max(-1, ...stored.map(({ ordinal }) => Number(ordinal)))
    for (const [index, host] of added.entries()) {
      const row = { host, tenant_id: tenantId, ordinal: last + 1 + index }
      const inserted = yield* changes(sql`INSERT INTO tenant_host ${sql.insert(row)} ON CONFLICT (host) DO NOTHING`)
      if (inserted === 0) return Result.fail(new HostTaken({ host }))
    }
    yield* records.audit(tenantId, [entry])
    return changed
  }
}
