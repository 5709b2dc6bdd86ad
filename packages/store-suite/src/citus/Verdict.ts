import { type Shape, shapeOf, type Use } from "./Tables.ts"

// Where a statement can run if the tables of tenants are distributed by `tenant_id`, by the published rules of Citus:
// https://docs.citusdata.com/en/stable/develop/reference_workarounds.html

/** Where `citus.sql` places tables. All others are on the coordinator. */
export interface Places {
  /** Tables of tenants, distributed by `tenant_id`. */
  readonly distributed: ReadonlySet<string>
  /** Tables with a copy on each node. */
  readonly copied: ReadonlySet<string>
}

/**
 * - `elsewhere`: on the coordinator or on any node, since it uses no table of tenants;
 * - `one tenant`: on the node of the tenant, where all SQL is supported;
 * - `all tenants`: on all nodes, since it is simple enough;
 * - `refused`: nowhere.
 */
export type Place = "elsewhere" | "one tenant" | "all tenants" | "refused"

export interface Verdict {
  readonly place: Place
  /** Why it is refused; empty otherwise. */
  readonly reasons: ReadonlyArray<string>
}

const isReason = (reason: string | false): reason is string => reason !== false

const listed = (uses: ReadonlyArray<Use>) => [...new Set(uses.map(({ table }) => table))].sort().join(", ")

/** The different tenants of tables. Parameters are the same if they have the same value. */
const tenantsOf = (uses: ReadonlyArray<Use>, params: ReadonlyArray<unknown>) =>
  new Set(
    uses.map(({ tenant = "" }) => (tenant.startsWith("$") ? (params[Number(tenant.slice(1)) - 1] ?? "") : tenant))
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

/** Judges a statement. `params` are the values of its parameters. */
export const verdictOf = (text: string, { copied, distributed }: Places, params: ReadonlyArray<unknown>): Verdict => {
  const shape = shapeOf(text)
  const owned = shape.uses.filter(({ table }) => distributed.has(table))
  if (owned.length === 0) return { place: "elsewhere", reasons: [] }
  const apart = shape.uses.filter(({ table }) => !distributed.has(table) && !copied.has(table))
  const isOfOne = owned.every(({ tenant }) => tenant !== undefined)
  const reasons = [
    shape.insertsSubquery && "a subquery in an INSERT",
    apart.length > 0 && `with tables of the coordinator: ${listed(apart)}`,
    isOfOne && tenantsOf(owned, params).size > 1 && "several tenants",
    ...(isOfOne ? [] : reasonsAgainstAll(shape, owned))
  ].filter(isReason)
  if (reasons.length > 0) return { place: "refused", reasons: [`${listed(owned)}: ${reasons.join("; ")}`] }
  return { place: isOfOne ? "one tenant" : "all tenants", reasons: [] }
}

const namesIn = (text: string): ReadonlyArray<string> => [...text.matchAll(/'(\w+)'/g)].map(([, name]) => String(name))

/** Reads where `citus.sql` places tables. */
export const placesIn = (sql: string): Places => ({
  distributed: new Set([
    ...[...sql.matchAll(/create_distributed_table\(('\w+')/g)].flatMap(([, name]) => namesIn(String(name))),
    ...namesIn(/ARRAY\[([^\]]*)\]::regclass/.exec(sql)?.[1] ?? "")
  ]),
  copied: new Set([...sql.matchAll(/create_reference_table\(('\w+')/g)].flatMap(([, name]) => namesIn(String(name))))
})
