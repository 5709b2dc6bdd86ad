import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"

interface Common<Value> {
  readonly label: string
  readonly hint?: string | undefined
  readonly required?: boolean
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A label, a control with `id`, and the hint below it. */
export const Labelled = ({
  children,
  hint,
  id,
  label
}: Pick<Common<string>, "hint" | "label"> & { readonly id: string; readonly children: ComponentChildren }) => (
  <div class="field">
    <label for={id}>{label}</label>
    {children}
    {hint === undefined ? null : (
      <p id={`${id}-hint`} class="quiet">
        {hint}
      </p>
    )}
  </div>
)

/** The attributes of a control by its field. */
const control = (id: string, { hint, onChange, required = false, value }: Common<string>) => ({
  id,
  value,
  required,
  "aria-describedby": hint === undefined ? undefined : `${id}-hint`,
  onInput: ({ currentTarget }: { readonly currentTarget: { readonly value: string } }) => onChange(currentTarget.value)
})

/** A field of one line. */
export const TextField = ({
  autocomplete = "off",
  hasFocus = false,
  max,
  maxLength = 200,
  min,
  type = "text",
  ...field
}: Common<string> & {
  readonly maxLength?: number
  readonly autocomplete?: "off" | "current-password" | "one-time-code"
  /** Whether the field has the focus at first. */
  readonly hasFocus?: boolean
  /** The bounds of a day or a number. */
  readonly min?: string | number | undefined
  readonly max?: string | number | undefined
  readonly type?: "text" | "email" | "date" | "url" | "password" | "number" | "datetime-local" | "time"
}) => {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  // a browser ignores `autofocus` of an element that comes later
  useEffect(() => {
    if (hasFocus) input.current?.focus()
  }, [])
  const bounds = { max, maxLength, min }
  return (
    <Labelled id={id} {...field}>
      <input
        ref={input}
        type={type as "text"}
        autocomplete={autocomplete}
        autofocus={hasFocus}
        {...bounds}
        {...control(id, field)}
      />
    </Labelled>
  )
}

/** An option of a selection, and its words. */
export type Option = readonly [value: string, words: string]

/** A choice among a few values. */
export const SelectField = ({ options, ...field }: Common<string> & { readonly options: ReadonlyArray<Option> }) => {
  const id = useId()
  return (
    <Labelled id={id} {...field}>
      <select {...control(id, field)}>
        {options.map(([value, words]) => (
          <option key={value} value={value}>
            {words}
          </option>
        ))}
      </select>
    </Labelled>
  )
}

/** A text of several lines, such as a list with one item a line. */
export const LinesField = ({
  hint = "One a line.",
  maxLength,
  rows = 4,
  ...field
}: Common<string> & { readonly rows?: number; readonly maxLength?: number }) => {
  const id = useId()
  return (
    <Labelled id={id} hint={hint} label={field.label}>
      <textarea rows={rows} maxLength={maxLength} {...control(id, { ...field, hint })} />
    </Labelled>
  )
}

/** A choice of several values. The text has one value a line, in the order of the options. */
export const ChoicesField = ({
  hint,
  label,
  onChange,
  options,
  value
}: Common<string> & { readonly options: ReadonlyArray<Option> }) => {
  const chosen = new Set(value.split("\n").filter((line) => line !== ""))
  const change = (one: string, isOn: boolean) => {
    if (isOn) chosen.add(one)
    else chosen.delete(one)
    // a value that the options lack stays: the record has it
    const known = options.map(([optionValue]) => optionValue)
    const others = [...chosen].filter((each) => !known.includes(each))
    onChange([...known.filter((each) => chosen.has(each)), ...others].join("\n"))
  }
  return (
    <fieldset class="picker choices">
      <legend>{label}</legend>
      {hint === undefined ? null : <p class="quiet">{hint}</p>}
      {options.map(([one, words]) => (
        <CheckField key={one} label={words} value={chosen.has(one)} onChange={(isOn) => change(one, isOn)} />
      ))}
    </fieldset>
  )
}

/** A choice between yes and no. */
export const CheckField = ({ label, onChange, value }: Common<boolean>) => {
  const id = useId()
  return (
    <div class="check">
      <input
        id={id}
        type="checkbox"
        checked={value}
        onChange={({ currentTarget }) => onChange(currentTarget.checked)}
      />
      <label for={id}>{label}</label>
    </div>
  )
}
