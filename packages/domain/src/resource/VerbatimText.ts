import { isLapsed } from "../shared/CalendarDay.ts"
import { toRfc3339 } from "../shared/Instant.ts"
import type { JsonObject } from "../shared/Json.ts"
import type { Resource } from "./Resource.ts"
import type { Found } from "./ResourceStore.ts"

/**
 * Returns the JSON text of the document that GET returns, if the stored text of the fields is part of it today.
 * Otherwise the fields must be decoded.
 */
export const verbatimText = <Fields extends JsonObject>(
  { type, verbatim }: Resource<Fields>,
  { createdAt, id, text, until, updatedAt }: Found<Fields>,
  today: string
): string | undefined => {
  if (verbatim === undefined || text === undefined) return undefined
  if (until !== "" && isLapsed(until, today)) return undefined
  // Quotes within a value are escaped, so only a key has this form.
  if (verbatim.hidden?.some((key) => text.includes(`"${key}":`)) === true) return undefined
  const fields = text === "{}" ? "" : `${text.slice(1, -1)},`
  const times = `"createdAt":"${toRfc3339(createdAt)}","updatedAt":"${toRfc3339(updatedAt)}"`
  return `{"id":${JSON.stringify(id)},"type":"${type}",${fields}${times}}`
}
