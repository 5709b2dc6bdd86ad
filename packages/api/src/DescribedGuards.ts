import type { JsonObject } from "@wcs/domain/Json"
import type { Endpoint } from "./Endpoints.ts"
import type { Guard } from "./Guard.ts"
import { mapOperations } from "./Operations.ts"

const askedBy = ({ privileges, tier }: Guard): string => {
  const asked = privileges.map(({ entityType, operation }) => `${entityType} ${operation}`).join(" and ")
  return `Asks for ${asked}, and is paid from the ${tier} rate limit.`
}

/** An OpenAPI document whose operations say what they ask of their callers (section 5.2, item 7). */
export const describeGuards = (endpoints: ReadonlyArray<Endpoint>, document: JsonObject): JsonObject => {
  const guards = new Map(endpoints.map(({ guard, name }) => [name, guard]))
  return mapOperations(document, ({ description, ...operation }) => {
    const guard = guards.get(String(operation["operationId"]))
    const words = [
      ...(description === undefined ? [] : [description]),
      ...(guard === undefined ? [] : [askedBy(guard)])
    ]
    return words.length === 0 ? operation : { ...operation, description: words.join(" ") }
  })
}
