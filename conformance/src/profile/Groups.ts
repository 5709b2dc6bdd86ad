import { impacts } from "../catalogue/Impact.ts"
import { limitsOf } from "./Limits.ts"
import type { Profile } from "./Profile.ts"

/** The groups of §4.2, by entity type. */
export const tablePaths = {
  worker: "/workers",
  credential: "/credentials",
  credentialCheck: "/recruitment-checks",
  captureRequest: "/fetch-requests",
  exemption: "/exemptions",
  webhook: "/webhooks",
  ban: "/bans"
} as const

/** The further groups that it names without showing their paths, by what profiles call their entity types. */
export const furtherPaths = { applicant: "/applicants", screeningPackage: "/screening-packages" } as const

const usualPaths: Readonly<Record<string, string>> = { ...tablePaths, ...furtherPaths }

/** Whether an entity type is one of §4.2's table. */
export const isOfTable = (type: string): boolean => Object.hasOwn(tablePaths, type)

/** Where a group stands: as the profile says, else as the specification does; undefined where neither does. */
export const placeOf = ({ groups }: Profile, type: string): string | undefined =>
  groups?.[type]?.path ?? (Object.hasOwn(usualPaths, type) ? usualPaths[type] : undefined)

/** The types of which a deleted one occupies its id for ever (§3): making one cannot be undone. */
const lasting = ["complianceCheck"]

/** What users make for themselves, with a secret. Principals that are no users may be refused, and users read their own. */
const issued = ["accessToken", "apiClient"]

/** Whether only the rules about its secret are about an entity type. */
export const isIssued = (type: string): boolean => issued.includes(type)

/** Whether a run may make resources of a type, as far as undoing it goes. */
const isAllowed = (profile: Profile, type: string): boolean =>
  !lasting.includes(type) || impacts.indexOf(limitsOf(profile).ceiling) >= impacts.indexOf("irreversible")

/** The types that any walk may make: workers, as §4.2 shows it, and what the profile has a body for. */
export const makeableTypesOf = (profile: Profile): ReadonlyArray<string> =>
  [...new Set(["worker", "credential", ...Object.keys(profile.groups ?? {})])].filter((type) => {
    const isTold = profile.groups?.[type]?.create !== undefined && placeOf(profile, type) !== undefined
    return type === "worker" || (isTold && !isIssued(type) && isAllowed(profile, type))
  })

/**
 * The path of a list that shows what was made under a name: the profile's, else what §4.2 shows for workers;
 * undefined where nobody says of one.
 */
export const findPathOf = (profile: Profile, type: string, unique: string): string | undefined => {
  const named = profile.groups?.[type]?.find?.replaceAll("{{unique}}", encodeURIComponent(unique))
  return named ?? (type === "worker" ? `/workers?externalId=${encodeURIComponent(unique)}` : undefined)
}
