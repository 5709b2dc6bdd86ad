import { Data, Option, Result } from "effect"
import { type Account, accountUrn } from "../access/Account.ts"
import {
  everyPrivilege,
  type Forbidden,
  isSuperAdmin,
  listOf,
  type Privilege,
  type PrivilegeRules,
  type Privileges,
  type Role,
  readOf
} from "../access/Privilege.ts"
import type { User } from "./User.ts"

/** The user is the last active Super Admin of the organization. */
export class LastSuperAdmin extends Data.TaggedError("LastSuperAdmin") {}

/** Another account made the user's invite link. Only that account and a Super Admin can renew the link. */
export class NotInviter extends Data.TaggedError("NotInviter")<{ readonly email: string }> {}

/** The user's own link to a worker, which another user has to change: it limits what the user may do. */
export class OwnWorker extends Data.TaggedError("OwnWorker")<{ readonly workerId: string }> {}

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

/** Fails unless the grantor may create a user with this role. */
const mayInvite = (rules: Rules, grantor: Grantor, role: Role): Result.Result<void, Forbidden> =>
  rules.authorize(grantor.account, grantor.privileges, [
    { entityType: "user", operation: "CREATE" },
    ...listOf(rules.privilegesOf(role))
  ])

/**
 * Returns whether the user's invite link still has its maker's authority: `inviter`, the account of `invitedBy`, is
 * active and may create such a user. A link of the operator always has it.
 */
export const isInviteUpheld = (
  rules: Rules,
  { account, invitedBy }: Pick<User, "account" | "invitedBy">,
  inviter: Option.Option<Account>
): boolean =>
  invitedBy === null ||
  Option.exists(
    inviter,
    ({ deactivatedAt, role }) =>
      deactivatedAt === null &&
      Result.isSuccess(mayInvite(rules, { account: invitedBy, privileges: rules.privilegesOf(role) }, account.role))
  )

/**
 * Fails unless the grantor may create such a user, and made the present link or has every privilege. A link lets its
 * holder become the user, so another administrator of the same rank must not get one.
 */
export const mayRenewInvite = (
  rules: Rules,
  grantor: Grantor,
  { account, invitedBy }: Pick<User, "account" | "invitedBy">
): Result.Result<void, Forbidden | NotInviter> =>
  Result.flatMap(mayInvite(rules, grantor, account.role), () =>
    invitedBy === grantor.account || everyPrivilege.every((privilege) => grantor.privileges.has(privilege))
      ? Result.void
      : Result.fail(new NotInviter({ email: account.email ?? "" }))
  )

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

/** Fails if the grantor changes or removes the own link to a worker. The first link may be the grantor's own. */
export const keepsOwnWorker = (
  { account }: Pick<Grantor, "account">,
  before: Pick<Account, "id" | "workerId">,
  after: Pick<Account, "workerId">
): Result.Result<void, OwnWorker> =>
  before.workerId !== null && before.workerId !== after.workerId && account === accountUrn(before.id)
    ? Result.fail(new OwnWorker({ workerId: before.workerId }))
    : Result.void

/** Sessions tell of logins, and who may change a user may reset the app. Others could look for accounts to attack. */
const seeingLogins: ReadonlyArray<Privilege> = [readOf("session"), { entityType: "user", operation: "UPDATE" }]

/** Returns whether the caller sees the logins of a user: the own ones, or with one of these privileges. */
export const seesLogins = (rules: Pick<Rules, "authorize">, grantor: Grantor, { id }: Pick<Account, "id">): boolean =>
  grantor.account === accountUrn(id) ||
  seeingLogins.some((privilege) => Result.isSuccess(rules.authorize(grantor.account, grantor.privileges, [privilege])))
