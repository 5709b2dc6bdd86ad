import { Schema } from "effect"
import type { EntityTag } from "../resource/EntityTag.ts"
import type { Resource } from "../resource/Resource.ts"
import type { Sha256 } from "../shared/Digest.ts"
import { isObject, type JsonObject, type JsonValue } from "../shared/Json.ts"

/**
 * Versions of the settings of a tenant, by the tenant's id, and of what users receive, by their ids: for the audit log. The
 * store writes one with each change. Their fields are not listed here, because a version of an earlier release can lack some.
 */
export const MessageChoices = {
  type: "message",
  naming: { by: "minting", kind: "message" },
  collection: "messages",
  fields: Schema.Record(Schema.String, Schema.Json),
  computed: [],
  fixed: [],
  defaults: [],
  links: [],
  columns: {},
  filters: {},
  sorts: {}
} as const satisfies Resource

/** The value with the keys of each object in order. */
const ordered = (value: JsonValue | undefined): JsonValue | undefined =>
  isObject(value)
    ? Object.fromEntries(
        Object.keys(value)
          .sort()
          .flatMap((key) => {
            const inner = ordered(value[key])
            return inner === undefined ? [] : [[key, inner]]
          })
      )
    : value

/** Returns the tag of choices: equal for equal ones. The answers show other values, too. */
export const choicesTag = (sha256: Sha256, choices: JsonObject): EntityTag => ({
  text: `"${sha256(JSON.stringify(ordered(choices))).slice(0, 22)}"`,
  isWhole: false
})
