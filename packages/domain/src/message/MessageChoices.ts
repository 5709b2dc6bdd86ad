import { Schema, SchemaAST } from "effect"
import { versionsOf } from "../audit/ToldFields.ts"
import type { EntityTag } from "../resource/EntityTag.ts"
import type { Resource } from "../resource/Resource.ts"
import type { Sha256 } from "../shared/Digest.ts"
import { isObject, type JsonObject, type JsonValue } from "../shared/Json.ts"
import { Message } from "./Message.ts"
import { officerKindNames } from "./MessageKind.ts"
import { MessageSettings } from "./MessageSettings.ts"

/** The fields. A version can lack each: an earlier release had fewer, and other choices have other fields. */
const optional = (fields: Schema.Struct.Fields): Schema.Struct.Fields =>
  Object.fromEntries(
    Object.entries(fields).map(([name, field]) => [
      name,
      SchemaAST.isOptional(field.ast) ? field : Schema.optionalKey(field)
    ])
  )

/**
 * Versions of the settings of a tenant, by the tenant's id, and of what users receive, by their ids: for the audit log. The
 * store writes one with each change.
 */
export const MessageChoices: Resource = versionsOf(Message, {
  ...optional(MessageSettings.fields),
  ...optional(Object.fromEntries(officerKindNames.map((kind) => [kind, Schema.Boolean])))
})

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
