import { Schema } from "effect"

// Fields of many answers, with their descriptions in the OpenAPI document.

/** `type` of an answer. */
export const typeField = <const Type extends string>(type: Type) =>
  Schema.Literal(type).annotate({
    description: `Always \`${type}\`, so that programs can tell kinds of objects apart.`
  })

/** A time, as text by RFC 3339. */
export const time = Schema.String.annotate({ format: "date-time" })

export const timeOrNull = (description: string) => Schema.NullOr(time).annotate({ description })

export const createdAt = time.annotate({
  description: "When the server created the item: UTC, with milliseconds. It never changes."
})

export const updatedAt = time.annotate({
  description: "When the item last changed, by a caller or the server: UTC, with milliseconds."
})

export const deletedAt = Schema.optionalKey(
  time.annotate({
    description: "When the item was deleted: UTC, with milliseconds. Absent unless it is deleted."
  })
)

export const revokedAt = timeOrNull("When the item was revoked. Null if it was not. A revocation is final.")

/** `requestId` of the record of an earlier call. */
export const recordedRequestId = Schema.String.annotate({
  description:
    "The `X-Request-Id` of the call that caused this entry. Actions of the operator and the server have an id of their own."
})
