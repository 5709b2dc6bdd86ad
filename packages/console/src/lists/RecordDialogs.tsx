import { useState } from "preact/hooks"
import { tagOf } from "../calls/Call.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { kindOptions, type Person, type PersonKind } from "../people/Person.ts"
import { PersonPicker } from "../people/PersonPicker.tsx"
import { Deletion } from "../records/Deletion.tsx"
import type { EditableField, Patch } from "../records/Edited.ts"
import { EditRecord } from "../records/EditRecord.tsx"
import { ChangesLink } from "../records/RecordId.tsx"
import { announcing } from "../widgets/Announcement.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { SelectField } from "../widgets/Field.tsx"
import { Loaded } from "../widgets/Loaded.tsx"

/** The lists whose records people add, change and delete. */
type RecordPath = "exemptions" | "compliance-checks" | "screening-packages" | "recruitment-checks" | "fetch-requests"

/** The kinds of these records, as privileges name them. */
type Entity = "exemption" | "complianceCheck" | "screeningPackage" | "credentialCheck" | "captureRequest"

type Row = { readonly id: string; readonly deletedAt?: string | undefined }

/** A change of one record besides edit and delete: a call without a body, or some of the fields. */
interface RecordAction {
  readonly name: string
  readonly label: string
  /** What the action does, for the dialog. */
  readonly says: string
  readonly isPossible: (row: never) => boolean
  /** The fields that the action changes. Without them, the call has the name of the action. */
  readonly fields?: ReadonlyArray<EditableField>
}

/** How the records of a list change. */
export interface RecordKind {
  readonly path: RecordPath
  readonly entity: Entity
  /** With its article, such as "an exemption". */
  readonly noun: string
  readonly nameOf: (row: never) => string
  /** The people whom a new record can name. */
  readonly people?: ReadonlyArray<PersonKind>
  /** The fields of a new record. Without them, records are not added here. */
  readonly added?: ReadonlyArray<EditableField>
  readonly edited: ReadonlyArray<EditableField>
  readonly actions?: ReadonlyArray<RecordAction>
  readonly isEditable?: (row: never) => boolean
  /** What follows from the delete of a record. */
  readonly deletion: string
}

const create = (path: RecordPath) => `POST /${path}` as "POST /exemptions"

/** Chooses the person of a new record. */
const PersonField = ({
  chosen,
  kinds,
  onChoose
}: {
  readonly kinds: ReadonlyArray<PersonKind>
  readonly chosen: Person | null
  readonly onChoose: (person: Person | null) => void
}) => {
  const [kind, setKind] = useState<PersonKind>(kinds[0] ?? "worker")
  return (
    <>
      {kinds.length === 1 ? null : (
        <SelectField
          label="For"
          value={kind}
          options={kindOptions.filter(([one]) => kinds.includes(one))}
          onChange={(next) => {
            setKind(next as PersonKind)
            onChoose(null)
          }}
        />
      )}
      <PersonPicker label="Person" kind={kind} chosen={chosen} onChoose={onChoose} />
    </>
  )
}

/** Adds a record, of this person or of one who is chosen. */
export const AddRecord = ({
  kind: { added = [], noun, path, people = [] },
  onClose,
  person: given = null
}: {
  readonly kind: RecordKind
  readonly person?: Person | null
  readonly onClose: () => void
}) => {
  const add = useChange(create(path))
  const [person, setPerson] = useState<Person | null>(given)
  const needsPerson = people.length > 0
  const bodyOf = (patch: Patch): Patch => (person === null ? patch : { ...patch, [person.type]: { id: person.id } })
  return (
    <EditRecord
      name={noun}
      title={given === null ? `Add ${noun}` : `Add ${noun} for ${given.name}`}
      action="Add"
      done={() => `${noun} is added.`.replace(/^./, (first) => first.toUpperCase())}
      record={{}}
      fields={added}
      change={add}
      picker={
        needsPerson && given === null ? <PersonField kinds={people} chosen={person} onChoose={setPerson} /> : null
      }
      isReady={!needsPerson || person !== null}
      onSave={(patch, done) => add.mutate({ body: bodyOf(patch) as never }, done)}
      onClose={onClose}
    />
  )
}

/** Changes fields of a record, which is read first: the list has no tags. */
const Edit = ({
  fields,
  id,
  name,
  onClose,
  path,
  says,
  title
}: {
  readonly path: RecordPath
  readonly id: string
  readonly name: string
  readonly title: string
  readonly says?: string | undefined
  readonly fields: ReadonlyArray<EditableField>
  readonly onClose: () => void
}) => {
  const read = useRead(`GET /${path}/:id`, { params: { id } })
  const update = useChange(`PATCH /${path}/:id`)
  if (read.data === undefined) {
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
      record={read.data.data}
      fields={fields}
      change={update}
      onSave={(body, done) => update.mutate({ params: { id }, body, ifMatch: tagOf(read.data) }, done)}
      onClose={onClose}
    >
      {says}
    </EditRecord>
  )
}

/** Confirms and makes a call without a body. */
const Act = ({
  action: { label, name: call, says },
  id,
  name,
  onClose,
  path
}: {
  readonly path: RecordPath
  readonly id: string
  readonly name: string
  readonly action: RecordAction
  readonly onClose: () => void
}) => {
  const act = useChange(`POST /${path}/:id/${call}` as "POST /fetch-requests/:id/remind")
  return (
    <Confirmation
      title={`${label}: ${name}`}
      action={label}
      tone={call === "cancel" ? "danger" : "main"}
      change={act}
      onClose={onClose}
      onConfirm={() => act.mutate({ params: { id } }, announcing(`${name}: done.`, onClose))}
    >
      <p>{says}</p>
    </Confirmation>
  )
}

/** The buttons of a record in a list, for those who may use them, with their dialogs. */
export const RecordActions = ({
  kind: { actions = [], deletion, edited, entity, isEditable = () => true, nameOf, path },
  row
}: {
  readonly kind: RecordKind
  readonly row: Row
}) => {
  const may = useMay()
  const [dialog, setDialog] = useState<"edit" | "delete" | RecordAction | null>(null)
  if (row.deletedAt !== undefined) return null
  const shown = row as never // a row of the kind's list
  const common = { path, id: row.id, name: nameOf(shown), onClose: () => setDialog(null) }
  const button = (label: string, next: typeof dialog, isDanger = false) => (
    <button
      key={label}
      type="button"
      class={isDanger ? "small danger" : "small"}
      aria-label={`${label}: ${common.name}`}
      onClick={() => setDialog(next)}
    >
      {label}
    </button>
  )
  return (
    <div class="actions">
      {may(`${entity}:UPDATE`) ? (
        <>
          {actions.filter(({ isPossible }) => isPossible(shown)).map((action) => button(action.label, action))}
          {isEditable(shown) ? button("Edit", "edit") : null}
        </>
      ) : null}
      {may(`${entity}:DELETE`) ? button("Delete", "delete", true) : null}
      <ChangesLink id={row.id} name={common.name} />
      {dialog === null ? null : dialog === "edit" ? (
        <Edit {...common} title={`Edit ${common.name}`} fields={edited} />
      ) : dialog === "delete" ? (
        <Deletion list={path} id={row.id} name={common.name} staysHere onClose={common.onClose}>
          <p>{deletion}</p>
        </Deletion>
      ) : dialog.fields === undefined ? (
        <Act {...common} action={dialog} />
      ) : (
        <Edit {...common} title={`${dialog.label} ${common.name}`} says={dialog.says} fields={dialog.fields} />
      )}
    </div>
  )
}
