import { Data, Result } from "effect"
import type { Account } from "../access/Account.ts"
import {
  type Forbidden,
  isSuperAdmin,
  listOf,
  type PrivilegeRules,
  type Privileges,
  type Role
} from "../access/Privilege.ts"

/** The user is the last active Super Admin of the organization. */
export class LastSuperAdmin extends Data.TaggedError("LastSuperAdmin") {}

/** The account that changes users, and its privileges. */
export interface Grantor {
  readonly account: string
  readonly privileges: Privileges
}

type Rules = Pick<PrivilegeRules["Service"], "authorize" | "privilegesOf">

/** Fails with the first privilege of the role that the grantor lacks. */
export const mayGrant = (rules: Rules, grantor: Grantor, role: Role): Result.Result<void, Forbidden> =>
  rules.authorize(grantor.account, grantor.privileges, listOf(rules.privilegesOf(role)))

/** Fails if the user has a privilege that the grantor lacks. */
export const mayChange = (rules: Rules, grantor: Grantor, { role }: Pick<Account, "role">) =>
  mayGrant(rules, grantor, role)

/**
 * Fails if the change removes the organization's last active Super Admin. `others` is the number of other active ones.
 */
export const keepsSuperAdmin = (
  before: Pick<Account, "role" | "deactivatedAt">,
  after: Pick<Account, "role" | "deactivatedAt">,
  others: number
): Result.Result<void, LastSuperAdmin> => {
  const counts = ({ deactivatedAt, role }: typeof before) => isSuperAdmin(role) && deactivatedAt === null
  return counts(before) && !counts(after) && others === 0 ? Result.fail(new LastSuperAdmin()) : Result.void
}
