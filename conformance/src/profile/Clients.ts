import type { Client, Profile } from "./Profile.ts"

/** Returns the OAuth clients of a profile by principal. */
export const clientsOf = ({ principals, secondTenant }: Profile): ReadonlyMap<string, Client> => {
  const { admin, rateLimited, revokedClient, secondClient } = principals
  const other = secondTenant?.admin
  const named: ReadonlyArray<readonly [string, Client | undefined]> = [
    ["admin", "oauth" in admin ? admin.oauth : undefined],
    ["secondClient", secondClient],
    ["revokedClient", revokedClient],
    ["rateLimited", rateLimited !== undefined && "oauth" in rateLimited ? rateLimited.oauth : undefined],
    ["secondTenant.admin", other !== undefined && "oauth" in other ? other.oauth : undefined]
  ]
  return new Map(named.filter((entry): entry is readonly [string, Client] => entry[1] !== undefined))
}
