import type { Resource } from "../resource/Resource.ts"
import { isLapsed } from "../shared/CalendarDay.ts"
import { toRfc3339 } from "../shared/Instant.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { Found } from "./ResourceStore.ts"

/** Returns the text without a hidden member, or `undefined` if the member cannot be cut out. */
const without = (text: string | undefined, { always, key }: { key: string; always?: string }): string | undefined => {
  // Quotes within a value are escaped, so only a member has this form.
  const rest = always === undefined ? text : text?.replace(`,"${key}":"${always}"`, "")
  return rest?.includes(`"${key}":`) === true ? undefined : rest
}

/**
 * Returns the JSON text of the document that GET returns, if the stored text of the fields is part of it today.
 * Otherwise the fields must be decoded.
 */
export const verbatimText = <Fields extends JsonObject>(
  { type, verbatim }: Resource<Fields>,
  { createdAt, deletedAt, id, isUnreachable, text, until, updatedAt }: Found<Fields>,
  today: string
): string | undefined => {
  if (verbatim === undefined || deletedAt !== null || isUnreachable) return undefined
  if (until !== "" && isLapsed(until, today)) return undefined
  const plain = verbatim.hidden === undefined ? text : verbatim.hidden.reduce(without, text)
  if (plain === undefined) return undefined
  const fields = plain === "{}" ? "" : `${plain.slice(1, -1)},`
  const times = `"createdAt":"${toRfc3339(createdAt)}","updatedAt":"${toRfc3339(updatedAt)}"`
  return `{"id":${JSON.stringify(id)},"type":"${type}",${fields}${times}}`
}
