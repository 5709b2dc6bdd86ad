import { useState } from "preact/hooks"
import { useMay } from "../calls/Me.ts"
import { useChange } from "../calls/Queries.ts"
import type { Refusal } from "../calls/Refusal.ts"
import { optionsOf, type Unit, useUnits, useUnitsRead } from "../records/Unit.tsx"
import { Screen } from "../shell/Screen.tsx"
import { announcing } from "../widgets/Announcement.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { Empty } from "../widgets/Empty.tsx"
import { SelectField, TextField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Table } from "../widgets/Table.tsx"

/** Adds a unit, or changes one. */
const UnitForm = ({ onClose, unit }: { readonly unit: Unit | null; readonly onClose: () => void }) => {
  const create = useChange("POST /units")
  const update = useChange("PATCH /units/:id")
  const units = useUnits()
  const [name, setName] = useState(unit?.name ?? "")
  const [externalId, setExternalId] = useState(unit?.externalId ?? "")
  const [parent, setParent] = useState(unit?.parent?.id ?? "")
  const done = announcing(`${name} is saved.`, onClose)
  const submit = () => {
    if (unit === null) {
      const optional = {
        ...(externalId === "" ? {} : { externalId }),
        ...(parent === "" ? {} : { parent: { id: parent } })
      }
      create.mutate({ body: { name, ...optional } }, done)
    } else {
      const body = { name, externalId: externalId || null, parent: parent === "" ? null : { id: parent } }
      update.mutate({ params: { id: unit.id }, body }, done)
    }
  }
  return (
    <Dialog title={unit === null ? "Add a unit" : `Change ${unit.name}`} onClose={onClose}>
      <Form action="Save" change={unit === null ? create : update} onSubmit={submit} out={onClose}>
        <TextField label="Name" value={name} onChange={setName} maxLength={100} required />
        <TextField
          label="Your id (optional)"
          hint="Imports and the API find the unit by it."
          value={externalId}
          onChange={setExternalId}
        />
        <SelectField
          label="Below"
          hint="All people and units in it move along. The tree has at most four levels."
          value={parent}
          options={[["", "the organization"], ...optionsOf(units.filter(({ id }) => id !== unit?.id))]}
          onChange={setParent}
        />
      </Form>
    </Dialog>
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

type DialogOf = { readonly kind: "edit" | "delete"; readonly unit: Unit } | { readonly kind: "add" }

/** The parts of the organization, as a tree. */
export const Units = () => {
  const may = useMay()
  const read = useUnitsRead()
  const [dialog, setDialog] = useState<DialogOf | null>(null)
  const close = () => setDialog(null)
  return (
    <Screen
      title="Units"
      actions={
        may("unit:CREATE") ? (
          <button type="button" class="main" onClick={() => setDialog({ kind: "add" })}>
            Add a unit
          </button>
        ) : null
      }
    >
      <p class="quiet">Branches, wards or teams. A user can be limited to the people of some.</p>
      <Loaded read={read}>
        {(data) =>
          data.length === 0 ? (
            <Empty title="There are no units yet.">
              <p>Add one here, then choose it in the form of each worker, or in an import.</p>
            </Empty>
          ) : (
            <Table
              caption="Units"
              rows={optionsOf(data)}
              keyOf={([id]) => id}
              columns={[
                { heading: "Unit", cell: ([, name]) => name },
                { heading: "Your id", cell: ([id]) => data.find((unit) => unit.id === id)?.externalId ?? "" },
                { heading: "People", cell: ([id]) => <a href={`/console/workers?unit=${id}`}>Workers</a> },
                {
                  heading: "Change",
                  cell: ([id]) => {
                    const unit = data.find((one) => one.id === id)
                    return unit === undefined ? null : (
                      <div class="actions">
                        {may("unit:UPDATE") ? (
                          <button type="button" class="small" onClick={() => setDialog({ kind: "edit", unit })}>
                            Change
                          </button>
                        ) : null}
                        {may("unit:DELETE") ? (
                          <button
                            type="button"
                            class="small danger"
                            onClick={() => setDialog({ kind: "delete", unit })}
                          >
                            Delete
                          </button>
                        ) : null}
                      </div>
                    )
                  }
                }
              ]}
            />
          )
        }
      </Loaded>
      {dialog?.kind === "add" ? <UnitForm unit={null} onClose={close} /> : null}
      {dialog?.kind === "edit" ? <UnitForm unit={dialog.unit} onClose={close} /> : null}
      {dialog?.kind === "delete" ? <Deletion unit={dialog.unit} onClose={close} /> : null}
    </Screen>
  )
}
