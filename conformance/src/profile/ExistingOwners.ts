import type { Profile } from "./Profile.ts"

/** The types of owners of a credential (§2.2). */
export type OwnerType = "worker" | "applicant"

/** Returns the ids of the existing owners of a type that the profile names; empty if the suite creates its own. */
export const existingOwners = ({ owners }: Profile, type: OwnerType): ReadonlyArray<string> =>
  owners?.[type]?.existing ?? []

/**
 * Whether the profile names this owner, escaped or not. It belongs to others: the suite never changes or deletes it.
 */
export const isExistingOwner = (profile: Profile, id: string): boolean =>
  (["worker", "applicant"] as const).some((type) =>
    existingOwners(profile, type).some((known) => known === id || encodeURIComponent(known) === id)
  )
