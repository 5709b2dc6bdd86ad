import type { ComponentChildren } from "preact"
import { useLocation } from "preact-iso/router"
import { useChange } from "../calls/Queries.ts"
import { announcing } from "../widgets/Announcement.tsx"
import { Confirmation } from "../widgets/Confirmation.tsx"

/**
 * Asks before a record is deleted, then shows its list, or the same screen with `staysHere`. `children` say what the
 * deletion causes.
 */
export const Deletion = ({
  children,
  id,
  staysHere = false,
  list,
  name,
  onClose
}: {
  readonly list:
    | "applicants"
    | "compliance-checks"
    | "credentials"
    | "exemptions"
    | "fetch-requests"
    | "imports"
    | "recruitment-checks"
    | "screening-packages"
    | "verification-sources"
    | "webhooks"
    | "workers"
  readonly id: string
  readonly name: string
  readonly staysHere?: boolean
  readonly onClose: () => void
  readonly children: ComponentChildren
}) => {
  const { route } = useLocation()
  const remove = useChange(`DELETE /${list}/:id`)
  const deleted = announcing(`${name} is deleted.`, () => (staysHere ? onClose() : route(`/console/${list}`)))
  return (
    <Confirmation
      title={`Delete ${name}?`}
      action="Delete"
      change={remove}
      onClose={onClose}
      onConfirm={() => remove.mutate({ params: { id } }, deleted)}
    >
      {children}
    </Confirmation>
  )
}
