import type { HoldingsOf } from "@wcs/domain/crud/ResourceStore"
import { Credential } from "@wcs/domain/holding/Credential"
import { Exemption } from "@wcs/domain/holding/Exemption"
import { decidedLimit, decidedLimitOfType, type Holdings } from "@wcs/domain/holding/Holdings"
import { type OwnerReference, type OwnerType, perOwner } from "@wcs/domain/ownership/Ownership"
import { ownerColumns } from "@wcs/domain/people/Owner"
import type { Resource } from "@wcs/domain/resource/Resource"
import { Effect } from "effect"
import { SqlClient, type SqlError, type Statement } from "effect/sql"
import { makeBoundedReads } from "../engine/BoundedReads.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"

/** Reads the newest credentials of each of some types that one person holds. `lock` ends the SELECT. */
const makeHeldOfTypes = (sql: SqlClient.SqlClient, lock: Statement.Fragment) => {
  const dialect = dialectOf(sql)
  const table = tableOf(Credential)
  const heldBy = (person: string) =>
    keep<{ tenantId: string; id: string; types: string; limit: number }, ResourceRow>(sql, (at) => {
      const column = sql.literal(`x.${person}`)
      const newest = (key: Statement.Fragment) => sql`SELECT x.${key}
        FROM credential AS x${dialect.indexedBy(`credential_held_by_${person}`)}
        WHERE x.tenant_id = ${at("tenantId")} AND ${column} = ${at("id")} AND x.credential_type = value
        AND x.deleted_at IS NULL AND ${column} <> '' ORDER BY x.created_at DESC, x.id DESC LIMIT ${at("limit")}`
      return sql`SELECT ${sql.literal(table.selected)} FROM ${dialect.texts(at("types"))}
        ${dialect.joinEachDocument(table.name, "r", sql`${at("tenantId")}`, newest)}${lock}`
    })
  const held = perOwner((type) => heldBy(ownerColumns[type]))
  return function* (
    tenantId: string,
    { id, type }: OwnerReference,
    types: ReadonlyArray<string>
  ): Script<Holdings["credentials"]> {
    if (types.length === 0) return []
    const limit = decidedLimitOfType(types.length)
    return (yield* rows(held[type]({ tenantId, id, types: JSON.stringify(types), limit }))).map(table.decode)
  }
}

/** Reads the newest exemptions that one person holds. `lock` ends the SELECT. */
const makeHeldExemptions = (sql: SqlClient.SqlClient, lock: Statement.Fragment) => {
  const dialect = dialectOf(sql)
  const table = tableOf(Exemption)
  const heldBy = (column: string) =>
    keep<{ tenantId: string; id: string }, ResourceRow>(
      sql,
      (at) => sql`SELECT ${sql.literal(table.selected)}
        FROM exemption AS r${dialect.indexedBy(`exemption_of_${column}`)}
        WHERE r.tenant_id = ${at("tenantId")} AND r.${sql.literal(column)} = ${at("id")} AND r.deleted_at IS NULL
        ORDER BY r.created_at DESC, r.id DESC LIMIT ${decidedLimit}${lock}`
    )
  const held = perOwner((type) => heldBy(ownerColumns[type]))
  return function* (tenantId: string, { id, type }: OwnerReference): Script<Holdings["exemptions"]> {
    return (yield* rows(held[type]({ tenantId, id }))).map(table.decode)
  }
}

/** A row with the person who holds it. */
interface HeldRow extends ResourceRow {
  readonly holder: string
}

/** Reads the rows of each person on an engine that plans with statistics: one statement. */
const makePlannedHeld =
  (sql: SqlClient.SqlClient) =>
  (resource: Resource, tenantId: string, people: ReadonlyArray<string>, limit: number, by: OwnerType) => {
    const table = tableOf(resource)
    const column = sql.literal(`r.${ownerColumns[by]}`)
    const selects = people.map(
      (person) => sql`SELECT * FROM (SELECT ${sql.literal(table.selected)}, ${column} AS holder
        FROM ${sql.literal(table.name)} AS r WHERE r.tenant_id = ${tenantId} AND ${column} = ${person}
        AND r.deleted_at IS NULL ORDER BY r.created_at, r.id LIMIT ${limit}) AS held`
    )
    return Effect.map(sql<HeldRow>`${sql.join(" UNION ALL ", false)(selects)}`, (found) =>
      Map.groupBy(found, ({ holder }) => holder)
    )
  }

/** Reads the rows of each person on an engine in this process, in bounded statements. */
const makeBoundedHeld = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const { read } = yield* makeBoundedReads
  return Effect.fnUntraced(function* (
    resource: Resource,
    tenantId: string,
    people: ReadonlyArray<string>,
    limit: number,
    by: OwnerType
  ): Effect.fn.Return<ReadonlyMap<string, ReadonlyArray<ResourceRow>>, SqlError.SqlError> {
    const { columns, name } = tableOf(resource)
    const held = new Map<string, ReadonlyArray<ResourceRow>>()
    const column = ownerColumns[by]
    for (const person of people) {
      const range = {
        table: name,
        index: `${name}_of_${column}`,
        fixed: [sql`r.tenant_id = ${tenantId}`, sql`r.${sql.literal(column)} = ${person}`],
        lower: [],
        upper: [],
        keys: ["created_at", "id"],
        direction: "asc",
        tests: [sql`r.deleted_at IS NULL`]
      } as const
      const rows = yield* read(range, columns, { after: undefined, offset: 0, limit })
      if (rows.length > 0) held.set(person, rows as ReadonlyArray<ResourceRow>)
    }
    return held
  })
})

/**
 * Reads the oldest rows that each of some people holds. Each of them has a SELECT in index order: a limit per person in
 * one SELECT would read all their rows.
 */
export const makeHeldByEach = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const read = dialectOf(sql).blocks ? yield* makeBoundedHeld : makePlannedHeld(sql)
  return (resource: Resource, tenantId: string, people: ReadonlyArray<string>, limit: number, by: OwnerType) =>
    people.length === 0
      ? Effect.succeed(new Map<string, never>())
      : read(resource, tenantId, [...new Set(people)], limit, by)
})

/** Creates the reader of a person's holdings. */
export const makeHoldings = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)
  const readWith = (lock: Statement.Fragment) => ({
    credentials: makeHeldOfTypes(sql, lock),
    exemptions: makeHeldExemptions(sql, lock)
  })
  const [unlocked, locked] = [readWith(sql.literal("")), readWith(dialect.forShare)]

  return {
    /** Locks the person's row. This blocks new holdings: a change that adds one needs a share lock on that row. */
    lock: function* (tenantId: string, { isLocked, person }: HoldingsOf): Script<void> {
      const renewal = isLocked ? dialect.renew(person.type, tenantId, person.id) : undefined
      if (renewal !== undefined) yield* changes(renewal)
    },

    /** Reads the holdings. If they are locked, their rows do not change until the transaction ends. */
    read: function* (
      tenantId: string,
      { isLocked, person }: Pick<HoldingsOf, "isLocked" | "person">,
      credentialTypes: ReadonlyArray<string>
    ): Script<Holdings> {
      const read = isLocked ? locked : unlocked
      return {
        credentials: yield* read.credentials(tenantId, person, credentialTypes),
        exemptions: yield* read.exemptions(tenantId, person)
      }
    }
  }
}
