import { type Shape, shapeOf, type Use } from "./Tables.ts"

// Where a statement can run if the tables of tenants are distributed by `tenant_id`, by the published rules of Citus:
// https://docs.citusdata.com/en/stable/develop/reference_workarounds.html

/** The tables of tenants, which `citus.sql` distributes by `tenant_id`. All others are on the coordinator. */
export type Distributed = ReadonlySet<string>

/**
 * - `coordinator`: uses no table of tenants;
 * - `one tenant`: on the node of the tenant, where all SQL is supported;
 * - `all tenants`: on all nodes, since it is simple enough;
 * - `refused`: nowhere.
 */
export type Place = "coordinator" | "one tenant" | "all tenants" | "refused"

export interface Verdict {
  readonly place: Place
  /** Why it is refused; empty otherwise. */
  readonly reasons: ReadonlyArray<string>
}

const isReason = (reason: string | false): reason is string => reason !== false

const listed = (uses: ReadonlyArray<Use>) => [...new Set(uses.map(({ table }) => table))].sort().join(", ")

/**
 * The different tenants of tables. Two parameters are the same tenant if they have the same value. Without values they
 * are different.
 */
const tenantsOf = (uses: ReadonlyArray<Use>, params: ReadonlyArray<unknown> | undefined) =>
  new Set(
    uses.map(({ tenant = "" }) =>
      params !== undefined && tenant.startsWith("$") ? params[Number(tenant.slice(1)) - 1] : tenant
    )
  )

/** Whether a FROM joins tables of tenants other than by the tenant. */
const joinsOtherwise = (owned: ReadonlyArray<Use>): boolean =>
  [...Map.groupBy(owned, ({ level }) => level).values()].some(
    (uses) => new Set(uses.map(({ group }) => group)).size > 1
  )

const reasonsAgainstAll = (shape: Shape, owned: ReadonlyArray<Use>): ReadonlyArray<string | false> => {
  const { isCorrelated, isRecursive, locksRows, usesPlace, writes, writesFromList } = shape
  return [
    locksRows && "locks rows of all tenants",
    isRecursive && "WITH RECURSIVE over all tenants",
    isCorrelated && "a correlated subquery over all tenants",
    usesPlace && "ctid of rows of all tenants",
    writes && (writesFromList || owned.length > 1) && "a write of all tenants by a list or a subquery",
    joinsOtherwise(owned) && "a join other than by the tenant"
  ]
}

/** Judges a statement by what it does. `params` are the values of its parameters, if they are known. */
export const verdictOn = (
  shape: Shape,
  distributed: Distributed,
  params: ReadonlyArray<unknown> | undefined
): Verdict => {
  const owned = shape.uses.filter(({ table }) => distributed.has(table))
  if (owned.length === 0) return { place: "coordinator", reasons: [] }
  const apart = shape.uses.filter(({ table }) => !distributed.has(table))
  const isOfOne = owned.every(({ tenant }) => tenant !== undefined)
  const reasons = [
    shape.insertsSubquery && "a subquery in an INSERT",
    shape.insertsInWith && "an INSERT in a WITH",
    apart.length > 0 && `with tables of the coordinator: ${listed(apart)}`,
    isOfOne && tenantsOf(owned, params).size > 1 && "several tenants",
    ...(isOfOne ? [] : reasonsAgainstAll(shape, owned))
  ].filter(isReason)
  if (reasons.length > 0) return { place: "refused", reasons: [`${listed(owned)}: ${reasons.join("; ")}`] }
  return { place: isOfOne ? "one tenant" : "all tenants", reasons: [] }
}

/** Judges a statement by its text. */
export const verdictOf = (text: string, distributed: Distributed, params?: ReadonlyArray<unknown>): Verdict =>
  verdictOn(shapeOf(text), distributed, params)

const namesIn = (text: string): ReadonlyArray<string> => [...text.matchAll(/'(\w+)'/g)].map(([, name]) => String(name))

/** Reads the tables that `citus.sql` distributes. */
export const distributedIn = (sql: string): Distributed =>
  new Set([
    ...[...sql.matchAll(/create_distributed_table\(('\w+')/g)].flatMap(([, name]) => namesIn(String(name))),
    ...namesIn(/ARRAY\[([^\]]*)\]::regclass/.exec(sql)?.[1] ?? "")
  ])
