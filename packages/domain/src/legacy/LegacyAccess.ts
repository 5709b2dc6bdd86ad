import { Data, Result } from "effect"
import type { Forbidden, Privilege, PrivilegeRules, Privileges } from "../access/Privilege.ts"
import type { User } from "../user/User.ts"

/** How a caller of the legacy surface authenticates (§5.1). */
export type LegacyScheme = "Basic" | "Bearer"

/** The access rule of a legacy call. */
export interface LegacyGuard {
  readonly schemes: ReadonlyArray<LegacyScheme>
  /** Whether an unverified account may call. */
  readonly unverified: boolean
  readonly privileges: ReadonlyArray<Privilege>
}

/**
 * The legacy calls of §4.1. Basic is for reading the own id and for getting a token; all other calls need Bearer (§5.1,
 * items 1 and 3). An unverified account may only make these two calls (item 6; DECISIONS.md#fields).
 */
export const legacyCalls = {
  me: { schemes: ["Basic", "Bearer"], unverified: true, privileges: [] },
  token: { schemes: ["Basic"], unverified: true, privileges: [] },
  organization: { schemes: ["Bearer"], unverified: false, privileges: [] },
  constituents: { schemes: ["Bearer"], unverified: false, privileges: [{ entityType: "worker", operation: "READ" }] },
  scan: { schemes: ["Bearer"], unverified: false, privileges: [{ entityType: "credential", operation: "CREATE" }] }
} as const satisfies Record<string, LegacyGuard>

export type LegacyCall = keyof typeof legacyCalls

/** The account is not verified (§5.1, item 6). */
export class AccountUnverified extends Data.TaggedError("AccountUnverified") {}

/** The resource belongs to another organization (§5.1, item 6). */
export class OtherOrganization extends Data.TaggedError("OtherOrganization") {}

/** Checks that a user may make a call: verified if required, and allowed by the role (§5.1, item 7). */
export const authorize = (
  rules: Pick<PrivilegeRules["Service"], "authorize">,
  guard: LegacyGuard,
  user: Pick<User, "verifiedAt">,
  account: string,
  privileges: Privileges
): Result.Result<void, AccountUnverified | Forbidden> =>
  user.verifiedAt === null && !guard.unverified
    ? Result.fail(new AccountUnverified())
    : rules.authorize(account, privileges, guard.privileges)
