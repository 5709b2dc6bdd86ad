import type { Basis, Change, HoldingsOf, Reference } from "@wcs/domain/crud/ResourceStore"
import { noHoldings } from "@wcs/domain/holding/Holdings"
import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Option, Result } from "effect"
import type { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeHealthChange } from "../delivery/Receivers.ts"
import { LostRace } from "../engine/Atomic.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { rows, type Script } from "../engine/Script.ts"
import { makeMarkImported } from "../import/ImportRows.ts"
import { makeCountOpen } from "../verification/VerificationRows.ts"
import { makeHoldings } from "./HoldingsRows.ts"
import { makeRead, makeWrite, storedOf } from "./ResourceRows.ts"

/** Creates `ResourceStore.change` within a transaction. */
export const makeChange = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const records = makeRecordsWriter(sql)
  const readForUpdate = makeRead(sql, dialect.forUpdate)
  const readForShare = makeRead(sql, dialect.forShare)
  const holdings = makeHoldings(sql)
  const write = makeWrite(sql)
  const countOpen = makeCountOpen(sql)
  const changeHealth = makeHealthChange(sql)
  const markImported = makeMarkImported(sql)

  /** Counts a tenant's rows. Other transactions that add one wait. */
  function* countOf({ type: table }: Resource, tenantId: string, most: number): Script<number> {
    const lock = dialect.lockTenant(table, tenantId)
    if (lock !== undefined) yield* rows(lock)
    const [counted] = yield* rows(sql<{ readonly others: unknown }>`SELECT count(*) AS others FROM (
      SELECT 1 FROM ${sql.literal(table)} AS r${dialect.indexedBy(`${table}_living`)}
      WHERE r.tenant_id = ${tenantId} AND r.deleted_at IS NULL LIMIT ${most}
    ) AS o`)
    return Number(counted?.others)
  }

  return function* <Fields extends JsonObject, E, Decided extends Change<Fields>>(
    resource: Resource<Fields>,
    tenantId: string,
    id: string,
    references: ReadonlyArray<Reference>,
    decide: (basis: Basis<Fields>) => Result.Result<Decided, E>,
    traceparent: string | null,
    holdingsOf: (current: Option.Option<Stored<Fields>>) => HoldingsOf | undefined = () => undefined
  ): Script<Result.Result<Decided, E | LostRace>> {
    const current = storedOf(resource)(yield* rows(readForUpdate(resource, tenantId, id)))
    const whose = holdingsOf(current)
    // The lock of the person's row comes before the references, which take a share lock on that row: if two
    // transactions had the share lock, neither could lock the row.
    if (whose !== undefined) yield* holdings.lock(tenantId, whose)
    const { most } = resource
    const others = most === undefined || Option.isSome(current) ? 0 : yield* countOf(resource, tenantId, most)
    const found: Array<Option.Option<Stored>> = []
    for (const reference of references) {
      found.push(storedOf(reference.resource)(yield* rows(readForShare(reference.resource, tenantId, reference.id))))
    }
    const held = whose === undefined ? noHoldings : yield* holdings.read(tenantId, whose, whose.credentialTypes(found))
    const openCount = resource.verified === true && Option.isSome(current) ? yield* countOpen(tenantId, id) : 0
    const decision = decide({ current, holdings: held, references: found, others, openCount })
    if (Result.isFailure(decision) || decision.success._tag === "Unchanged") return decision
    const { health, next, subscribesTo, records: entries } = decision.success
    const version = Option.match(current, { onNone: () => 0, onSome: (before) => before.version })
    if (next.version !== version + 1) {
      throw new Error(`${next.id} has version ${next.version}, expected ${version + 1}`)
    }
    if (!(yield* write(resource, tenantId, current, next))) return Result.fail(new LostRace())
    const { imported } = entries
    if (imported !== undefined && !(yield* markImported(tenantId, imported))) return Result.fail(new LostRace())
    if (subscribesTo !== undefined) yield* records.subscription(tenantId, next.id, subscribesTo)
    if (health !== undefined) yield* changeHealth({ tenantId, webhookId: next.id }, health)
    yield* records.all(tenantId, entries, () => next.version, traceparent)
    return decision
  }
}
