import type { Found } from "@wcs/domain/crud/ResourceStore"
import { movesAddress } from "@wcs/domain/people/Address"
import { type Resource, type Stored, wordsOf } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { Effect, Option } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { type Dialect, dialectOf } from "../engine/Dialect.ts"
import type { Read } from "../engine/DirectRead.ts"
import { type At, keep, keepRead } from "../engine/Query.ts"
import { changes, type Script } from "../engine/Script.ts"
import { makeOversight } from "./Oversight.ts"
import { type ResourceRow, tableOf } from "./ResourceTable.ts"
import { makeWordsWriter, wordsIn, wordsOfNext } from "./SearchRows.ts"
import { makeWriteTold } from "./ToldVersions.ts"

interface ById {
  readonly tenantId: string
  readonly id: string
  /** The limited account of the caller; empty if there is none. */
  readonly account: string
}

/** Builds something once per definition. */
export const oncePerResource = <A>(build: (resource: Resource) => A): ((resource: Resource) => A) => {
  const kept = new WeakMap<Resource, A>()
  return (resource) => {
    const known = kept.get(resource) ?? build(resource)
    kept.set(resource, known)
    return known
  }
}

/** A statement for each resource: one for callers without a limit, and one that tests the limit of an account. */
export const forCallers = <A>(build: (resource: Resource, isLimited: boolean) => A) => {
  const [whole, limited] = [false, true].map((isLimited) => oncePerResource((resource) => build(resource, isLimited)))
  return (resource: Resource, account: string | undefined): A =>
    (account === undefined ? whole : limited)?.(resource) as A
}

/** The test of the limit of the caller's account, after other conditions. */
const makeLimit = (sql: SqlClient.SqlClient) => {
  const oversight = makeOversight(sql, dialectOf(sql))
  return (resource: Resource, isLimited: boolean, at: At<{ tenantId: string; account: string }>) =>
    isLimited ? sql` AND ${oversight.test(resource, at("tenantId"), { account: at("account") })}` : sql.literal("")
}

/** Selects columns of a resource by its id. `lock` ends the SELECT. */
const selectById =
  (sql: SqlClient.SqlClient, resource: Resource, isLimited: boolean, columns: string, lock: Statement.Fragment) =>
  (at: At<ById>) =>
    sql<ResourceRow>`SELECT ${sql.literal(columns)} FROM ${sql.literal(resource.type)} AS r
      WHERE r.tenant_id = ${at("tenantId")} AND r.id = ${at("id")}${makeLimit(sql)(resource, isLimited, at)}${lock}`

/**
 * Reads a resource by its id in a transaction. `lock` ends the SELECT. For a limited account, a row that it does not reach
 * is not there.
 */
export const makeRead = (sql: SqlClient.SqlClient, lock: Statement.Fragment) => {
  const queryOf = forCallers((resource, isLimited) =>
    keep<ById, ResourceRow>(sql, selectById(sql, resource, isLimited, tableOf(resource).selected, lock))
  )
  return (resource: Resource, tenantId: string, id: string, account?: string) =>
    queryOf(resource, account)({ tenantId, id, account: account ?? "" })
}

/** Finds a resource by its id outside transactions. */
export const makeFind = (sql: SqlClient.SqlClient, read: Read) => {
  const queryOf = forCallers((resource, isLimited) =>
    keepRead(read, selectById(sql, resource, isLimited, tableOf(resource).sought, sql.literal("")))
  )
  return <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    id: string,
    account: string | undefined
  ): Effect.Effect<Option.Option<Found<Fields>>> =>
    Effect.orDie(
      Effect.map(queryOf(resource, account)({ tenantId, id, account: account ?? "" }), ([values]) =>
        values === undefined ? Option.none() : Option.some(tableOf(resource).found(values))
      )
    )
}

/** Reads columns of resources by their ids. */
const makeReadByIds = <Row extends object>(
  sql: SqlClient.SqlClient,
  dialect: Dialect,
  selectedOf: (resource: Resource) => string
) => {
  const queryOf = forCallers((resource, isLimited) =>
    keep<{ tenantId: string; ids: string; account: string }, Row>(
      sql,
      (at) => sql`SELECT ${sql.literal(selectedOf(resource))} FROM ${sql.literal(tableOf(resource).name)} AS r
        WHERE r.tenant_id = ${at("tenantId")}
        AND ${dialect.isAmong("r.id", at("ids"))}${makeLimit(sql)(resource, isLimited, at)}`
    )
  )
  return (resource: Resource, tenantId: string, ids: ReadonlyArray<string>, account?: string) =>
    queryOf(resource, account)({ tenantId, ids: JSON.stringify(ids), account: account ?? "" })
}

/** Reads resources by their ids. */
export const makeReadAll = (sql: SqlClient.SqlClient, dialect: Dialect) =>
  makeReadByIds<ResourceRow>(sql, dialect, (resource) => tableOf(resource).selected)

/** Reads the versions of resources by their ids. */
export const makeReadVersions = (sql: SqlClient.SqlClient, dialect: Dialect) =>
  makeReadByIds<Pick<ResourceRow, "id" | "version">>(sql, dialect, () => "r.id, r.version")

/** Decodes the resource of a row. */
export const storedOf =
  <Fields extends JsonObject>(resource: Resource<Fields>) =>
  ([row]: ReadonlyArray<ResourceRow>): Option.Option<Stored<Fields>> =>
    row === undefined ? Option.none() : Option.some(tableOf(resource).decode(row))

/** Writes one row if unchanged since its read. Returns whether it was. */
export const makeWrite = (sql: SqlClient.SqlClient) => {
  const writeWords = makeWordsWriter(sql)
  const writeTold = makeWriteTold(sql)
  return function* <Fields extends JsonObject>(
    resource: Resource<Fields>,
    tenantId: string,
    current: Option.Option<Stored<Fields>>,
    next: Stored<Fields>
  ): Script<boolean> {
    const table = tableOf(resource)
    const columns: ReturnType<typeof table.updated> = Option.match(current, {
      onNone: () => table.inserted(tenantId, next),
      onSome: (before) => ({
        ...table.updated(before, next),
        ...(movesAddress(resource, before.fields, next.fields) ? { unreachable: null } : {})
      })
    })
    const sourceOf = (checksum: string | number | null | undefined) =>
      resource.searched === undefined || checksum === undefined
        ? sql.literal("")
        : sql`, ${wordsOfNext(sql, table.name, checksum)}`
    const statement = Option.match(current, {
      onNone: () =>
        sql`INSERT INTO ${sql.literal(table.name)} ${sql.insert(columns)} ON CONFLICT (tenant_id, id) DO NOTHING`,
      onSome: (before) =>
        sql`UPDATE ${sql.literal(table.name)} SET ${sql.update(columns)}${sourceOf(columns["checksum"])}
          WHERE tenant_id = ${tenantId} AND id = ${next.id} AND version = ${before.version}`
    })
    if ((yield* changes(statement)) === 0) return false
    yield* writeTold(resource, tenantId, Option.getOrUndefined(current), next)
    if (typeof columns["words"] === "string") {
      const before = Option.match(current, { onNone: () => [], onSome: ({ fields }) => wordsOf(resource, fields) })
      yield* writeWords(table.name, tenantId, next.id, before, wordsIn(columns["words"]))
    }
    return true
  }
}
