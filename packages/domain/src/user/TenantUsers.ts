import { Clock, Context, Data, Effect, Layer, Option, type Redacted, Result, Schema } from "effect"
import { type Account, accountUrn, isEmail, normalizeEmail } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import { everyPrivilege, type Forbidden, PrivilegeName, PrivilegeRules, RoleName } from "../access/Privilege.ts"
import { actorOf, makeAudit } from "../audit/AuditEntry.ts"
import type { ShownPage } from "../resource/Collection.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { type CollectionFull, ResourceNotFound } from "../resource/Resource.ts"
import * as Series from "../resource/Series.ts"
import { createdAt, typeField } from "../resource/ShownFields.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import type { Digest } from "../shared/Digest.ts"
import { AccountId, formOfId, Ids, isId } from "../shared/Id.ts"
import { toRfc3339, toRfc3339OrNull } from "../shared/Instant.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import { enforcedElsewhere, line } from "../shared/Text.ts"
import type { EmailTaken } from "../token/AccessStore.ts"
import { checkRoom, TenantCaps } from "../token/TenantCaps.ts"
import * as Invites from "./Invites.ts"
import type { User } from "./User.ts"
import * as UserChanges from "./UserChanges.ts"
import * as UserInvite from "./UserInvite.ts"
import * as UserRights from "./UserRights.ts"
import { UserStore } from "./UserStore.ts"

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

/** A user on the wire, without password or secret. */
export const UserDocument = Schema.Struct({
  id: AccountId,
  type: typeField("user"),
  account: Schema.String.annotate({ description: "URN of the user in error messages and audit events." }),
  email: Schema.String.annotate({ description: "Email address in lower case, the user name of logins." }),
  firstName: Schema.String.annotate({ description: "First given name. Empty if unknown." }),
  surname: Schema.String.annotate({ description: "Family name. Empty if unknown." }),
  role: RoleField,
  hasPassword: Schema.Boolean.annotate({ description: "Whether the user can log in with a password." }),
  joinedAt: Schema.NullOr(Schema.String.annotate({ format: "date-time" })).annotate({
    description: "When the user first set a password, or logged in through an identity provider. Null before."
  }),
  invitedBy: Schema.NullOr(Schema.String).annotate({
    description: "URN of the account that made the last invite link. Null if there was none."
  }),
  inviteExpiresAt: Schema.NullOr(Schema.String.annotate({ format: "date-time" })).annotate({
    description:
      "Expiry of the last invite link. Null if there is no link. A change of the role ends the link. It works only while " +
      "its maker is active and may create such a user."
  }),
  createdAt,
  deactivatedAt: Schema.NullOr(Schema.String.annotate({ format: "date-time" })).annotate({
    description: "When the user was deactivated. Null for active users."
  })
})
export type UserDocument = typeof UserDocument.Type

/** The body of an invitation. */
export const UserWrite = Schema.Struct({
  email: Schema.String.check(
    enforcedElsewhere({ maxLength: 254, pattern: "^[^\\s@]+@[^\\s@]+\\.[^\\s@.]+$" })
  ).annotateKey({ description: "Email address, the user name of logins. Unique in the tenant. It cannot change." }),
  role: RoleField,
  firstName,
  surname
})
export type UserWrite = typeof UserWrite.Type

/** The body of a PATCH. Absent fields stay unchanged. */
export const UserPatch = Schema.Struct({
  role: Schema.optionalKey(RoleField),
  firstName,
  surname
})
export type UserPatch = typeof UserPatch.Type

/** The user has joined or is deactivated. An invite link would let another person become the user. */
export class AlreadyJoined extends Data.TaggedError("AlreadyJoined")<{ readonly email: string }> {}

/** A user with the secret of a new invite link, which is returned only here. */
export interface Invited {
  readonly document: UserDocument
  readonly secret: Redacted.Redacted
}

type Found = InvalidArgument | ResourceNotFound
type Writing = Caller | RequestId

/** The users of an organization, for its administrators. */
export class TenantUsers extends Context.Service<
  TenantUsers,
  {
    /** GET of a page. Deactivated users count as deleted. */
    readonly list: (query: ListQuery.Query) => Effect.Effect<ShownPage<UserDocument>, InvalidArgument, Caller>
    /** GET of one user. A deactivated user is found only with `includeDeleted`. */
    readonly read: (id: string, query: ListQuery.Query) => Effect.Effect<UserDocument, Found, Caller>
    /**
     * POST: creates a user with an invite link and without a password. The caller must be allowed to grant the role.
     */
    readonly invite: (
      write: UserWrite
    ) => Effect.Effect<Invited, InvalidArgument | EmailTaken | Forbidden | CollectionFull, Writing>
    /** Replaces the invite link of a user who has not joined. The old link becomes invalid. See `mayRenewInvite`. */
    readonly renewInvite: (
      id: string
    ) => Effect.Effect<Invited, Found | Forbidden | UserRights.NotInviter | AlreadyJoined, Writing>
    /** PATCH: changes the role or the name, by the rules of `UserRights`. */
    readonly patch: (
      id: string,
      patch: UserPatch
    ) => Effect.Effect<UserDocument, Found | Forbidden | UserRights.LastSuperAdmin, Writing>
    /** DELETE: deactivates the user and ends the user's tokens and sessions. Repeating it changes nothing. */
    readonly remove: (id: string) => Effect.Effect<void, Found | Forbidden | UserRights.LastSuperAdmin, Writing>
    /** Activates the user again. The tokens and sessions that the deactivation ended stay ended. */
    readonly activate: (id: string) => Effect.Effect<UserDocument, Found | Forbidden | CollectionFull, Writing>
  }
>()("@wcs/domain/TenantUsers") {}

const users = { type: "user", filters: {}, ends: true, searched: true } as const satisfies Series.Series<never>

const show = ({ account, firstName, invite, invitedBy, joinedAt, passwordHash, surname }: User): UserDocument => ({
  id: account.id,
  type: "user",
  account: accountUrn(account.id),
  email: account.email ?? "",
  firstName,
  surname,
  role: account.role,
  hasPassword: passwordHash !== null,
  joinedAt: toRfc3339OrNull(joinedAt),
  invitedBy,
  inviteExpiresAt: toRfc3339OrNull(invite?.expiresAt ?? null),
  createdAt: toRfc3339(account.createdAt),
  deactivatedAt: toRfc3339OrNull(account.deactivatedAt)
})

const emailOf = (text: string): Result.Result<string, InvalidArgument> => {
  const email = normalizeEmail(text)
  return isEmail(email)
    ? Result.succeed(email)
    : Result.fail(new InvalidArgument({ field: "email", reason: "must be an email address" }))
}

const notFound = (id: string) => new ResourceNotFound({ entityType: "user", id })

const checkId = (id: string) =>
  isId("account", id)
    ? Effect.void
    : Effect.fail(new InvalidArgument({ field: "id", reason: `must be ${formOfId("account")}` }))

export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const store = yield* UserStore
  const rules = yield* PrivilegeRules
  const audited = makeAudit(ids)
  const mintInvite = yield* Invites.makeMint
  const changeUser = yield* UserChanges.make
  const caps = yield* TenantCaps

  /** Changes a user if the caller may: the caller must have all of the user's privileges. */
  const change = Effect.fnUntraced(function* <E>(id: string, action: string, rewrite: UserChanges.Rewrite<E>) {
    yield* checkId(id)
    const caller = yield* Caller
    const subject = { tenantId: caller.tenantId, accountId: id, actor: actorOf(caller, yield* RequestId), action }
    const changed = yield* changeUser(subject, (user, at, others) =>
      Result.gen(function* () {
        yield* UserRights.mayChange(rules, caller, user.account)
        const rewritten = yield* rewrite(user, at, others)
        if (rewritten === undefined) return undefined
        yield* UserRights.keepsSuperAdmin(user.account, rewritten.next.account, others.superAdmins)
        return rewritten
      })
    )
    return Option.isSome(changed) ? changed.value : yield* notFound(id)
  })

  return TenantUsers.of({
    list: Effect.fnUntraced(function* (query) {
      const selection = yield* Effect.fromResult(Series.parse(users, query))
      const { tenantId } = yield* Caller
      return Series.shownPage(users, selection, yield* store.page(tenantId, selection), show)
    }),
    read: Effect.fnUntraced(function* (id, query) {
      const { includeDeleted } = yield* Effect.fromResult(ListQuery.parseRead(query))
      yield* checkId(id)
      const { tenantId } = yield* Caller
      const found = yield* store.find(tenantId, id)
      const isShown = Option.exists(found, ({ account }) =>
        isVisible({ deletedAt: account.deactivatedAt }, includeDeleted)
      )
      return Option.isSome(found) && isShown ? show(found.value) : yield* notFound(id)
    }),
    invite: Effect.fn("TenantUsers.invite")(function* (write) {
      const caller = yield* Caller
      const email = yield* Effect.fromResult(emailOf(write.email))
      yield* Effect.fromResult(UserRights.mayGrant(rules, caller, write.role))
      const createdAt = yield* Clock.currentTimeMillis
      const minted = yield* mintInvite
      const account: Account = {
        id: yield* ids.mint("account"),
        tenantId: caller.tenantId,
        kind: "user",
        email,
        role: write.role,
        rateLimit: null,
        deactivatedAt: null,
        createdAt
      }
      const { firstName = "", surname = "" } = write
      const user = {
        account,
        firstName,
        surname,
        passwordHash: null,
        verifiedAt: null,
        invite: minted.invite,
        invitedBy: caller.account,
        joinedAt: null
      }
      const auditedAction = {
        operation: "CREATE",
        action: "invite",
        entityType: "account",
        entityId: account.id
      } as const
      const entry = yield* audited(actorOf(caller, yield* RequestId), auditedAction, createdAt)
      const stored = yield* store.insert(user, entry, (others) => checkRoom("user", others, caps.users))
      return { document: show(stored), secret: minted.secret }
    }),
    renewInvite: Effect.fn("TenantUsers.renewInvite")(function* (id) {
      const { invite, secret } = yield* mintInvite
      const caller = yield* Caller
      const user = yield* change(id, "renew invite", (user) =>
        Result.gen(function* () {
          yield* UserRights.mayRenewInvite(rules, caller, user)
          if (!UserInvite.isInvitable(user)) {
            return yield* Result.fail(new AlreadyJoined({ email: user.account.email ?? "" }))
          }
          return { next: { ...user, invite, invitedBy: caller.account } }
        })
      ).pipe(Effect.catchTag("LastSuperAdmin", Effect.die)) // the role does not change
      return { document: show(user), secret }
    }),
    patch: Effect.fn("TenantUsers.patch")(function* (id, { role, ...names }) {
      const caller = yield* Caller
      const user = yield* change(id, "update", (user) =>
        Result.gen(function* () {
          if (role !== undefined) yield* UserRights.mayGrant(rules, caller, role)
          const account = role === undefined ? user.account : { ...user.account, role }
          return { next: { ...user, ...names, account } }
        })
      )
      return show(user)
    }),
    remove: Effect.fn("TenantUsers.remove")((id) => Effect.asVoid(change(id, "deactivate", UserChanges.deactivate))),
    activate: Effect.fn("TenantUsers.activate")((id) =>
      change(id, "activate", UserChanges.activate(caps)).pipe(
        Effect.catchTag("LastSuperAdmin", Effect.die), // there is one more afterwards
        Effect.map(show)
      )
    )
  })
})

export const layer: Layer.Layer<TenantUsers, never, UserStore | Ids | Digest | PrivilegeRules> = Layer.effect(
  TenantUsers,
  make
)
