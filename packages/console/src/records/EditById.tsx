import { tagOf } from "../calls/Call.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { Dialog } from "../widgets/Dialog.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import type { EditableField } from "./Edited.ts"
import { EditRecord } from "./EditRecord.tsx"

/** The lists whose records a form of fields changes. */
export type EditableList =
  | "applicants"
  | "compliance-checks"
  | "credentials"
  | "exemptions"
  | "fetch-requests"
  | "recruitment-checks"
  | "screening-packages"
  | "units"
  | "workers"

/** Changes fields of a record, which is read first: only the answer about one record has its tag. */
export const EditById = ({
  fields,
  id,
  list,
  name,
  onClose,
  says,
  title = `Edit ${name}`
}: {
  readonly list: EditableList
  readonly id: string
  readonly name: string
  readonly title?: string
  /** What the change does. */
  readonly says?: string | undefined
  /** The fields, or those of the record that was read. */
  readonly fields: ReadonlyArray<EditableField> | ((record: never) => ReadonlyArray<EditableField>)
  readonly onClose: () => void
}) => {
  const read = useRead(`GET /${list}/:id`, { params: { id } })
  const update = useChange(`PATCH /${list}/:id`)
  const answer = read.data
  if (answer === undefined) {
    return (
      <Dialog title={title} onClose={onClose}>
        <Loaded read={read}>{() => null}</Loaded>
        <div class="actions">
          <button type="button" onClick={onClose}>
            Cancel
          </button>
        </div>
      </Dialog>
    )
  }
  return (
    <EditRecord
      name={name}
      title={title}
      record={answer.data}
      fields={typeof fields === "function" ? fields(answer.data as never) : fields}
      change={update}
      onSave={(body, done) => update.mutate({ params: { id }, body, ifMatch: tagOf(answer) }, done)}
      onClose={onClose}
    >
      {says}
    </EditRecord>
  )
}
