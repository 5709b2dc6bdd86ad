import { impacts } from "./Impact.ts"
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

/** Groups that §4.2 names without a path, by their entity types in profiles. */
export const furtherPaths = { applicant: "/applicants", screeningPackage: "/screening-packages" } as const

const usualPaths: Readonly<Record<string, string>> = { ...tablePaths, ...furtherPaths }

/** Whether an entity type is one of §4.2's table. */
export const isOfTable = (type: string): boolean => Object.hasOwn(tablePaths, type)

/** Returns the path of a group from the profile or the specification, or undefined. */
export const groupPathOf = ({ groups }: Profile, type: string): string | undefined =>
  groups?.[type]?.path ?? (Object.hasOwn(usualPaths, type) ? usualPaths[type] : undefined)

/** The entity types that the specification or the profile names. */
export const usualTypes = ({ groups = {} }: Profile): ReadonlyArray<string> => [
  ...new Set([...Object.keys(usualPaths), ...Object.keys(groups)])
]

/** Types whose deleted resources keep their id (§3). Creating one is irreversible. */
const lasting = ["complianceCheck"]

/** Types that users create for themselves, with a secret. Principals without a user may be refused. */
const issued = ["accessToken", "apiClient"]

/** Whether an entity type is used only by the rules about its secret. */
export const isIssued = (type: string): boolean => issued.includes(type)

/** Whether the ceiling allows a run to create resources of a type. */
const isAllowed = (profile: Profile, type: string): boolean =>
  !lasting.includes(type) || impacts.indexOf(limitsOf(profile).ceiling) >= impacts.indexOf("irreversible")

/** Returns the types that any walk may create: workers (§4.2), and types with a create body in the profile. */
export const makeableTypesOf = (profile: Profile): ReadonlyArray<string> =>
  [...new Set(["worker", "credential", ...Object.keys(profile.groups ?? {})])].filter((type) => {
    const isTold = profile.groups?.[type]?.create !== undefined && groupPathOf(profile, type) !== undefined
    return type === "worker" || (isTold && !isIssued(type) && isAllowed(profile, type))
  })

/**
 * Returns the path of a list that finds a resource by name: from the profile, or from §4.2 for workers. Returns
 * undefined if there is none.
 */
export const findPathOf = (profile: Profile, type: string, unique: string): string | undefined => {
  const named = profile.groups?.[type]?.find?.replaceAll("{{unique}}", encodeURIComponent(unique))
  return named ?? (type === "worker" ? `/workers?externalId=${encodeURIComponent(unique)}` : undefined)
}
