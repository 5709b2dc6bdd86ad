import type { Privilege } from "@wcs/domain/access/Privilege"
import { type LegacyGuard, legacyCalls } from "@wcs/domain/legacy/LegacyAccess"
import type { StepUp } from "@wcs/domain/session/StepUp"
import type { JsonObject } from "@wcs/domain/shared/Json"
import type { Endpoint } from "../Endpoints.ts"
import type { Guard } from "../Guard.ts"
import { mapOperations } from "./Operations.ts"

const namesOf = (privileges: ReadonlyArray<Privilege>): string =>
  privileges
    .map(({ entityType, operation }) => `${entityType} ${operation}`)
    .join(", ")
    .replace(/, ([^,]*)$/, " and $1")

const askedBy = ({ privileges, tier }: Guard): string =>
  `Requires ${privileges.length === 0 ? "no privilege" : namesOf(privileges)}. Rate limit: ${tier}.`

const askedOfSessions = ({ takesTokens }: StepUp): string =>
  `${takesTokens ? "" : "Accepts sessions only. "}A session needs a login or step-up within the last 15 minutes, otherwise 401 (RFC 9470).`

/** The requirements of a legacy call. Empty if unverified accounts may call. */
const askedByLegacy = ({ privileges, unverified }: LegacyGuard): ReadonlyArray<string> => {
  if (unverified) return []
  return [
    `Requires ${["a verified account", ...(privileges.length === 0 ? [] : [namesOf(privileges)])].join(" and ")}.`
  ]
}

/** Adds the required privileges, rate limit tier and login to each description (§5.2, item 7). */
export const describeGuards = (endpoints: ReadonlyArray<Endpoint>, document: JsonObject): JsonObject => {
  const known = new Map(endpoints.map((endpoint) => [endpoint.name, endpoint]))
  return mapOperations(document, ({ description, ...operation }) => {
    const { guard, legacyCall, stepUp } = known.get(String(operation["operationId"])) ?? {}
    const words = [
      ...(description === undefined ? [] : [description]),
      ...(guard === undefined ? [] : [askedBy(guard)]),
      ...(stepUp === undefined ? [] : [askedOfSessions(stepUp)]),
      ...(legacyCall === undefined ? [] : askedByLegacy(legacyCalls[legacyCall]))
    ]
    return words.length === 0 ? operation : { ...operation, description: words.join(" ") }
  })
}
