import { SelectField } from "../widgets/Field.tsx"

/** The choice of a role, with a link to what each may do. */
export const RoleChoice = ({
  hint,
  onChange,
  options,
  value
}: {
  readonly value: string
  readonly options: ReadonlyArray<readonly [value: string, label: string]>
  readonly onChange: (role: string) => void
  readonly hint?: string
}) => (
  <>
    <SelectField
      label="Role"
      value={value}
      options={options}
      onChange={onChange}
      {...(hint === undefined ? {} : { hint })}
    />
    <p>
      <a href="/console/roles" target="_blank" rel="noreferrer">
        What each role may do
      </a>
    </p>
  </>
)
