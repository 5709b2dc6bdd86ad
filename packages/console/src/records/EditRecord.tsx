import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Refusal } from "../calls/Refusal.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { ChoicesField, LinesField, SelectField, TextField } from "../widgets/Field.tsx"
import { FormDialog } from "../widgets/FormDialog.tsx"
import { type EditableField, isChanged, type Options, type Patch, patchOf, textsOf } from "./Edited.ts"
import { fieldLabels } from "./FieldLabels.ts"

const notSet = ["", "not set"] as const

/** What somebody else did to a field, in the words of its choices. */
const meanwhile = (now: string, options: Options | undefined): string => {
  const words = options?.find(([value]) => value === now)?.[1] ?? now
  return now === ""
    ? "Somebody else has cleared this meanwhile."
    : `Somebody else has changed this to “${words}” meanwhile.`
}

interface Shown extends Omit<EditableField, "options"> {
  readonly options?: Options | undefined
  readonly value: string
  /** The value that somebody else gave the field meanwhile, or null. */
  readonly now: string | null
  readonly onChange: (text: string) => void
}

const Field = ({ as, hint, max, maxLength = 200, min, now, onChange, options, path, required, type, value }: Shown) => {
  const common = {
    label: fieldLabels[path] ?? path,
    required: required === true,
    value,
    onChange,
    hint: now === null ? hint : meanwhile(now, options)
  }
  if (as === "list" && options !== undefined) return <ChoicesField {...common} options={options} />
  if (as === "list") return <LinesField {...common} />
  if (options !== undefined) {
    const isWhole = required || options[0]?.[0] === ""
    return <SelectField {...common} options={isWhole ? options : [notSet, ...options]} />
  }
  return <TextField type={type ?? "text"} maxLength={maxLength} min={min} max={max} {...common} />
}

const ReadOptions = ({ useOptions, ...shown }: Omit<Shown, "options"> & { readonly useOptions: () => Options }) => (
  <Field {...shown} options={useOptions()} />
)

/** A field whose options may have to be read first. */
const AnyField = ({ options, ...shown }: Omit<Shown, "options"> & Pick<EditableField, "options">) =>
  typeof options === "function" ? (
    <ReadOptions {...shown} useOptions={options} />
  ) : (
    <Field {...shown} options={options} />
  )

/**
 * Changes fields of a record. Only those that the person changed are sent, so a change by somebody else survives. A
 * field that changed meanwhile says so. Escape does not drop what was typed.
 */
export const EditRecord = ({
  action = "Save",
  change,
  children,
  done = (name) => `${name} is saved.`,
  fields,
  isReady = true,
  name,
  onClose,
  onSave,
  picker,
  record,
  title = `Edit ${name}`
}: {
  /** The name of the record, for the title. */
  readonly name: string
  /** The title, if it is not "Edit" and the name. */
  readonly title?: string
  /** The label of the button. */
  readonly action?: string
  /** What is announced after success. */
  readonly done?: (name: string) => string
  /** Another field, above those of the record. */
  readonly picker?: ComponentChildren
  /** Whether that field has its value. */
  readonly isReady?: boolean
  readonly record: object
  readonly fields: ReadonlyArray<EditableField>
  readonly change: { readonly error: Refusal | null; readonly isPending: boolean }
  /** Sends the patch. `done` closes the form after success. */
  readonly onSave: (patch: Patch, done: { readonly onSuccess: () => void }) => void
  readonly onClose: () => void
  readonly children?: ComponentChildren
}) => {
  const [opened] = useState(() => textsOf(record, fields))
  const [texts, setTexts] = useState(opened)
  const present = textsOf(record, fields)
  const patch = patchOf(opened, texts, fields)
  const isTyped = Object.keys(patch).length > 0
  return (
    <FormDialog
      title={title}
      action={action}
      change={change}
      disabled={!isTyped || !isReady}
      isTyped={isTyped}
      onSubmit={() => onSave(patch, announcing(done(name), onClose))}
      onClose={onClose}
    >
      {children === undefined ? null : <p>{children}</p>}
      {picker}
      {fields.map((field) => (
        <AnyField
          key={field.path}
          {...field}
          value={texts[field.path] ?? ""}
          now={!change.isPending && isChanged(opened, present, field) ? (present[field.path] ?? "") : null}
          onChange={(text) => setTexts((before) => ({ ...before, [field.path]: text }))}
        />
      ))}
    </FormDialog>
  )
}
