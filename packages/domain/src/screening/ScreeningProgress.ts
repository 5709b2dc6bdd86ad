import { type Holdings, inForce, satisfiedTypes } from "../credential/Holdings.ts"
import type { Requirements } from "./ScreeningPackages.ts"

/** How many of its requirements a person meets. */
export type Progress = "NONE" | "SOME" | "ALL"

const progressFrom = (isMet: ReadonlyArray<boolean>): Progress => {
  if (!isMet.includes(true)) return "NONE"
  return isMet.includes(false) ? "SOME" : "ALL"
}

/**
 * How many of the requirements a person's holdings meet on a day.
 *
 * - A credential type is met by a credential of the type that lets its owner engage, or by an exemption from the type.
 * - An exemption type is met by an exemption of exactly that type.
 * - A ban check is never met. Bans are recorded about workers, and only applicants are asked for ban checks:
 *   no record can show that an applicant was checked, so the service never claims it.
 *
 * NONE if there are no requirements: nobody can complete what asks for nothing.
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
