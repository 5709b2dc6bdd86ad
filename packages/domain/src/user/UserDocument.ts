import { Schema } from "effect"
import { accountUrn } from "../access/Account.ts"
import { everyPrivilege, PrivilegeName, plainRole, RoleName, unitsOf } from "../access/Privilege.ts"
import { createdAt, timeOrNull, typeField } from "../resource/ShownFields.ts"
import { AccountId, UnitId, WorkerId } from "../shared/Id.ts"
import { toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import { enforcedElsewhere, line } from "../shared/Text.ts"
import { type LoginState, loginFields, showLogins } from "./LoginState.ts"
import type { User } from "./User.ts"

const RoleField = Schema.Union([
  RoleName,
  Schema.Array(PrivilegeName).check(
    Schema.isMaxLength(everyPrivilege.length, { message: `must have at most ${everyPrivilege.length} privileges` })
  )
]).annotate({
  description: "A role, or a list of privileges. Granting a privilege that the caller lacks is refused: 403."
})

const firstName = Schema.optionalKey(line(100)).annotateKey({
  description: "First given name. If absent: empty in a new user, else unchanged."
})
const surname = Schema.optionalKey(line(100)).annotateKey({
  description: "Family name. If absent: empty in a new user, else unchanged."
})

/** The most units to which a role is limited. */
export const unitsMax = 50

const UnitsField = Schema.NullOr(
  Schema.Array(UnitId).check(Schema.isMaxLength(unitsMax, { message: `must have at most ${unitsMax} units` }))
)

const WorkerField = Schema.NullOr(Schema.Struct({ id: WorkerId }))

/** A user on the wire, without password or secret. */
export const UserDocument = Schema.Struct({
  id: AccountId,
  type: typeField("user"),
  account: Schema.String.annotate({ description: "URN of the user in error messages and audit events." }),
  email: Schema.String.annotate({ description: "Email address in lower case, the user name of logins." }),
  firstName: Schema.String.annotate({ description: "First given name. Empty if unknown." }),
  surname: Schema.String.annotate({ description: "Family name. Empty if unknown." }),
  role: RoleField,
  units: UnitsField.annotate({
    description:
      "Units to whose people the user is limited, with all units below them. Null if the user reaches all people. A " +
      "limited user keeps the privileges about people only, and cannot use the legacy surface."
  }),
  worker: WorkerField.annotate({
    description: "The worker that the user is. The user cannot verify the credentials of this worker. Null if none."
  }),
  hasPassword: Schema.Boolean.annotate({ description: "Whether the user can log in with a password." }),
  joinedAt: timeOrNull("When the user first set a password, or logged in through an identity provider. Null before."),
  invitedBy: Schema.NullOr(Schema.String).annotate({
    description: "URN of the account that made the last invite link. Null if there was none."
  }),
  inviteExpiresAt: timeOrNull(
    "Expiry of the last invite link. Null if there is no link. A change of the role ends the link. It works only while " +
      "its maker is active and may create such a user."
  ),
  ...loginFields,
  createdAt,
  deactivatedAt: timeOrNull("When the user was deactivated. Null for active users.")
})
export type UserDocument = typeof UserDocument.Type

/** The body of an invitation. */
export const UserWrite = Schema.Struct({
  email: Schema.String.check(
    enforcedElsewhere({ maxLength: 254, pattern: "^[^\\s@]+@[^\\s@]+\\.[^\\s@.]+$" })
  ).annotateKey({ description: "Email address, the user name of logins. Unique in the tenant. It cannot change." }),
  role: RoleField,
  units: Schema.optionalKey(UnitsField).annotateKey({
    description: "Units to whose people the user is limited. Null or absent: no limit. A Super Admin has none: 422."
  }),
  firstName,
  surname
})
export type UserWrite = typeof UserWrite.Type

/** The body of a PATCH. Absent fields stay unchanged. */
export const UserPatch = Schema.Struct({
  role: Schema.optionalKey(RoleField),
  units: Schema.optionalKey(UnitsField).annotateKey({
    description: "Units to whose people the user is limited. Null removes the limit. A Super Admin has none: 422."
  }),
  worker: Schema.optionalKey(WorkerField).annotateKey({
    description:
      "The worker that the user is. Null removes the link. Users cannot change or remove a link of their own: 422."
  }),
  firstName,
  surname
})
export type UserPatch = typeof UserPatch.Type

/** Returns the document of a user without the state of the logins. */
export const showUser = ({ account, firstName, invite, invitedBy, joinedAt, passwordHash, surname }: User) => ({
  id: account.id,
  type: "user" as const,
  account: accountUrn(account.id),
  email: account.email ?? "",
  firstName,
  surname,
  role: plainRole(account.role),
  units: unitsOf(account.role) ?? null,
  worker: account.workerId === null ? null : { id: account.workerId },
  hasPassword: passwordHash !== null,
  joinedAt: toRfc3339OrNull(joinedAt),
  invitedBy,
  inviteExpiresAt: toRfc3339OrNull(invite?.expiresAt ?? null),
  createdAt: toRfc3339(account.createdAt),
  deactivatedAt: toRfc3339OrNull(account.deactivatedAt)
})

/** Returns the document of a user, with the state of the logins for those who may see it. */
export const showWithLogins = (user: User, state: LoginState | undefined): UserDocument => ({
  ...showUser(user),
  ...(state === undefined ? {} : showLogins(state))
})
