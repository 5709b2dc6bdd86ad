import { Data, Result } from "effect"
import type { Forbidden, Privilege, PrivilegeRules, Privileges } from "../access/Privilege.ts"
import type { User } from "../user/User.ts"

/** How a caller of the legacy surface says who it is (§5.1). */
export type LegacyScheme = "Basic" | "Bearer"

/** What stands before a call of the legacy surface. */
export interface LegacyGuard {
  readonly schemes: ReadonlyArray<LegacyScheme>
  /** Whether an account that nobody has verified may call too. */
  readonly unverified: boolean
  readonly privileges: ReadonlyArray<Privilege>
}

/**
 * The calls of §4.1. Basic is for learning one's id and obtaining a token, Bearer for all else (§5.1,
 * items 1 and 3); an account that is not verified gets no further than that (item 6; DECISIONS.md#fields).
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

/** The resource is not one of the caller's organization (§5.1, item 6). */
export class OtherOrganization extends Data.TaggedError("OtherOrganization") {}

/** Whether a user may make a call: verified where that is asked for, and allowed by its role (§5.1, item 7). */
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
