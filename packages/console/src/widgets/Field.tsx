import { useEffect, useId, useRef } from "preact/hooks"

interface Common {
  readonly label: string
  readonly hint?: string
  readonly required?: boolean
}

/** A field of one line. */
export const TextField = ({
  autocomplete = "off",
  hasFocus = false,
  hint,
  label,
  max,
  maxLength = 200,
  min,
  onChange,
  required = false,
  type = "text",
  value
}: Common & {
  readonly value: string
  readonly onChange: (value: string) => void
  readonly maxLength?: number
  readonly autocomplete?: "off" | "current-password" | "one-time-code"
  /** Whether the field has the focus at first. */
  readonly hasFocus?: boolean
  /** The bounds of a day or a number. */
  readonly min?: string | number
  readonly max?: string | number
  readonly type?: "text" | "email" | "date" | "url" | "password" | "number" | "datetime-local" | "time"
}) => {
  const id = useId()
  const input = useRef<HTMLInputElement>(null)
  // a browser ignores `autofocus` of an element that comes later
  useEffect(() => {
    if (hasFocus) input.current?.focus()
  }, [])
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        ref={input}
        id={id}
        type={type as "text"}
        value={value}
        required={required}
        maxLength={maxLength}
        min={min}
        max={max}
        autocomplete={autocomplete}
        autofocus={hasFocus}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      {hint === undefined ? null : (
        <p id={`${id}-hint`} class="quiet">
          {hint}
        </p>
      )}
    </div>
  )
}

/** An option of a selection, and its words. */
export type Option = readonly [value: string, words: string]

/** A choice among a few values. */
export const SelectField = ({
  hint,
  label,
  onChange,
  options,
  required = false,
  value
}: Common & {
  readonly value: string
  readonly options: ReadonlyArray<Option>
  readonly onChange: (value: string) => void
}) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <select
        id={id}
        value={value}
        required={required}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        {options.map(([optionValue, words]) => (
          <option key={optionValue} value={optionValue}>
            {words}
          </option>
        ))}
      </select>
      {hint === undefined ? null : (
        <p id={`${id}-hint`} class="quiet">
          {hint}
        </p>
      )}
    </div>
  )
}

/** A list of texts, one a line. */
export const LinesField = ({
  hint = "One a line.",
  label,
  onChange,
  required = false,
  rows = 4,
  value
}: Common & { readonly value: string; readonly rows?: number; readonly onChange: (value: string) => void }) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <textarea
        id={id}
        rows={rows}
        value={value}
        required={required}
        aria-describedby={`${id}-hint`}
        onInput={({ currentTarget }) => onChange(currentTarget.value)}
      />
      <p id={`${id}-hint`} class="quiet">
        {hint}
      </p>
    </div>
  )
}

/** A choice of several values. The text has one value a line, in the order of the options. */
export const ChoicesField = ({
  hint,
  label,
  onChange,
  options,
  value
}: Common & {
  readonly value: string
  readonly options: ReadonlyArray<Option>
  readonly onChange: (value: string) => void
}) => {
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
      {options.map(([optionValue, words]) => (
        <CheckField
          key={optionValue}
          label={words}
          value={chosen.has(optionValue)}
          onChange={(isOn) => change(optionValue, isOn)}
        />
      ))}
    </fieldset>
  )
}

/** A choice between yes and no. */
export const CheckField = ({
  label,
  onChange,
  value
}: Common & { readonly value: boolean; readonly onChange: (value: boolean) => void }) => {
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
