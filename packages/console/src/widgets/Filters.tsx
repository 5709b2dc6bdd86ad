import { useUrlState } from "../shell/UrlState.ts"
import { CheckField, type Option, SelectField } from "./Field.tsx"
import { Search } from "./Search.tsx"

interface Filter {
  /** The name of the filter in the address. */
  readonly name: string
  readonly label: string
}

/** The value of a filter in the address, and its change, which shows the first page. */
const useFilter = (name: string) => {
  const [{ [name]: value = "" }, change] = useUrlState()
  return [value, (next: string, replaces = false) => change({ [name]: next, cursor: "" }, { replaces })] as const
}

/** Filters a list by a text. */
export const SearchFilter = ({ label, name }: Filter) => {
  const [value, change] = useFilter(name)
  return <Search label={label} value={value} onChange={(text) => change(text, true)} />
}

/** Filters a list by one of a few values, the first one at the beginning. */
export const SelectFilter = ({ label, name, options }: Filter & { readonly options: ReadonlyArray<Option> }) => {
  const [value, change] = useFilter(name)
  return <SelectField label={label} value={value || (options[0]?.[0] ?? "")} options={options} onChange={change} />
}

/** Adds more items to a list, such as the deleted ones. */
export const CheckFilter = ({ label, name }: Filter) => {
  const [value, change] = useFilter(name)
  return <CheckField label={label} value={value === "true"} onChange={(isOn) => change(isOn ? "true" : "")} />
}
