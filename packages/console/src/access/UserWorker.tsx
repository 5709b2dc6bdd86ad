import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay, useMe } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { addressOf, type Person } from "../people/Person.ts"
import { PersonPicker } from "../people/PersonPicker.tsx"
import { announcing } from "../widgets/Announcement.tsx"
import { Button } from "../widgets/Button.tsx"
import { Dialog } from "../widgets/Dialog.tsx"
import { Form } from "../widgets/Form.tsx"

type User = Item<"GET /users">

/** The name of a user's worker; the id until it is read, or if the person may not read workers. */
const useNameOf = (id: string | undefined): string => {
  const isWanted = useMay()("worker:READ") && id !== undefined
  const params = { id: id ?? "" }
  const read = useRead("GET /workers/:id", { params, query: { includeDeleted: "true" } }, { isWanted })
  return read.data?.data.identity.displayName ?? id ?? ""
}

/** The worker that a user is. */
export const UserWorker = ({ worker }: User) => {
  const name = useNameOf(worker?.id)
  return worker === null ? null : <a href={addressOf({ type: "worker", id: worker.id })}>{name}</a>
}

/** Links a user to a worker, or removes the link. */
export const WorkerChange = ({ onClose, user }: { readonly user: User; readonly onClose: () => void }) => {
  const update = useChange("PATCH /users/:id")
  const me = useMe()
  const present = useNameOf(user.worker?.id)
  const [chosen, setChosen] = useState<Person | null>(null)
  const save = (worker: User["worker"], told: string) =>
    update.mutate({ params: { id: user.id }, body: { worker } }, announcing(told, onClose))
  const isOwnLink = user.worker !== null && user.account === me?.account
  return (
    <Dialog title={`Worker of ${user.email}`} onClose={onClose}>
      {isOwnLink ? (
        <p>You are linked to {present}. Another administrator has to change your own link.</p>
      ) : (
        <Form
          action="Link"
          change={update}
          disabled={chosen === null}
          onSubmit={() => chosen !== null && save({ id: chosen.id }, `${user.email} is linked to ${chosen.name}.`)}
          out={onClose}
        >
          <p>A user who is also a worker cannot verify the credentials of this worker, or decide on them.</p>
          {user.worker === null ? null : (
            <p>
              Linked to {present}.{" "}
              <Button
                class="small"
                isBusy={update.isPending}
                onClick={() => save(null, `${user.email} is linked to no worker.`)}
              >
                Remove the link
              </Button>
            </p>
          )}
          <PersonPicker label="Worker" kind="worker" chosen={chosen} onChoose={setChosen} />
        </Form>
      )}
    </Dialog>
  )
}
