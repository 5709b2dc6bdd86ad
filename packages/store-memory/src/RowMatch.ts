import type { Condition } from "@wcs/domain/resource/ListQuery"
import { columnValue, type Holder, type Resource, type Stored, wordsOf } from "@wcs/domain/resource/Resource"
import { isSought } from "@wcs/domain/shared/SearchWords"
import type { TenantTables } from "./MemoryTables.ts"
import { compareText } from "./RowOrder.ts"

/** The ids of the resources, not deleted, that match a filter by holder. */
const heldIds = (tables: TenantTables, { lookup, resource }: Holder, value: string): ReadonlySet<string> => {
  const table = tables.resources.get(resource)
  if (table === undefined) return new Set()
  const found = [...table.rows.values()].filter(
    (row) => row.deletedAt === null && columnValue(table.resource, lookup, row.fields) === value
  )
  return new Set(found.map(({ id }) => id))
}

/** Whether a row matches a condition. Missing text matches no range. */
export const matches = (tables: TenantTables, resource: Resource, condition: Condition): ((row: Stored) => boolean) => {
  const text = (row: Stored, column: string) => columnValue(resource, column, row.fields)
  const isBefore = (row: Stored, column: string, value: string) =>
    text(row, column) !== "" && compareText(text(row, column), value) < 0
  switch (condition._tag) {
    case "Equal":
      return (row) => text(row, condition.column) === condition.value
    case "Before":
      return (row) => isBefore(row, condition.column, condition.value)
    case "From":
      return (row) => compareText(text(row, condition.column), condition.value) >= 0
    case "Words":
      return (row) => isSought(wordsOf(resource, row.fields), condition.sought)
    case "Lapsing":
      return (row) => {
        const isLapsed = isBefore(row, condition.until, condition.today)
        return (isLapsed ? condition.lapsed : text(row, condition.column)) === condition.value
      }
    case "HeldBy": {
      const held = condition.holders.map((holder) => ({ ...holder, ids: heldIds(tables, holder, condition.value) }))
      return (row) => held.some(({ column, ids }) => ids.has(text(row, column)))
    }
    case "UpdatedAfter":
      return (row) => row.updatedAt > condition.value
    case "UpdatedBefore":
      return (row) => row.updatedAt < condition.value
  }
}
