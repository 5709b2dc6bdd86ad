import type { EntityType } from "@wcs/domain/access/Privilege"
import type { OwnerType } from "@wcs/domain/ownership/Ownership"
import { belongings } from "@wcs/domain/people/Oversight"
import { ownerColumns } from "@wcs/domain/people/Owner"
import { type Query, withoutUnit } from "@wcs/domain/resource/ListQuery"
import type { Filter, Resource } from "@wcs/domain/resource/Resource"
import { type IdKind, idOfNothing, isId } from "@wcs/domain/shared/Id"
import { isCalendarDate } from "@wcs/domain/shared/Instant"

/** One use of a list's filter. */
export interface FilterUse {
  readonly field: string
  readonly query: Query
  /** The columns that the store must look up. */
  readonly columns: ReadonlyArray<string>
}

/** The source of a filter's value. */
export interface Sought {
  readonly resource: string
  readonly column: string
  readonly by: Filter["by"]
}

const idOf = (kind: IdKind, value: string): string => (isId(kind, value) ? value : idOfNothing(kind))

/** The value if the filter accepts it, else one that it accepts. */
const taken = ({ among, of }: Extract<Filter, { readonly by: "equal" }>, value: string): string => {
  if (of !== undefined) return idOf(of, value)
  return among === undefined || among.includes(value) ? value : (among[0] ?? value)
}

/** The kinds of people by whose units a filter finds rows of a type. */
const unitsOf = (type: EntityType) => {
  const belonging = belongings[type]
  return belonging._tag === "Held" ? belonging.by : [type as OwnerType]
}

const usesOfFilter = (
  type: EntityType,
  field: string,
  filter: Filter,
  valueIn: (sought: Sought) => string
): ReadonlyArray<FilterUse> => {
  const value = (column: string, resource: string = type) => valueIn({ resource, column, by: filter.by })
  switch (filter.by) {
    case "equal":
      return [{ field, query: { [field]: taken(filter, value(filter.column)) }, columns: [filter.column] }]
    case "before":
    case "from": {
      const day = value(filter.column)
      return [{ field, query: { [field]: isCalendarDate(day) ? day : "2026-01-31" }, columns: [filter.column] }]
    }
    case "words":
      return [{ field, query: { [field]: value("words") }, columns: ["word"] }]
    case "slot":
      return Object.entries(filter.columns).map(([owner, column]) => {
        const id = idOf(owner as IdKind, value(column))
        return { field, query: { [filter.type]: owner, [field]: id }, columns: [column] }
      })
    case "unit":
      return unitsOf(type).flatMap((people) =>
        [idOf("unit", value("unit_id", people)), withoutUnit].map((unit) => ({
          field,
          query: { [field]: unit },
          columns: people === type ? ["unit_id"] : ["unit_id", ownerColumns[people]]
        }))
      )
    case "lapsing":
      return filter.among.map((verdict) => ({
        field,
        query: { [field]: verdict },
        columns: verdict === filter.lapsed ? [filter.column, filter.until] : [filter.column]
      }))
    case "holder":
      return filter.holders.map(({ lookup, resource }) => ({
        field,
        query: { [field]: value(lookup, resource) },
        columns: filter.holders.flatMap((holder) => [holder.column, holder.lookup])
      }))
  }
}

/**
 * Every use of every filter of a resource. If a filter does not accept the value of `valueIn`, it gets one that it
 * accepts.
 */
export const usesOf = (resource: Resource, valueIn: (sought: Sought) => string): ReadonlyArray<FilterUse> =>
  Object.entries(resource.filters).flatMap(([field, filter]) => usesOfFilter(resource.type, field, filter, valueIn))

/** The sortable columns of a list, by their names in `sort`. */
export const sortsOf = ({ sorts }: Resource): Readonly<Record<string, string>> => ({
  createdAt: "created_at",
  updatedAt: "updated_at",
  id: "id",
  ...sorts
})
