import { useState } from "preact/hooks"
import { useMay } from "../calls/Me.ts"
import { useChange } from "../calls/Queries.ts"
import type { Refusal } from "../calls/Refusal.ts"
import { type Column, Table } from "../listing/Table.tsx"
import { EditById } from "../records/EditById.tsx"
import type { EditableField } from "../records/Edited.ts"
import { EditRecord } from "../records/EditRecord.tsx"
import { optionsOf, type Unit, useUnits, useUnitsRead } from "../records/Unit.tsx"
import { Screen } from "../shell/Screen.tsx"
import { announcing } from "../widgets/Announcement.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { SelectField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Opener } from "../widgets/Opener.tsx"

/** The fields of a unit. `id` is its own, which cannot be above it. */
const fieldsOf = (units: ReadonlyArray<Unit>, id = ""): ReadonlyArray<EditableField> => [
  { path: "name", maxLength: 100, required: true },
  { path: "externalId", hint: "Imports and the API find the unit by it." },
  {
    path: "parent",
    as: "link",
    hint: "All people and units in it move along. The tree has at most four levels.",
    options: [["", "the organization"], ...optionsOf(units.filter((unit) => unit.id !== id))]
  }
]

/** Adds a unit. */
const NewUnit = ({ onClose }: { readonly onClose: () => void }) => {
  const create = useChange("POST /units")
  return (
    <EditRecord
      name="A unit"
      title="Add a unit"
      done={() => "The unit is added."}
      record={{}}
      fields={fieldsOf(useUnits())}
      change={create}
      onSave={(patch, done) => create.mutate({ body: patch as never }, done)}
      onClose={onClose}
    />
  )
}

/** Whether a call has moved a part of the people, and the same call goes on. */
const goesOn = ({ retryAfterSeconds, status }: Refusal) => status === 422 && retryAfterSeconds === 0

/** How many people a call has moved and left, in its words; undefined if these say it otherwise. */
const movedIn = ({ message }: Refusal) => {
  const [, moved, left] = /^(\d+) people of \S+ were moved, and (\d+) are left/.exec(message) ?? []
  return moved === undefined ? undefined : { moved: Number(moved), left: Number(left) }
}

/** The most that the server counts. */
const totalMax = 10_000

/** `left` is undefined if the server does not say how many are left. */
const Progress = ({ left, moved }: { readonly moved: number; readonly left: number | undefined }) => (
  <p role="status">
    {left === undefined
      ? "People are being moved."
      : `${moved} people are moved, ${left >= totalMax ? "10,000 or more" : left} are left.`}{" "}
    Keep this dialog open until the unit is deleted. If you close it, the moved people stay in the other unit.
  </p>
)

/** Deletes a unit. Another one gets its people and units, by as many calls as that needs. */
const Deletion = ({ onClose, unit }: { readonly unit: Unit; readonly onClose: () => void }) => {
  const remove = useChange("DELETE /units/:id")
  const units = useUnits()
  const [target, setTarget] = useState("")
  const [progress, setProgress] = useState<{ readonly moved: number; readonly left: number | undefined } | null>(null)
  const submit = () =>
    remove.mutate(
      { params: { id: unit.id }, query: { moveTo: target } },
      {
        ...announcing(`${unit.name} is deleted.`, onClose),
        onError: (refusal) => {
          if (!goesOn(refusal)) return
          const step = movedIn(refusal)
          setProgress((before) => ({ moved: (before?.moved ?? 0) + (step?.moved ?? 0), left: step?.left }))
          submit()
        }
      }
    )
  return (
    <Dialog title={`Delete ${unit.name}?`} onClose={onClose}>
      <Form action="Delete" change={remove} onSubmit={submit} out={onClose}>
        <p>Users who are limited to this unit reach nobody by it afterwards.</p>
        {progress === null ? (
          <SelectField
            label="Move its people and units to"
            value={target}
            options={[["", "nowhere: it has none"], ...optionsOf(units.filter(({ id }) => id !== unit.id))]}
            onChange={setTarget}
          />
        ) : (
          <Progress {...progress} />
        )}
      </Form>
    </Dialog>
  )
}

/** The parts of the organization, as a tree. */
export const Units = () => {
  const may = useMay()
  const read = useUnitsRead()
  const columnsOf = (units: ReadonlyArray<Unit>): ReadonlyArray<Column<Unit & { readonly whole: string }>> => [
    { heading: "Unit", cell: ({ whole }) => whole },
    { heading: "Your id", cell: ({ externalId }) => externalId ?? "" },
    { heading: "People", cell: ({ id }) => <a href={`/console/workers?unit=${id}`}>Workers</a> },
    {
      heading: "Change",
      cell: (unit) => (
        <div class="actions">
          <Opener
            needs="unit:UPDATE"
            dialog={(close) => (
              <EditById
                list="units"
                id={unit.id}
                name={unit.name}
                title={`Change ${unit.name}`}
                fields={fieldsOf(units, unit.id)}
                onClose={close}
              />
            )}
          >
            Change
          </Opener>
          <Opener needs="unit:DELETE" class="small danger" dialog={(close) => <Deletion unit={unit} onClose={close} />}>
            Delete
          </Opener>
        </div>
      )
    }
  ]
  return (
    <Screen
      title="Units"
      actions={
        may("unit:CREATE") ? (
          <Opener class="main" dialog={(close) => <NewUnit onClose={close} />}>
            Add a unit
          </Opener>
        ) : null
      }
    >
      <p class="quiet">Branches, wards or teams. A user can be limited to the people of some.</p>
      <Loaded read={read}>
        {(units) =>
          units.length === 0 ? (
            <Empty title="There are no units yet.">
              <p>Add one here, then choose it in the form of each worker, or in an import.</p>
            </Empty>
          ) : (
            <Table
              caption="Units"
              rows={optionsOf(units).flatMap(([id, whole]) =>
                units.filter((unit) => unit.id === id).map((unit) => ({ ...unit, whole }))
              )}
              keyOf={({ id }) => id}
              columns={columnsOf(units)}
            />
          )
        }
      </Loaded>
    </Screen>
  )
}
