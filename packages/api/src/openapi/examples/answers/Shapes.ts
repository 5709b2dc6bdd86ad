import type { JsonObject, JsonValue } from "@wcs/domain/shared/Json"
import { requests } from "../Requests.ts"
import { shownAs } from "../ShownAs.ts"

export const { laterDate, laterTime, nextCursor, number, requestId, time } = shownAs

/** The nth id that no request names. */
export const other = (prefix: string, nth: number): string => `${prefix}_${String(nth).padStart(16, "0")}`

export const correlation = (nth: number): string => `01KJQ3T5D8Y4W2${String(nth).padStart(12, "0")}`

export const bodyOf = (operation: string): JsonObject => requests[operation]?.body ?? {}

export const answer = (data: JsonValue, meta: JsonObject = {}): JsonObject => ({ data, meta: { requestId, ...meta } })

export const page = (data: ReadonlyArray<JsonValue>, pageSize = 25, cursor: string | null = null): JsonObject =>
  answer(data, { pageSize, nextCursor: cursor })

/** A page of one item, which others follow. */
export const firstOf = (item: JsonObject): JsonObject => page([item], 1, nextCursor)

export const batch = (items: ReadonlyArray<JsonObject>, succeeded: number): JsonObject =>
  answer(items, { total: items.length, succeeded, failed: items.length - succeeded })

export const created = { createdAt: time, updatedAt: time }

export const account = `urn:wcs:account:${other("acc", 1)}`

export const bearer = { kind: "personal", id: other("pat", 1) }

export const createdBy = { account, bearer }

/** The answers of a resource whose operations return its fields as they were sent, and others. */
export const asSent = (group: string, type: string, id: string, others: JsonObject = {}, listed = 25) => {
  const shown = (body: JsonObject) => ({ id, type, ...body, ...others, ...created })
  const [first, replaced] = [shown(bodyOf(`${group}.create`)), shown(bodyOf(`${group}.replace`))]
  return {
    [`${group}.create`]: answer(first),
    [`${group}.list`]: page([first], listed),
    [`${group}.read`]: answer(first),
    [`${group}.replace`]: answer(replaced),
    [`${group}.patch`]: answer({ ...replaced, ...bodyOf(`${group}.patch`) })
  }
}
