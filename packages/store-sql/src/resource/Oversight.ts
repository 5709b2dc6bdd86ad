import { accountIdOf } from "@wcs/domain/access/Account"
import { Caller } from "@wcs/domain/access/Caller"
import { ownerTypes } from "@wcs/domain/ownership/Ownership"
import { belongings } from "@wcs/domain/people/Oversight"
import { ownerColumns } from "@wcs/domain/people/Owner"
import type { Resource } from "@wcs/domain/resource/Resource"
import { Context, Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import type { Dialect } from "../engine/Dialect.ts"
import type { Text } from "../engine/Query.ts"

// The one place that says in SQL what `mayOversee` says. Reads and writes for a caller who is limited to units have this
// test on their rows. It reads the limits and the units as they are stored then, so a change of them counts at once.

/** The account of a caller who is limited to units; undefined if the fiber has none. */
export const limitedAccountOf = (context: Context.Context<never>): string | undefined => {
  const caller = Context.getOrUndefined(context, Caller)
  return caller?.limitedTo === undefined ? undefined : accountIdOf(caller.account)
}

/** Passes the limited account of the fiber, or undefined. */
export const withOverseer = <A, E, R>(
  use: (account: string | undefined) => Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => Effect.withFiber((fiber) => use(limitedAccountOf(fiber.context)))

/**
 * The units from which a test starts: those of a limited account, or one that a filter names; undefined for people without
 * one. With both, a person is in both: a limited account must not learn from a filter where a hidden owner is.
 */
export type Roots =
  | { readonly account: Text }
  | { readonly unit: string | undefined; readonly account?: Text | undefined }

export const makeOversight = (sql: SqlClient.SqlClient, dialect: Dialect) => {
  const name = (text: string) => sql.literal(text)

  const named = (tenantId: Text, unit: string) =>
    sql`SELECT u.id FROM unit AS u WHERE u.tenant_id = ${tenantId} AND u.id = ${unit} AND u.deleted_at IS NULL`

  const limits = (tenantId: Text, account: Text) =>
    sql`SELECT u.id FROM account AS a ${dialect.textsIn("a.role", "units")} CROSS JOIN unit AS u
      WHERE a.tenant_id = ${tenantId} AND a.id = ${account}
      AND u.tenant_id = ${tenantId} AND u.id = value AND u.deleted_at IS NULL`

  /** The ids of units and of all units below them. Deleted units have nobody. */
  const under = (tenantId: Text, roots: Statement.Fragment) => sql`WITH RECURSIVE under (id) AS (
      ${roots}
      UNION SELECT u.id FROM under CROSS JOIN unit AS u${dialect.indexedBy("unit_of_parent_id")}
        WHERE u.tenant_id = ${tenantId} AND u.parent_id = under.id AND u.deleted_at IS NULL
    ) SELECT id FROM under`

  /** The ids of the units of a test. People without a unit have '' in its place. */
  const units = (tenantId: Text, from: Roots): Statement.Fragment => {
    if (!("unit" in from)) return under(tenantId, limits(tenantId, from.account))
    const { account, unit } = from
    const asked = unit === undefined ? sql`SELECT '' AS id` : under(tenantId, named(tenantId, unit))
    return account === undefined
      ? asked
      : sql`SELECT id FROM (${asked}) AS asked INTERSECT SELECT id FROM (${units(tenantId, { account })}) AS own`
  }

  const isIn = (column: string, tenantId: Text, from: Roots) => dialect.isAmongRows(column, units(tenantId, from))

  /** Whether a person of this type, with the id in the column, is reached. */
  const reaches = (type: keyof typeof ownerColumns, column: string, tenantId: Text, from: Roots) =>
    sql`EXISTS (SELECT 1 FROM ${name(type)} AS p
      WHERE p.tenant_id = ${tenantId} AND p.id = ${name(column)} AND ${isIn("p.unit_id", tenantId, from)})`

  /** Tests a row, by default `r`. */
  const test = ({ type }: Pick<Resource, "type">, tenantId: Text, from: Roots, row = "r"): Statement.Fragment => {
    const belonging = belongings[type]
    switch (belonging._tag) {
      case "Person":
        return isIn(`${row}.unit_id`, tenantId, from)
      case "Held":
        return sql`(${sql.or(
          belonging.by.map((owner) => reaches(owner, `${row}.${ownerColumns[owner]}`, tenantId, from))
        )})`
      case "Unit":
        return isIn(`${row}.id`, tenantId, from)
      case "Nobody":
        return name("true")
    }
  }

  /** Tests a version `r` of `resource_version`, by the owners that it had. */
  const testVersion = (resource: Pick<Resource, "type">, tenantId: Text, from: Roots): Statement.Fragment =>
    belongings[resource.type]._tag === "Person"
      ? reaches("worker", "r.id", tenantId, from)
      : test(resource, tenantId, from)

  /** SELECTs of the locations of the rows, by indexes, `most` of each. */
  const places = (
    { type }: Pick<Resource, "type">,
    tenantId: Text,
    from: Roots,
    most: Statement.Fragment
  ): ReadonlyArray<Statement.Fragment> => {
    const belonging = belongings[type]
    const place = sql`r.${dialect.rowPlace} AS place`
    if (belonging._tag === "Person") {
      return [
        sql`SELECT ${place} FROM ${name(type)} AS r${dialect.indexedBy(`${type}_of_unit_id`)}
          WHERE r.tenant_id = ${tenantId} AND ${isIn("r.unit_id", tenantId, from)}${most}`
      ]
    }
    if (belonging._tag !== "Held") return []
    return belonging.by.map(
      (owner) => sql`SELECT ${place} FROM ${name(owner)} AS p${dialect.indexedBy(`${owner}_of_unit_id`)}
        CROSS JOIN ${name(type)} AS r${dialect.indexedBy(`${type}_of_${ownerColumns[owner]}`)}
        WHERE p.tenant_id = ${tenantId} AND ${isIn("p.unit_id", tenantId, from)}
        AND r.tenant_id = ${tenantId} AND r.${name(ownerColumns[owner])} = p.id${most}`
    )
  }

  /**
   * The same on an engine that plans by statistics, at most `most` of each unit and of each person. Statistics take each unit
   * for a large part of all people, and would read every row. A subquery with a limit is planned by itself, as a lookup.
   */
  const lookups = (
    { type }: Pick<Resource, "type">,
    tenantId: Text,
    from: Roots,
    most: number
  ): ReadonlyArray<Statement.Fragment> => {
    const people = (of: string, column: Statement.Fragment) => sql`(${units(tenantId, from)}) AS u
      CROSS JOIN LATERAL (SELECT p.${column} AS found FROM ${name(of)} AS p
        WHERE p.tenant_id = ${tenantId} AND p.unit_id = u.id ORDER BY p.created_at, p.id LIMIT ${most}) AS f`
    const belonging = belongings[type]
    if (belonging._tag === "Person") return [sql`SELECT f.found AS place FROM ${people(type, dialect.rowPlace)}`]
    if (belonging._tag !== "Held") return []
    return belonging.by.map(
      (owner) => sql`SELECT h.place FROM ${people(owner, name("id"))}
        CROSS JOIN LATERAL (SELECT r.${dialect.rowPlace} AS place FROM ${name(type)} AS r
          WHERE r.tenant_id = ${tenantId} AND r.${name(ownerColumns[owner])} = f.found LIMIT ${most}) AS h`
    )
  }

  /** The ids of those people and units, of any type, that are reached, as `id`. */
  const reached = (tenantId: Text, ids: Text, from: Roots) => {
    const among = (type: string, unit: string) => sql`SELECT p.id FROM ${name(type)} AS p
      WHERE p.tenant_id = ${tenantId} AND ${dialect.isAmong("p.id", ids)} AND ${isIn(unit, tenantId, from)}`
    const people = ownerTypes.map((type) => among(type, "p.unit_id"))
    return sql<{ readonly id: string }>`${sql.join(" UNION ALL ", false)([...people, among("unit", "p.id")])}`
  }

  return { isIn, lookups, places, reached, reaches, test, testVersion }
}
