import type { OwnerReference } from "../ownership/Ownership.ts"
import { addressIn } from "../people/Address.ts"
import { ownerResources } from "../people/Owner.ts"
import type { Resource } from "../resource/Resource.ts"
import type { MessageState, Placed } from "./Message.ts"

/** Whether an end of a message says that its recipient cannot be reached. Other ends say nothing about it. */
const isUnreachableAfter: Readonly<Partial<Record<MessageState, boolean>>> = {
  ACCEPTED: false,
  REFUSED: true,
  NO_ADDRESS: true
}

/**
 * The end of a message, with what it says about the address of the person that was read for it. If the person has another
 * address by now, it says nothing.
 */
export const withReach = (placed: Placed, person: OwnerReference | undefined, address: string | undefined): Placed => {
  const isUnreachable = isUnreachableAfter[placed.message.fields.state]
  if (person === undefined || isUnreachable === undefined) return placed
  const resource: Resource = ownerResources[person.type] as unknown as Resource
  return {
    ...placed,
    reach: {
      resource,
      id: person.id,
      decide: ({ fields }) => (addressIn(resource, fields) === address ? isUnreachable : undefined)
    }
  }
}
