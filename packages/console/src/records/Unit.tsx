import type { Item } from "../calls/Contract.ts"
import { useMay, useMe } from "../calls/Me.ts"
import { type Read, readWhole, useReadOf } from "../calls/Queries.ts"
import type { ListFilter } from "../listing/Filters.tsx"
import { type Option, SelectField } from "../widgets/Field.tsx"
import { Problem } from "../widgets/Problem.tsx"
import type { EditableField } from "./Edited.ts"

export type Unit = Item<"GET /units">

/** The units below a unit, or at the top, in the order of the tree. `within` are the names of the units above. */
const below = (units: ReadonlyArray<Unit>, parent: string | undefined, within: string): ReadonlyArray<Option> =>
  units
    .filter((unit) => unit.parent?.id === parent)
    .flatMap(({ id, name }) => [[id, within + name] as const, ...below(units, id, `${within}${name} / `)])

/** The units as options of a selection, in the order of the tree, each with the names of the units above it. */
export const optionsOf = (units: ReadonlyArray<Unit>): ReadonlyArray<Option> => {
  const known = new Set(units.map(({ id }) => id))
  // The unit above the own ones of a limited user is not known, so they are at the top.
  const rooted = units.map(({ parent, ...unit }) =>
    parent !== undefined && known.has(parent.id) ? { ...unit, parent } : unit
  )
  return below(rooted, undefined, "")
}

const readUnits = () => readWhole("GET /units", { sort: "name:asc" })

/** Reads all units by name, for a person who may read them. */
export const useUnitsRead = (): Read<ReadonlyArray<Unit>> =>
  useReadOf("/units", readUnits, { isWanted: useMay()("unit:READ") })

/** All units by name; none for a person who may not read them. */
export const useUnits = (): ReadonlyArray<Unit> => useUnitsRead().data ?? []

/** Whether the person reaches only the people of some units, so that each new person needs one. */
export const useIsLimited = (): boolean => (useMe()?.units ?? null) !== null

/** The unit of a new person. Hidden in an organization without units. */
export const UnitField = (props: { readonly value: string; readonly onChange: (id: string) => void }) => {
  const { data: units, error, refetch } = useUnitsRead()
  const mayRead = useMay()("unit:READ")
  const isLimited = useIsLimited()
  if (units === undefined && error !== null) return <Problem error={error} onRetry={refetch} />
  if (units === undefined) return mayRead ? <p class="quiet">Reading the units…</p> : null
  if (units.length === 0) return null
  const none = ["", isLimited ? "choose" : "none"] as const
  return <SelectField label="Unit" required={isLimited} options={[none, ...optionsOf(units)]} {...props} />
}

/** The units as options of a filter; null in an organization without units. */
const useUnitOptions = (): ReadonlyArray<Option> | null => {
  const units = useUnits()
  const none: ReadonlyArray<Option> = useIsLimited() ? [] : [["none", "Without a unit"]]
  return units.length === 0 ? null : [["", "All units"], ...optionsOf(units), ...none]
}

/** Filters a list of people by a unit and all units below it. */
export const unitFilter: ListFilter = { name: "unit", label: "Unit", by: useUnitOptions }

/** The unit as a field of a form about a person; none in an organization without units. */
export const useUnitField = (): ReadonlyArray<EditableField> => {
  const units = useUnits()
  const isLimited = useIsLimited()
  return units.length === 0 ? [] : [{ path: "unit", as: "link", required: isLimited, options: optionsOf(units) }]
}
