import { useChange } from "../calls/Queries.ts"
import { focusMain } from "../shell/Focus.ts"
import { announce } from "../widgets/Announcement.tsx"
import { Button } from "../widgets/Button.tsx"
import { Problem } from "../widgets/Problem.tsx"
import { Time } from "../widgets/Time.tsx"

/** Says that a record is deleted, and undoes it for those who may. */
export const Deleted = ({
  at,
  erasedAt,
  id,
  isAllowed,
  list,
  name
}: {
  readonly list: "applicants" | "credentials" | "workers"
  readonly id: string
  readonly name: string
  readonly at: string
  /** When the personal data was erased. Nothing restores the record then. */
  readonly erasedAt: string | undefined
  readonly isAllowed: boolean
}) => {
  // The button goes away, and would take the focus with it.
  const restore = useChange(`POST /${list}/:id/restore`, () => {
    announce(`${name} is restored.`)
    focusMain()
  })
  return (
    <div class="notice">
      <p>
        Deleted on <Time at={at} />. It counts for nobody, and lists show it only with “Show deleted”.
      </p>
      {erasedAt === undefined ? null : (
        <p>
          The personal data was erased on <Time at={erasedAt} />. Nothing can restore it.
        </p>
      )}
      {isAllowed && erasedAt === undefined ? (
        <Button isBusy={restore.isPending} onClick={() => restore.mutate({ params: { id } })}>
          Restore
        </Button>
      ) : null}
      <Problem error={restore.error} />
    </div>
  )
}
