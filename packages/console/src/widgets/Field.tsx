import { useId } from "preact/hooks"

interface Common {
  readonly label: string
  readonly hint?: string
  readonly required?: boolean
}

/** A field of one line. */
export const TextField = ({
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
  /** The bounds of a day or a number. */
  readonly min?: string | number
  readonly max?: string | number
  readonly type?: "text" | "email" | "date" | "url" | "password" | "number" | "datetime-local"
}) => {
  const id = useId()
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        type={type as "text"}
        value={value}
        required={required}
        maxLength={maxLength}
        min={min}
        max={max}
        autocomplete="off"
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
