import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import type { Refusal } from "../calls/Refusal.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { FormDialog } from "../widgets/FormDialog.tsx"
import { type EditableField, isChanged, type Patch, patchOf, textsOf } from "./Edited.ts"
import { fieldLabels } from "./FieldLabels.ts"

const notSet = ["", "not set"] as const

/** What somebody else did to a field, in the words of its choices. */
const meanwhile = (now: string, options: EditableField["options"]): string => {
  const words = options?.find(([value]) => value === now)?.[1] ?? now
  return now === ""
    ? "Somebody else has cleared this meanwhile."
    : `Somebody else has changed this to “${words}” meanwhile.`
}

const Field = ({
  hint,
  maxLength = 200,
  now,
  onChange,
  options,
  path,
  required = false,
  type = "text",
  value
}: EditableField & {
  readonly value: string
  /** The value that somebody else gave the field meanwhile, or null. */
  readonly now: string | null
  readonly onChange: (text: string) => void
}) => {
  const shownHint = now === null ? hint : meanwhile(now, options)
  const common = {
    label: fieldLabels[path] ?? path,
    required,
    value,
    onChange,
    ...(shownHint === undefined ? {} : { hint: shownHint })
  }
  return options === undefined ? (
    <TextField type={type} maxLength={maxLength} {...common} />
  ) : (
    <SelectField options={required ? options : [notSet, ...options]} {...common} />
  )
}

/**
 * Changes fields of a record. Only those that the person changed are sent, so a change by somebody else survives. A
 * field that changed meanwhile says so. Escape does not drop what was typed.
 */
export const EditRecord = ({
  change,
  children,
  fields,
  name,
  onClose,
  onSave,
  record
}: {
  /** The name of the record, for the title. */
  readonly name: string
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
      title={`Edit ${name}`}
      action="Save"
      change={change}
      disabled={!isTyped}
      isTyped={isTyped}
      onSubmit={() => onSave(patch, announcing(`${name} is saved.`, onClose))}
      onClose={onClose}
    >
      {children === undefined ? null : <p>{children}</p>}
      {fields.map((field) => (
        <Field
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
