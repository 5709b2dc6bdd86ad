import { Schema } from "effect"
import { type Instant, toRfc3339 } from "../shared/Instant.ts"
import { equals, isObject, type JsonObject, type JsonValue, type Path } from "../shared/Json.ts"

/** A field that a change of a record set, changed or removed. */
export const FieldChange = Schema.Struct({
  field: Schema.String.annotate({ description: "Path of the field in the answers of the record, with dots." }),
  before: Schema.Json.annotate({ description: "The value before the change. Null if the field was absent." }),
  after: Schema.Json.annotate({ description: "The value after the change. Null if the field is absent." })
}).annotate({ identifier: "FieldChange" })

export type FieldChange = typeof FieldChange.Type

/** A version of a record with its fields; `undefined` if they were erased. */
export interface VersionFields {
  readonly version: number
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly deletedAt: Instant | null
  readonly fields: JsonObject | undefined
}

/** Returns the values of a document by path. A list is one value. */
const leavesOf = (document: JsonObject, within = ""): ReadonlyArray<readonly [field: string, value: JsonValue]> =>
  Object.entries(document).flatMap(([key, value]) => {
    const field = `${within}${key}`
    if (isObject(value)) return leavesOf(value, `${field}.`)
    return value === null ? [] : [[field, value] as const]
  })

const leavesOfVersion = (fields: JsonObject, deletedAt: Instant | null): ReadonlyMap<string, JsonValue> =>
  new Map([...leavesOf(fields), ...(deletedAt === null ? [] : [["deletedAt", toRfc3339(deletedAt)] as const])])

/** Returns the fields that differ, in the order of their names. Null and absent are equal. */
const between = (before: ReadonlyMap<string, JsonValue>, after: ReadonlyMap<string, JsonValue>) =>
  [...new Set([...before.keys(), ...after.keys()])]
    .sort()
    .map((field): FieldChange => ({ field, before: before.get(field) ?? null, after: after.get(field) ?? null }))
    .filter((change) => !equals(change.before, change.after))

/**
 * Returns what changed at a time. `versions` are those of one record, in order, with the version before each of that
 * time. Changes of the same millisecond are one. Null if a version is missing or erased. A first version sets all
 * fields. `internal` are the paths of fields that no answer shows, with all below them.
 */
export const changesAt = (
  versions: ReadonlyArray<VersionFields>,
  at: Instant,
  internal: ReadonlyArray<Path>
): ReadonlyArray<FieldChange> | null => {
  const hidden = internal.map((path) => `${path.join(".")}.`)
  const first = versions.findIndex(({ updatedAt }) => updatedAt === at)
  const after = versions.findLast(({ updatedAt }) => updatedAt === at)
  const before = versions[first - 1]
  if (after?.fields === undefined || (before !== undefined && before.fields === undefined)) return null
  // The first version that is kept can be later than the creation.
  if (before === undefined && versions[first]?.createdAt !== at) return null
  const earlier = before?.fields === undefined ? new Map() : leavesOfVersion(before.fields, before.deletedAt)
  return between(earlier, leavesOfVersion(after.fields, after.deletedAt)).filter(
    ({ field }) => !hidden.some((path) => `${field}.`.startsWith(path))
  )
}
