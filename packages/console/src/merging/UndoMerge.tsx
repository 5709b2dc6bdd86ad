import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { ConfirmedCall } from "../widgets/ConfirmedCall.tsx"
import { Opener } from "../widgets/Opener.tsx"

export type Merge = Item<"GET /merges">

/** Whether the person may merge workers. */
export const useMayMerge = (): boolean => {
  const may = useMay()
  return (["worker", "credential", "exemption", "captureRequest"] as const).every((type) => may(`${type}:UPDATE`))
}

/** The button that undoes a merge, with its question. Nothing if it is too late, or not allowed. */
export const UndoMerge = ({ from, id, status, undoableUntil, worker }: Merge) => {
  const isPossible = status === "MERGED" && Date.parse(undoableUntil) > Date.now()
  if (!useMayMerge() || !isPossible) return null
  return (
    <Opener
      dialog={(close) => (
        <ConfirmedCall
          call="POST /merges/:id/undo"
          input={{ params: { id } }}
          told={`${from.displayName} is a worker again.`}
          title={`Undo the merge of ${from.displayName} into ${worker.displayName}?`}
          action="Undo the merge"
          onClose={close}
        >
          <p>
            Everything that moved goes back, with its later changes, and both are workers again. What was added after
            the merge stays with {worker.displayName}.
          </p>
        </ConfirmedCall>
      )}
    >
      Undo
    </Opener>
  )
}
