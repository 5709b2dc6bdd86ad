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

interface Linked {
  readonly worker?: { readonly id: string }
  readonly applicant?: { readonly id: string }
  readonly owners?: Parameters<typeof nameOfIncluded>[0]
}

/** The person whom a record names. */
export const NamedPerson = (record: Linked) => {
  const kind = personKinds.find((one) => record[one] !== undefined)
  const id = kind && record[kind]?.id
  if (kind === undefined || id === undefined) return null
  return <a href={addressOf({ type: kind, id })}>{nameOfNamed(record)}</a>
}

/** The name of the person whom a record names. */
export const nameOfNamed = (record: Linked): string => {
  const kind = personKinds.find((one) => record[one] !== undefined) ?? "worker"
  return nameOfIncluded(record.owners, kind) ?? `the ${kind}`
}
