import { isEmail } from "../access/Account.ts"
import type { Resource } from "../resource/Resource.ts"
import { at, type JsonObject } from "../shared/Json.ts"

/** Returns the address to which messages to a person go: the first one by preference; undefined if there is none. */
export const addressIn = ({ addresses = [] }: Pick<Resource, "addresses">, fields: JsonObject): string | undefined =>
  addresses.map((path) => at(fields, path)).find((value) => typeof value === "string" && isEmail(value)) as
    | string
    | undefined

/** Whether a change of a person's fields changes the address. A message to the new one can arrive. */
export const movesAddress = (resource: Pick<Resource, "addresses">, before: JsonObject, after: JsonObject): boolean =>
  resource.addresses !== undefined && addressIn(resource, before) !== addressIn(resource, after)

/** The filter of people who cannot be reached: no mail server took the last message to their address, or they have none. */
export const unreachableFilter = {
  unreachable: { by: "equal", column: "unreachable", among: ["true"] }
} as const
