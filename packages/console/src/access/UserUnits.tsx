import type { Item } from "../calls/Contract.ts"
import { optionsOf, useUnits } from "../records/Unit.tsx"
import { CheckField } from "../widgets/Field.tsx"

type User = Item<"GET /users">

/** The units to which a user is limited. */
export const UserUnits = ({ units }: User) => {
  const all = useUnits()
  if (units === null) return null
  const names = units.map((id) => all.find((unit) => unit.id === id)?.name ?? id)
  return names.length === 0 ? <span class="quiet">nobody</span> : names.join(", ")
}

/** Chooses the units to whose people a user is limited; null for no limit. Hidden in an organization without units. */
export const UnitChoice = ({
  onChange,
  value
}: {
  readonly value: ReadonlyArray<string> | null
  readonly onChange: (units: ReadonlyArray<string> | null) => void
}) => {
  const units = useUnits()
  if (units.length === 0 && value === null) return null
  const chosen = value ?? []
  return (
    <fieldset class="picker">
      <legend>Limit</legend>
      <CheckField
        label="Only the people of some units, with all units below them"
        value={value !== null}
        onChange={(isLimited) => onChange(isLimited ? [] : null)}
      />
      {value === null
        ? null
        : optionsOf(units).map(([id, name]) => (
            <CheckField
              key={id}
              label={name}
              value={chosen.includes(id)}
              onChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((one) => one !== id))}
            />
          ))}
    </fieldset>
  )
}
