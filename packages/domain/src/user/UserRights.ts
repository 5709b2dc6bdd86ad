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

/** Who acts on users: the account's URN and its privileges. */
export interface Grantor {
  readonly account: string
  readonly privileges: Privileges
}

type Rules = Pick<PrivilegeRules["Service"], "authorize" | "privilegesOf">

/** Nobody grants a role with privileges that they lack. Fails with the first privilege that is lacking. */
export const mayGrant = (rules: Rules, grantor: Grantor, role: Role): Result.Result<void, Forbidden> =>
  rules.authorize(grantor.account, grantor.privileges, listOf(rules.privilegesOf(role)))

/** Nobody changes, deactivates or resets the login of a user who has more privileges. */
export const mayChange = (rules: Rules, grantor: Grantor, { role }: Pick<Account, "role">) =>
  mayGrant(rules, grantor, role)

/** An organization keeps an active Super Admin. `others` counts the active ones beside this account. */
export const keepsSuperAdmin = (
  before: Pick<Account, "role" | "deactivatedAt">,
  after: Pick<Account, "role" | "deactivatedAt">,
  others: number
): Result.Result<void, LastSuperAdmin> => {
  const counts = ({ deactivatedAt, role }: typeof before) => isSuperAdmin(role) && deactivatedAt === null
  return counts(before) && !counts(after) && others === 0 ? Result.fail(new LastSuperAdmin()) : Result.void
}
