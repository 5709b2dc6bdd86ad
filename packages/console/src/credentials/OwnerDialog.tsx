import { useState } from "preact/hooks"
import type { Data } from "../calls/Contract.ts"
import { useChange } from "../calls/Queries.ts"
import {
  emptySlot,
  kindOptions,
  type Owners,
  type Person,
  type PersonKind,
  personKinds,
  titleOf
} from "../people/Person.ts"
import { PersonPicker } from "../people/PersonPicker.tsx"
import { announcing } from "../widgets/Announcement.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { SelectField } from "../widgets/Field.tsx"
import { Form } from "../widgets/Form.tsx"
import { Change } from "./Slots.tsx"

type Credential = Data<"GET /credentials/:id">

/** A change of owners, as the person chooses it. */
export type OwnerChange = "link" | "unlink" | "transfer"

const titles: Readonly<Record<OwnerChange, string>> = {
  link: "Link an owner",
  unlink: "Unlink an owner",
  transfer: "Transfer to another owner"
}

interface Owner {
  readonly type: PersonKind
  readonly id: string
}

const present = (owners: Owners): ReadonlyArray<Owner> =>
  personKinds.flatMap((type) => {
    const id = owners[type]
    return id === null ? [] : [{ type, id }]
  })

/** Returns the function that makes a change, and its state. */
const useOwnerChange = (change: OwnerChange, id: string, onClose: () => void) => {
  const link = useChange("POST /credentials/:id/link")
  const unlink = useChange("POST /credentials/:id/unlink")
  const transfer = useChange("POST /credentials/:id/transfer")
  const { error, isPending } = { link, unlink, transfer }[change]
  const submit = (from: Owner | undefined, chosen: Person | null) => {
    const params = { id }
    const to = chosen === null ? undefined : { type: chosen.type, id: chosen.id }
    if (change === "link" && to !== undefined)
      link.mutate({ params, body: { to } }, announcing("The owner is linked.", onClose))
    if (change === "unlink" && from !== undefined)
      unlink.mutate({ params, body: { from } }, announcing("The owner is unlinked.", onClose))
    if (change === "transfer" && from !== undefined && to !== undefined) {
      transfer.mutate(
        { params, body: { from, to } },
        announcing(`The credential belongs to ${chosen?.name} now.`, onClose)
      )
    }
  }
  return { error, isPending, submit }
}

const NewOwner = ({
  chosen,
  firstKind,
  onChoose
}: {
  readonly firstKind: PersonKind
  readonly chosen: Person | null
  readonly onChoose: (person: Person | null) => void
}) => {
  const [kind, setKind] = useState(firstKind)
  return (
    <>
      <SelectField
        label="The new owner is"
        value={kind}
        options={kindOptions}
        onChange={(next) => {
          setKind(next as PersonKind)
          onChoose(null)
        }}
      />
      <PersonPicker label="New owner" kind={kind} chosen={chosen} onChoose={onChoose} />
    </>
  )
}

/** Changes the owners of a credential, and draws the slots before and after. */
export const OwnerDialog = ({
  change,
  credential,
  names,
  onClose
}: {
  readonly change: OwnerChange
  readonly credential: Credential
  /** Names of the present owners by id. */
  readonly names: Readonly<Record<string, string>>
  readonly onClose: () => void
}) => {
  const { owners } = credential.attributes
  const [leaving, setLeaving] = useState<PersonKind>("worker")
  const [chosen, setChosen] = useState<Person | null>(null)
  const { error, isPending, submit } = useOwnerChange(change, credential.id, onClose)

  const from = present(owners).find(({ type }) => type === leaving) ?? present(owners)[0]
  const left: Owners = change === "link" || from === undefined ? owners : { ...owners, [from.type]: null }
  const after: Owners = change === "unlink" || chosen === null ? left : { ...left, [chosen.type]: chosen.id }
  const isReady = (change === "link" || from !== undefined) && (change === "unlink" || chosen !== null)

  return (
    <Dialog title={titles[change]} onClose={onClose}>
      <Form
        action={titles[change]}
        change={{ error, isPending }}
        disabled={!isReady}
        onSubmit={() => submit(from, chosen)}
        out={onClose}
      >
        {change === "link" ? null : (
          <SelectField
            label="Present owner"
            value={from?.type ?? leaving}
            options={present(owners).map(({ id, type }) => [type, `${titleOf(type)}: ${names[id] ?? id}`] as const)}
            onChange={(kind) => setLeaving(kind as PersonKind)}
          />
        )}
        {change === "unlink" ? null : (
          <NewOwner
            firstKind={(change === "link" ? emptySlot(owners)?.[0] : undefined) ?? "worker"}
            chosen={chosen}
            onChoose={setChosen}
          />
        )}
        <Change
          before={owners}
          after={after}
          names={chosen === null ? names : { ...names, [chosen.id]: chosen.name }}
        />
      </Form>
    </Dialog>
  )
}
