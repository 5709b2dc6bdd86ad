import { Schema } from "effect"
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

/** What GET of a person says besides the stored fields. */
export const Reach = Schema.Struct({
  unreachable: Schema.optionalKey(Schema.Literal(true)).annotateKey({
    description:
      "True if no e-mail of the service reaches the person: the mail server refused the address of the last message that it " +
      "answered, or there was no address, and the address has not changed since. Otherwise absent. Only GET of one person " +
      "shows it; lists have the filter `unreachable`. It changes the `ETag` of the answer, but not `updatedAt`, and no event " +
      "tells of it."
  })
})
export type Reach = typeof Reach.Type

/** The filter of people who cannot be reached: the mail server refused the address, or they have none. */
export const unreachableFilter = {
  unreachable: { by: "equal", column: "unreachable", among: ["true"] }
} as const
