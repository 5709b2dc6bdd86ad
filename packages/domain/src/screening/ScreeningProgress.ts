import { type Holdings, inForce, satisfiedTypes } from "../holding/Holdings.ts"
import type { Requirements } from "./ScreeningPackage.ts"

/** How many requirements a person meets. */
export type Progress = "NONE" | "SOME" | "ALL"

const progressFrom = (isMet: ReadonlyArray<boolean>): Progress => {
  if (!isMet.includes(true)) return "NONE"
  return isMet.includes(false) ? "SOME" : "ALL"
}

/** Returns the credential types of the requirements, each once. */
export const requiredTypes = (requirements: ReadonlyArray<Requirements>): ReadonlyArray<string> => [
  ...new Set(requirements.flatMap(({ credentialTypes = [] }) => credentialTypes))
]

/**
 * Returns how many of the requirements a person's holdings meet on a day.
 *
 * - A credential type is met by a credential of the type whose owner may engage, or by an exemption from the type.
 * - An exemption type is met by an exemption of exactly that type.
 * - A ban check is never met. Bans are about workers, but only applicants have ban checks, so no record can meet one.
 *
 * Returns NONE without requirements, so the service never completes such an invitation.
 */
export const progressOf = (
  { banChecks = [], credentialTypes = [], exemptionTypes = [] }: Requirements,
  holdings: Holdings,
  today: string
): Progress => {
  const satisfied = satisfiedTypes(holdings, today)
  const exemptions = new Set(inForce(holdings, today).map(({ exemptionType }) => exemptionType))
  return progressFrom([
    ...credentialTypes.map((type) => satisfied.has(type)),
    ...exemptionTypes.map((type) => exemptions.has(type)),
    ...banChecks.map(() => false)
  ])
}
