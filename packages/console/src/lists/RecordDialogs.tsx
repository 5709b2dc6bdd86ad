import { useState } from "preact/hooks"
import { useMay } from "../calls/Me.ts"
import { useChange } from "../calls/Queries.ts"
import { kindOptions, type Person, type PersonKind } from "../people/Person.ts"
import { PersonPicker } from "../people/PersonPicker.tsx"
import { Deletion } from "../records/Deletion.tsx"
import { EditById } from "../records/EditById.tsx"
import type { EditableField, Patch } from "../records/Edited.ts"
import { EditRecord } from "../records/EditRecord.tsx"
import { ChangesLink } from "../records/RecordId.tsx"
import { ConfirmedCall } from "../widgets/ConfirmedCall.tsx"
import { SelectField } from "../widgets/Field.tsx"
import { Opener } from "../widgets/Opener.tsx"

/** The lists whose records people add, change and delete. */
export type RecordPath =
  | "exemptions"
  | "compliance-checks"
  | "screening-packages"
  | "recruitment-checks"
  | "fetch-requests"

/** The kinds of these records, as privileges name them. */
type Entity = "exemption" | "complianceCheck" | "screeningPackage" | "credentialCheck" | "captureRequest"

export type Row = { readonly id: string; readonly deletedAt?: string | undefined }

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

/** The buttons of a record in a list, for those who may use them, with their dialogs. */
export const RecordActions = ({
  kind: { actions = [], deletion, edited, entity, isEditable = () => true, nameOf, path },
  row
}: {
  readonly kind: RecordKind
  readonly row: Row
}) => {
  const may = useMay()
  if (row.deletedAt !== undefined) return null
  const shown = row as never // a row of the kind's list
  const common = { list: path, id: row.id, name: nameOf(shown) }
  const button = (label: string, dialog: Parameters<typeof Opener>[0]["dialog"], isDanger = false) => (
    <Opener key={label} class={isDanger ? "small danger" : "small"} name={`${label}: ${common.name}`} dialog={dialog}>
      {label}
    </Opener>
  )
  const dialogOf =
    ({ fields, label, name, says }: RecordAction) =>
    (close: () => void) =>
      fields === undefined ? (
        <ConfirmedCall
          call={`POST /${path}/:id/${name}` as "POST /fetch-requests/:id/remind"}
          input={{ params: { id: row.id } }}
          told={`${common.name}: done.`}
          title={`${label}: ${common.name}`}
          action={label}
          tone={name === "cancel" ? "danger" : "main"}
          onClose={close}
        >
          <p>{says}</p>
        </ConfirmedCall>
      ) : (
        <EditById {...common} title={`${label} ${common.name}`} says={says} fields={fields} onClose={close} />
      )
  return (
    <div class="actions">
      {may(`${entity}:UPDATE`) ? (
        <>
          {actions
            .filter(({ isPossible }) => isPossible(shown))
            .map((action) => button(action.label, dialogOf(action)))}
          {isEditable(shown)
            ? button("Edit", (close) => <EditById {...common} fields={edited} onClose={close} />)
            : null}
        </>
      ) : null}
      {may(`${entity}:DELETE`)
        ? button(
            "Delete",
            (close) => (
              <Deletion {...common} staysHere onClose={close}>
                <p>{deletion}</p>
              </Deletion>
            ),
            true
          )
        : null}
      <ChangesLink id={row.id} name={common.name} />
    </div>
  )
}
