import { useRead } from "../calls/Queries.ts"
import { Time } from "../widgets/Time.tsx"
import { movedWords } from "./Moving.tsx"
import { UndoMerge } from "./UndoMerge.tsx"

/** The workers that were merged into this one, each with its undo. */
export const MergedHere = ({ id }: { readonly id: string }) => {
  const { data } = useRead("GET /merges", { query: { workerId: id, status: "MERGED", pageSize: "100" } })
  if (data === undefined || data.data.length === 0) return null
  return (
    <section class="block">
      <h2>Merged records</h2>
      <ul>
        {data.data.map((merge) => (
          <li key={merge.id}>
            <a href={`/console/workers/${merge.from.id}`}>{merge.from.displayName}</a> on <Time at={merge.createdAt} />,
            with {movedWords(merge.moved)} <UndoMerge {...merge} />
          </li>
        ))}
      </ul>
    </section>
  )
}

/** Where a merged worker went, with the undo. */
export const MergedAway = ({ id, intoId }: { readonly id: string; readonly intoId: string }) => {
  const { data } = useRead("GET /merges", { query: { fromId: id, status: "MERGED", pageSize: "1" } })
  const merge = data?.data[0]
  return (
    <div class="notice">
      <p>
        This record was merged into{" "}
        <a href={`/console/workers/${intoId}`}>{merge?.worker.displayName ?? "another worker"}</a>. Everything that
        belonged to it is there.
      </p>
      {merge === undefined ? null : <UndoMerge {...merge} />}
    </div>
  )
}
