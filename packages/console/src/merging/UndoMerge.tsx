import { useState } from "preact/hooks"
import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange } from "../calls/Queries.ts"
import { focusMain } from "../shell/Focus.ts"
import { announce } from "../widgets/Announcement.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"

export type Merge = Item<"GET /merges">

/** Whether the person may merge workers. */
export const useMayMerge = (): boolean => {
  const may = useMay()
  return (["worker", "credential", "exemption", "captureRequest"] as const).every((type) => may(`${type}:UPDATE`))
}

/** The button that undoes a merge, with its question. Nothing if it is too late, or not allowed. */
export const UndoMerge = ({ from, id, status, undoableUntil, worker }: Merge) => {
  const [isAsking, setAsking] = useState(false)
  // The answer removes this button.
  const undo = useChange("POST /merges/:id/undo", () => {
    announce(`${from.displayName} is a worker again.`)
    setAsking(false)
    focusMain()
  })
  const isPossible = status === "MERGED" && Date.parse(undoableUntil) > Date.now()
  if (!useMayMerge() || !isPossible) return null
  return (
    <>
      <button type="button" class="small" onClick={() => setAsking(true)}>
        Undo
      </button>
      {isAsking ? (
        <Confirmation
          title={`Undo the merge of ${from.displayName} into ${worker.displayName}?`}
          action="Undo the merge"
          change={undo}
          onClose={() => setAsking(false)}
          onConfirm={() => undo.mutate({ params: { id } })}
        >
          <p>
            Everything that moved goes back, with its later changes, and both are workers again. What was added after
            the merge stays with {worker.displayName}.
          </p>
        </Confirmation>
      ) : null}
    </>
  )
}
