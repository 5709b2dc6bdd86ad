import type { Page } from "@wcs/domain/crud/ResourceStore"
import { belongings, mayOversee, unitIn } from "@wcs/domain/people/Oversight"
import { ownerColumns } from "@wcs/domain/people/Owner"
import { Unit, type UnitTree } from "@wcs/domain/people/Unit"
import {
  type Condition,
  type Cursor,
  cursorAfter,
  numericColumns,
  type Selection,
  type Sort,
  totalLimit
} from "@wcs/domain/resource/ListQuery"
import { columnValue, type Holder, type Resource, type Stored, wordsOf } from "@wcs/domain/resource/Resource"
import { isVisible } from "@wcs/domain/resource/SoftDelete"
import type { JsonObject } from "@wcs/domain/shared/Json"
import { isSought } from "@wcs/domain/shared/SearchWords"

/** The stored rows of a resource. */
export interface Table {
  readonly resource: Resource
  readonly rows: ReadonlyArray<Stored>
}

/**
 * Compares text by code points, like UTF-8 bytes and the binary collations of databases. JavaScript compares UTF-16
 * units, which puts U+10000 and above before U+E000.
 */
const compareText = (one: string, two: string): number => {
  const length = Math.min(one.length, two.length)
  for (let index = 0; index < length; index++) {
    if (one[index] !== two[index]) return (one.codePointAt(index) ?? 0) - (two.codePointAt(index) ?? 0)
  }
  return one.length - two.length
}

const compareKeys = (column: string, one: string | number, two: string | number): number =>
  numericColumns.includes(column) ? Number(one) - Number(two) : compareText(String(one), String(two))

/** Negative when the first position is earlier in the order: by sort key, then by id, both in the sort direction. */
const comparePlaces = (sort: Sort, one: Cursor, two: Cursor): number => {
  const ascending = compareKeys(sort.column, one.key, two.key) || compareText(one.id, two.id)
  return sort.direction === "asc" ? ascending : -ascending
}

/** The ids of the resources, not deleted, that match a filter by holder. */
const heldIds = (tables: ReadonlyArray<Table>, { lookup, resource }: Holder, value: string): ReadonlySet<string> => {
  const table = tables.find(({ resource: { type } }) => type === resource)
  const found = table?.rows.filter(
    (row) => row.deletedAt === null && columnValue(table.resource, lookup, row.fields) === value
  )
  return new Set(found?.map(({ id }) => id))
}

/** The units that are not deleted. */
const treeOf = (tables: ReadonlyArray<Table>): UnitTree => {
  const units = tables.find(({ resource: { type } }) => type === Unit.type)?.rows ?? []
  const parentOf = ({ fields }: Stored) => columnValue(Unit, Unit.tree, fields) || null
  return new Map(units.filter((row) => isVisible(row, false)).map((row) => [row.id, parentOf(row)]))
}

/** The people that a row is about, deleted ones too. */
const peopleOf = (tables: ReadonlyArray<Table>, resource: Resource, row: Stored): ReadonlyArray<Stored> => {
  const belonging = belongings[resource.type]
  if (belonging._tag !== "Held") return [row]
  return belonging.by.flatMap((type) => {
    const id = columnValue(resource, ownerColumns[type], row.fields)
    return tables.find((table) => table.resource.type === type)?.rows.filter((person) => person.id === id) ?? []
  })
}

/** Whether a row matches a condition. Missing text matches no range. */
const matches = (
  tables: ReadonlyArray<Table>,
  resource: Resource,
  condition: Condition
): ((row: Stored) => boolean) => {
  const text = (row: Stored, column: string) => columnValue(resource, column, row.fields)
  const isBefore = (row: Stored, column: string, value: string) =>
    text(row, column) !== "" && compareText(text(row, column), value) < 0
  switch (condition._tag) {
    case "Equal":
      return (row) => text(row, condition.column) === condition.value
    case "Unequal":
      return (row) => text(row, condition.column) !== condition.value
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
    case "InUnit": {
      const { unit } = condition
      const tree = treeOf(tables)
      return (row) =>
        peopleOf(tables, resource, row).some(({ fields }) =>
          unit === undefined ? unitIn(fields) === undefined : mayOversee([unit], tree, unitIn(fields))
        )
    }
    case "UpdatedAfter":
      return (row) => row.updatedAt > condition.value
    case "UpdatedBefore":
      return (row) => row.updatedAt < condition.value
  }
}

/**
 * A model of `ResourceStore.list`: tests and sorts every row. `tables` has the tenant's rows of the resource, and of the
 * resources that its filters look up.
 */
export const listOf = <Fields extends JsonObject>(
  tables: ReadonlyArray<Table>,
  resource: Resource<Fields>,
  { after, conditions, includeDeleted, includeTotal, offset, pageSize, sort }: Selection
): Page<Fields> => {
  const tests = conditions?.map((condition) => matches(tables, resource, condition))
  const table = tables.find((each) => each.resource.type === resource.type)
  const rows = (table?.rows ?? []) as ReadonlyArray<Stored<Fields>> // a table only has rows of its own resource
  const matching =
    tests === undefined ? [] : rows.filter((row) => isVisible(row, includeDeleted) && tests.every((test) => test(row)))
  const following = matching
    .map((row) => ({ row, place: cursorAfter(resource, sort, row) }))
    .filter(({ place }) => after === undefined || comparePlaces(sort, place, after) > 0)
    .sort((one, two) => comparePlaces(sort, one.place, two.place))
    .map(({ row }) => row)
  return {
    items: following.slice(offset, offset + pageSize),
    hasMore: following.length > offset + pageSize,
    total: includeTotal ? Math.min(matching.length, totalLimit) : undefined
  }
}
