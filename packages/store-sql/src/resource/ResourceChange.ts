import type { Basis, Change, HoldingsOf, Reference } from "@wcs/domain/crud/ResourceStore"
import { noHoldings } from "@wcs/domain/holding/Holdings"
import { ownerTypes } from "@wcs/domain/ownership/Ownership"
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
import { makeVeil } from "./Veil.ts"

const noTree: Basis<never>["tree"] = new Map()

/** Creates `ResourceStore.change` within a transaction. `account`: the limited account of the caller, if it is limited. */
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
  const veil = makeVeil(sql)

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

  /** Reads a tree. Other transactions that change it wait. */
  function* treeOf({ type: table }: Resource, parent: string, tenantId: string): Script<Basis<never>["tree"]> {
    const lock = dialect.lockTenant(table, tenantId)
    if (lock !== undefined) yield* rows(lock)
    const found = yield* rows(sql<{ readonly id: string; readonly parent: string }>`SELECT r.id,
      r.${sql.literal(parent)} AS parent FROM ${sql.literal(table)} AS r
      WHERE r.tenant_id = ${tenantId} AND r.deleted_at IS NULL`)
    return new Map(found.map((row) => [row.id, row.parent === "" ? null : row.parent]))
  }

  /** Whether a person has this unit. Links to a row that this transaction has locked wait. */
  function* isLinked(tenantId: string, unit: string): Script<boolean> {
    const linked = ownerTypes.map(
      (type) => sql`SELECT 1 FROM ${sql.literal(type)} AS p${dialect.indexedBy(`${type}_of_unit_id`)}
        WHERE p.tenant_id = ${tenantId} AND p.unit_id = ${unit} AND p.deleted_at IS NULL`
    )
    const [found] = yield* rows(sql<{ readonly is_linked: unknown }>`SELECT
      ${sql.or(linked.map((some) => sql`EXISTS (${some})`))} AS is_linked`)
    return Boolean(found?.is_linked)
  }

  return function* <Fields extends JsonObject, E, Decided extends Change<Fields>>(
    resource: Resource<Fields>,
    tenantId: string,
    id: string,
    references: ReadonlyArray<Reference>,
    decide: (basis: Basis<Fields>) => Result.Result<Decided, E>,
    traceparent: string | null,
    holdingsOf: (current: Option.Option<Stored<Fields>>) => HoldingsOf | undefined = () => undefined,
    account?: string
  ): Script<Result.Result<Decided, E | LostRace>> {
    const tree = resource.tree === undefined ? noTree : yield* treeOf(resource, resource.tree, tenantId)
    const found = storedOf(resource)(yield* rows(readForUpdate(resource, tenantId, id, account)))
    const [veiled] = yield* veil.within(resource, tenantId, account, Option.toArray(found))
    const current = Option.fromUndefinedOr(veiled)
    const whose = holdingsOf(current)
    // The lock of the person's row comes before the references, which take a share lock on that row: if two
    // transactions had the share lock, neither could lock the row.
    if (whose !== undefined) yield* holdings.lock(tenantId, whose)
    const { most } = resource
    const others = most === undefined || Option.isSome(current) ? 0 : yield* countOf(resource, tenantId, most)
    const referred: Array<Option.Option<Stored>> = []
    for (const { id: other, resource: of } of references) {
      referred.push(storedOf(of)(yield* rows(readForShare(of, tenantId, other, account))))
    }
    const held =
      whose === undefined ? noHoldings : yield* holdings.read(tenantId, whose, whose.credentialTypes(referred))
    const openCount = resource.verified === true && Option.isSome(current) ? yield* countOpen(tenantId, id) : 0
    const hasPeople = resource.tree !== undefined && Option.isSome(current) && (yield* isLinked(tenantId, id))
    const basis = { current, holdings: held, references: referred, others, openCount, tree, hasPeople }
    const decision = decide(basis)
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
