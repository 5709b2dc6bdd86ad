import type { FunctionComponent } from "preact"
import { useUrlState } from "../shell/UrlState.ts"
import { CheckField, type Option, SelectField, TextField } from "../widgets/Field.tsx"
import { Search } from "../widgets/Search.tsx"
import { useToday } from "../widgets/Time.tsx"

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

/** Filters a list by a whole text. It is read after a pause in typing. */
export const TextFilter = ({ label, name }: Filter) => {
  const [value, change] = useFilter(name)
  return <Search label={label} value={value} onChange={(text) => change(text, true)} isMain={false} />
}

/** Filters a list by a day. */
export const DayBoundFilter = ({ label, name }: Filter) => {
  const [value, change] = useFilter(name)
  return <TextField label={label} type="date" value={value} onChange={(day) => change(day, true)} />
}

/** Shows a list as of a day, or the present one. */
export const DayFilter = ({ label, name }: Filter) => {
  const [value, change] = useFilter(name)
  return <TextField label={label} type="date" max={useToday()} value={value} onChange={(day) => change(day, true)} />
}

/** Adds more items to a list, such as the deleted ones. */
export const CheckFilter = ({ label, name }: Filter) => {
  const [value, change] = useFilter(name)
  return <CheckField label={label} value={value === "true"} onChange={(isOn) => change(isOn ? "true" : "")} />
}

/** A filter of a list as data. `name` is the parameter of the API, and of the address. */
export interface ListFilter extends Filter {
  /**
   * How the value is chosen. `moment` is the begin of a day of the organization. A hook that reads the options returns
   * null to hide the filter. `draw` is a filter of its own.
   */
  readonly by:
    | "words"
    | "text"
    | "day"
    | "moment"
    | "check"
    | ReadonlyArray<Option>
    | (() => ReadonlyArray<Option> | null)
    | { readonly draw: FunctionComponent }
}

/** The first option leaves the filter out. */
const withAny = (options: ReadonlyArray<Option>): ReadonlyArray<Option> =>
  options[0]?.[0] === "" ? options : [["", "any"], ...options]

const ReadSelect = ({
  useOptions,
  ...filter
}: Filter & { readonly useOptions: () => ReadonlyArray<Option> | null }) => {
  const options = useOptions()
  return options === null ? null : <SelectFilter {...filter} options={withAny(options)} />
}

/** A filter that is data. */
export const AnyFilter = ({ by, ...filter }: ListFilter) => {
  if (by === "words") return <SearchFilter {...filter} />
  if (by === "text") return <TextFilter {...filter} />
  if (by === "day" || by === "moment") return <DayBoundFilter {...filter} />
  if (by === "check") return <CheckFilter {...filter} />
  if (typeof by === "function") return <ReadSelect {...filter} useOptions={by} />
  return "draw" in by ? <by.draw /> : <SelectFilter {...filter} options={withAny(by)} />
}
