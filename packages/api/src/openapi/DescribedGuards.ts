import type { Privilege } from "@wcs/domain/access/Privilege"
import { type LegacyGuard, legacyCalls } from "@wcs/domain/legacy/LegacyAccess"
import type { StepUp } from "@wcs/domain/login/StepUp"
import type { JsonObject } from "@wcs/domain/shared/Json"
import type { Endpoint } from "../Endpoints.ts"
import type { Guard } from "../Guard.ts"
import { mapOperations } from "./Operations.ts"

const namesOf = (privileges: ReadonlyArray<Privilege>): string =>
  privileges.map(({ entityType, operation }) => `${entityType} ${operation}`).join(" and ")

const askedBy = ({ privileges, tier }: Guard): string =>
  `Asks for ${privileges.length === 0 ? "no privilege" : namesOf(privileges)}, and is paid from the ${tier} rate limit.`

const askedOfSessions = ({ takesTokens }: StepUp): string =>
  `${takesTokens ? "A session" : "Takes a session only. It"} needs a login or step-up of the last 15 minutes: 401 (RFC 9470).`

/** What the legacy surface asks beside who calls: nothing where an account that is not verified may call too. */
const askedByLegacy = ({ privileges, unverified }: LegacyGuard): ReadonlyArray<string> => {
  if (unverified) return []
  return [
    `Asks for ${["a verified account", ...(privileges.length === 0 ? [] : [namesOf(privileges)])].join(" and ")}.`
  ]
}

/** An OpenAPI document whose operations say what they ask of their callers (§5.2, item 7). */
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
