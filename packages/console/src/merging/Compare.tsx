import { useState } from "preact/hooks"
import { useLocation } from "preact-iso/router"
import type { Data } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { useChange, useRead } from "../calls/Queries.ts"
import { WorkerFacts } from "../people/WorkerFacts.tsx"
import { Screen } from "../shell/Screen.tsx"
import { useUrlState } from "../shell/UrlState.ts"
import { announce } from "../widgets/Announcement.tsx"
import { Button } from "../widgets/Button.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"
import { Loaded } from "../widgets/Loaded.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { lostFields } from "./LostFields.ts"
import { Moving } from "./Moving.tsx"
import { useMayMerge } from "./UndoMerge.tsx"

type Worker = Data<"GET /workers/:id">

/** One of two workers, with everything that belongs to it. */
const Side = ({ isKept, worker }: { readonly worker: Worker; readonly isKept: boolean }) => (
  <section class="block">
    <h2>
      {isKept ? "Keep: " : "Merge: "}
      <a href={`/console/workers/${worker.id}`}>{worker.identity.displayName}</a>
    </h2>
    <WorkerFacts {...worker} />
    <p class="quiet">
      {isKept ? "These fields stay. The following stays, too." : "The following moves. These fields do not."}
    </p>
    <Moving id={worker.id} />
  </section>
)

/** Asks before two workers are merged. */
const Merging = ({
  from,
  onClose,
  worker
}: {
  readonly worker: Worker
  readonly from: Worker
  readonly onClose: () => void
}) => {
  const { route } = useLocation()
  const name = from.identity.displayName
  // The answer removes this dialog.
  const merge = useChange("POST /workers/:id/merge", () => {
    announce(`${name} is merged.`)
    route(`/console/workers/${worker.id}`)
  })
  return (
    <Confirmation
      title={`Merge ${name} into ${worker.identity.displayName}?`}
      action="Merge"
      change={merge}
      onClose={onClose}
      onConfirm={() => merge.mutate({ params: { id: worker.id }, body: { from: from.id } })}
    >
      <p>
        Credentials, exemptions, requests, tasks and answers of registers move to {worker.identity.displayName}. The
        other record leaves all lists. You can undo this for 30 days.
      </p>
    </Confirmation>
  )
}

/** Two workers side by side, and the choice whether they are one person. */
const Pair = ({ from, worker }: { readonly worker: Worker; readonly from: Worker }) => {
  const { route } = useLocation()
  const may = useMay()
  const mayMerge = useMayMerge()
  const [isMerging, setMerging] = useState(false)
  const dismiss = useChange("POST /duplicates/dismiss", () => {
    announce("They are not shown as duplicates any more.")
    route("/console/duplicates")
  })
  const isOver = [worker, from].some(({ deletedAt }) => deletedAt !== undefined)
  const lost = lostFields(worker, from)
  if (isOver) return <p class="notice">One of the two was deleted or merged. There is nothing to merge.</p>
  return (
    <div class="group">
      <div class="actions">
        {mayMerge ? (
          <button type="button" class="main" onClick={() => setMerging(true)}>
            Merge
          </button>
        ) : (
          <p class="quiet">To merge, you need the right to change workers, credentials, exemptions and requests.</p>
        )}
        <a class="button" href={`/console/workers/${from.id}/merge?from=${worker.id}`}>
          Keep the other one
        </a>
        {may("worker:UPDATE") ? (
          <Button
            isBusy={dismiss.isPending}
            onClick={() => dismiss.mutate({ body: { workers: [worker.id, from.id] } })}
          >
            Not the same person
          </Button>
        ) : null}
      </div>
      <Problem error={dismiss.error} />
      {lost.length === 0 ? null : (
        <p class="notice">Only the record that is merged has these fields, and they do not move: {lost.join(", ")}.</p>
      )}
      <div class="pair">
        <Side worker={worker} isKept />
        <Side worker={from} isKept={false} />
      </div>
      {isMerging ? <Merging worker={worker} from={from} onClose={() => setMerging(false)} /> : null}
    </div>
  )
}

/** The worker of the address beside the one of `from`. */
export const Compare = ({ id }: { readonly id: string }) => {
  const [{ from = "" }] = useUrlState()
  const query = { includeDeleted: "true" }
  const worker = useRead("GET /workers/:id", { params: { id }, query })
  const other = useRead("GET /workers/:id", { params: { id: from }, query }, { isWanted: from !== "" })
  return (
    <Screen title="Are they one person?">
      {from === "" ? <p class="notice">Choose a pair in the list of duplicates.</p> : null}
      <Loaded read={worker}>
        {({ data }) => <Loaded read={other}>{(answer) => <Pair worker={data} from={answer.data} />}</Loaded>}
      </Loaded>
    </Screen>
  )
}
