import type { HostChange, Tenant } from "@wcs/domain/access/Tenant"
import type { AuditEntry } from "@wcs/domain/audit/AuditEntry"
import { HostTaken } from "@wcs/domain/token/AccessStore"
import { Option, Result } from "effect"
import type { SqlClient } from "effect/sql"
import type { RecordsWriter } from "../audit/RecordsWriter.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { type TenantHostRow, tenantColumns, tenantOf } from "./AccessRows.ts"

interface HostRow {
  readonly host: string
  readonly ordinal: unknown
}

/** Changes a tenant, whose row is locked meanwhile. */
export const makeTenantChanges = (sql: SqlClient.SqlClient, records: RecordsWriter) => {
  const { forUpdate } = dialectOf(sql)

  /** The tenant, and its hosts with their ordinals. */
  function* locked(
    tenantId: string
  ): Script<{ readonly tenant: Tenant | undefined; readonly stored: ReadonlyArray<HostRow> }> {
    const [row] = yield* rows(
      sql<Omit<TenantHostRow, "host">>`SELECT ${sql.literal(tenantColumns)} FROM tenant AS t
        WHERE t.id = ${tenantId}${forUpdate}`
    )
    if (row === undefined) return { tenant: undefined, stored: [] }
    const stored = yield* rows(
      sql<HostRow>`SELECT h.host, h.ordinal FROM tenant_host AS h WHERE h.tenant_id = ${tenantId} ORDER BY h.ordinal`
    )
    return { tenant: { ...tenantOf(row), hosts: stored.map(({ host }) => host) }, stored }
  }

  function* changeHosts<E>(
    tenantId: string,
    decide: HostChange<E>,
    entry: AuditEntry
  ): Script<Result.Result<Option.Option<Tenant>, HostTaken | E>> {
    const { stored, tenant } = yield* locked(tenantId)
    if (tenant === undefined) return Result.succeed(Option.none())
    const before = tenant.hosts
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

  function* setTimeZone(
    tenantId: string,
    timeZone: string,
    entry: AuditEntry
  ): Script<Result.Result<Option.Option<Tenant>>> {
    const { tenant } = yield* locked(tenantId)
    if (tenant === undefined) return Result.succeed(Option.none())
    if (tenant.timeZone === timeZone) return Result.succeed(Option.some(tenant))
    yield* changes(sql`UPDATE tenant SET time_zone = ${timeZone} WHERE id = ${tenantId}`)
    yield* records.audit(tenantId, [entry])
    return Result.succeed(Option.some({ ...tenant, timeZone }))
  }

  function* setRetention(
    tenantId: string,
    years: number | undefined,
    entry: AuditEntry
  ): Script<Result.Result<Option.Option<Tenant>>> {
    const { tenant } = yield* locked(tenantId)
    if (tenant === undefined) return Result.succeed(Option.none())
    if (tenant.retentionYears === years) return Result.succeed(Option.some(tenant))
    yield* changes(sql`UPDATE tenant SET retention_years = ${years ?? null} WHERE id = ${tenantId}`)
    yield* records.audit(tenantId, [entry])
    const { retentionYears: _, ...others } = tenant
    return Result.succeed(Option.some(years === undefined ? others : { ...others, retentionYears: years }))
  }

  function* setSecondFactorFrom<E>(
    tenantId: string,
    from: string | undefined,
    entry: AuditEntry,
    judge: (tenant: Tenant) => Result.Result<void, E>
  ): Script<Result.Result<Option.Option<Tenant>, E>> {
    const { tenant } = yield* locked(tenantId)
    if (tenant === undefined) return Result.succeed(Option.none())
    if (tenant.secondFactorFrom === from) return Result.succeed(Option.some(tenant))
    const judged = judge(tenant)
    if (Result.isFailure(judged)) return Result.fail(judged.failure)
    yield* changes(sql`UPDATE tenant SET second_factor_from = ${from ?? null} WHERE id = ${tenantId}`)
    yield* records.audit(tenantId, [entry])
    const { secondFactorFrom: _, ...others } = tenant
    return Result.succeed(Option.some(from === undefined ? others : { ...others, secondFactorFrom: from }))
  }

  return { changeHosts, setRetention, setSecondFactorFrom, setTimeZone }
}
