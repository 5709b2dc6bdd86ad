import type { OwnerReference } from "../ownership/Ownership.ts"
import { addressIn } from "../people/Address.ts"
import { ownerResources } from "../people/Owner.ts"
import type { Resource } from "../resource/Resource.ts"
import type { Outcome, Placed } from "./Message.ts"

/**
 * Whether the outcome of an attempt says that its recipient cannot be reached. A refusal of the content says nothing about
 * the address, and other outcomes neither. Without an outcome there was no address.
 */
const isUnreachableAfter = (outcome: Outcome | undefined): boolean | undefined => {
  if (outcome === undefined) return true
  if (outcome._tag === "Accepted") return false
  return outcome._tag === "Refused" && outcome.isOfAddress === true ? true : undefined
}

/**
 * The end of a message, with what its outcome says about the address of the person that was read for it. If the person has
 * another address by now, it says nothing.
 */
export const withReach = (
  placed: Placed,
  person: OwnerReference | undefined,
  address?: string,
  outcome?: Outcome
): Placed => {
  const isUnreachable = isUnreachableAfter(outcome)
  if (person === undefined || isUnreachable === undefined) return placed
  const resource: Resource = ownerResources[person.type] as Resource
  return {
    ...placed,
    reach: {
      resource,
      id: person.id,
      decide: ({ fields }) => (addressIn(resource, fields) === address ? isUnreachable : undefined)
    }
  }
}
