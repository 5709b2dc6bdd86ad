import { SelectField } from "../widgets/Field.tsx"

const daySeconds = 24 * 60 * 60

/** The lifetimes that the console offers, in days. */
const choices = [30, 90, 365] as const

/** The seconds of a choice; null does not expire. */
export const secondsOf = (days: string): number | null => (days === "" ? null : Number(days) * daySeconds)

/** A field that selects the lifetime of a secret. */
export const Lifetime = ({
  onChange,
  value
}: {
  readonly value: string
  readonly onChange: (days: string) => void
}) => (
  <SelectField
    label="Expires"
    value={value}
    options={[...choices.map((days) => [String(days), `in ${days} days`] as const), ["", "never"]]}
    onChange={onChange}
  />
)
