import { Schema } from "effect"
import type { Instant } from "../shared/Instant.ts"
import { toRfc3339 } from "../shared/Instant.ts"
import { at, equals, type JsonObject, put } from "../shared/Json.ts"
import type { Resource, Stored } from "./Resource.ts"
import { time } from "./ShownFields.ts"

/** The field `erasedAt` of a document. */
export const ErasedAt = Schema.optionalKey(time).annotateKey({
  description:
    "When the personal data was erased. Set by the server. The resource stays deleted for ever. Absent if it was not erased."
})

/** The text in place of a required text that was erased. */
export const erasedText = "(erased)"

/** Whether the personal data of a resource was erased. Nothing can restore it. */
export const isErased = ({ erasedAt }: Resource, fields: JsonObject): boolean =>
  erasedAt !== undefined && at(fields, erasedAt) !== undefined

/** Whether restore cannot bring a deleted resource back: it was erased, or another one continues it after a merge. */
export const isGone = (resource: Resource, fields: JsonObject): boolean =>
  isErased(resource, fields) || (resource.mergedInto !== undefined && at(fields, resource.mergedInto) !== undefined)

/**
 * Returns the resource as deleted for ever, without its personal data. Ids, verdicts and dates of verdicts stay. Erasing
 * again changes nothing and returns the same object.
 */
export const erase = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  stored: Stored<Fields>,
  now: Instant
): Stored<Fields> => {
  const { erasedAt, personal = [] } = resource
  if (isErased(resource, stored.fields)) return stored
  const without = personal.reduce<JsonObject>((fields, { as, path }) => put(fields, path, as), stored.fields)
  const fields = (erasedAt === undefined ? without : put(without, erasedAt, toRfc3339(now))) as Fields
  if (stored.deletedAt !== null && equals(fields, stored.fields)) return stored
  return { ...stored, version: stored.version + 1, updatedAt: now, deletedAt: stored.deletedAt ?? now, fields }
}
