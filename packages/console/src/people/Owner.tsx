import type { Item } from "../calls/Contract.ts"
import { useMay } from "../calls/Me.ts"
import { addressOf } from "./Person.ts"

/** `include` of a list of credentials that names their owners, if the person may read them. */
export const useOwners = (): string => {
  const may = useMay()
  return may("worker:READ") && may("applicant:READ") ? "owners" : ""
}

/** The worker who owns a credential, else the applicant. */
export const Owner = ({ attributes, owners }: Item<"GET /credentials">) => {
  const { applicant, worker } = attributes.owners
  if (worker !== null) {
    const name = owners?.worker?.identity.displayName ?? "the worker"
    return <a href={addressOf({ type: "worker", id: worker })}>{name}</a>
  }
  if (applicant === null) return null
  const name = owners?.applicant?.displayName ?? owners?.applicant?.emailAddress ?? "the applicant"
  return (
    <>
      <a href={addressOf({ type: "applicant", id: applicant })}>{name}</a> <span class="quiet">applicant</span>
    </>
  )
}
