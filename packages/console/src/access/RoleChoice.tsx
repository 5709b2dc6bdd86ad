import { SelectField } from "../widgets/Field.tsx"

/** The choice of a role, with a link to what each may do. */
export const RoleChoice = (field: Omit<Parameters<typeof SelectField>[0], "label">) => (
  <>
    <SelectField label="Role" {...field} />
    <p>
      <a href="/console/roles" target="_blank" rel="noreferrer">
        What each role may do
      </a>
    </p>
  </>
)
