import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { addressOf, mayReadOwners, nameOfIncluded, personKinds } from "./Person.ts"

/** `include` of a list of credentials that names their owners, if the person may read them. */
export const useOwners = (): string => (mayReadOwners(useMay()) ? "owners" : "")

/** The first owner of a credential: the worker, if there is one. */
export const Owner = ({ attributes, owners }: Item<"GET /credentials">) => {
  const kind = personKinds.find((one) => attributes.owners[one] !== null)
  const id = kind && attributes.owners[kind]
  if (kind === undefined || id == null) return null
  const link = <a href={addressOf({ type: kind, id })}>{nameOfIncluded(owners, kind) ?? `the ${kind}`}</a>
  if (kind === "worker") return link
  return (
    <>
      {link} <span class="quiet">{kind}</span>
    </>
  )
}
