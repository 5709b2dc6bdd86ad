import { Clock, Context, Data, Effect, Layer, Option, type Redacted, Result } from "effect"
import { type Account, isEmail, normalizeEmail } from "../access/Account.ts"
import { Caller } from "../access/Caller.ts"
import { NoSuch } from "../access/NoSuch.ts"
import {
  type Forbidden,
  isSuperAdmin,
  limitedTo,
  type PlainRole,
  PrivilegeRules,
  plainRole,
  type Role,
  type SuperAdminUnlimited,
  unitsOf
} from "../access/Privilege.ts"
import { isLegacyLifetime, maxLegacyLifetimeSeconds } from "../access/TokenLifetime.ts"
import { Unauthenticated } from "../access/Unauthenticated.ts"
import { type Actor, actorOf, makeAudit } from "../audit/AuditEntry.ts"
import { LinkNotFound } from "../crud/Links.ts"
import { ResourceStore } from "../crud/ResourceStore.ts"
import { Unit } from "../people/Unit.ts"
import { Worker } from "../people/Worker.ts"
import type { ShownPage } from "../resource/Collection.ts"
import * as ListQuery from "../resource/ListQuery.ts"
import { type CollectionFull, ResourceNotFound } from "../resource/Resource.ts"
import { isVisible } from "../resource/SoftDelete.ts"
import * as Timeline from "../resource/Timeline.ts"
import type { SessionDraft } from "../session/Sessions.ts"
import { Ids, idFormat, isId } from "../shared/Id.ts"
import { decodeArgument, InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import { line } from "../shared/Text.ts"
import type { EmailTaken } from "../token/AccessStore.ts"
import { checkRoom, TenantCaps } from "../token/TenantCaps.ts"
import * as Invites from "./Invites.ts"
import * as LegacyTokenGrant from "./LegacyTokenGrant.ts"
import { noLogins } from "./LoginState.ts"
import { choose, Passwords, type PasswordsBusy } from "./Passwords.ts"
import { isAbn, normalizeAbn, type User } from "./User.ts"
import * as UserChanges from "./UserChanges.ts"
import { showWithLogins, type UserDocument, type UserPatch, type UserWrite, unitsMax } from "./UserDocument.ts"
import * as UserInvite from "./UserInvite.ts"
import * as UserRights from "./UserRights.ts"
import { UserStore } from "./UserStore.ts"

/** The changes to a user. Absent and null fields stay unchanged. */
export interface UserUpdate {
  readonly firstName?: string | null
  readonly surname?: string | null
  readonly role?: PlainRole | null
  /** Null removes the limit to units. */
  readonly units?: ReadonlyArray<string> | null
}

/** The user has joined or is deactivated. An invite link would let another person become the user. */
export class AlreadyJoined extends Data.TaggedError("AlreadyJoined")<{ readonly email: string }> {}

/** A user with the secret of a new invite link, which is returned only here. */
export interface Invited {
  readonly document: UserDocument
  readonly secret: Redacted.Redacted
}

type Found = InvalidArgument | ResourceNotFound
type Writing = Caller | RequestId

/**
 * The users of an organization and their tokens, for its administrators and for the operator (§5.1). Every change is
 * audited. A user who loses the right to create OAuth clients also loses all clients descended from the user. The
 * operator can deactivate the last Super Admin too: an operator must be able to lock anybody out, and can create
 * another.
 */
export class Users extends Context.Service<
  Users,
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
    ) => Effect.Effect<
      Invited,
      InvalidArgument | EmailTaken | Forbidden | CollectionFull | LinkNotFound | SuperAdminUnlimited,
      Writing
    >
    /** Replaces the invite link of a user who has not used it yet. The old link becomes invalid. See `mayRenewInvite`. */
    readonly renewInvite: (
      id: string
    ) => Effect.Effect<Invited, Found | Forbidden | UserRights.NotInviter | AlreadyJoined, Writing>
    /**
     * PATCH: changes the role, its limit, the name or the worker, by the rules of `UserRights`. Units and worker must
     * exist.
     */
    readonly patch: (
      id: string,
      patch: UserPatch
    ) => Effect.Effect<
      UserDocument,
      Found | Forbidden | LinkNotFound | SuperAdminUnlimited | UserRights.LastSuperAdmin | UserRights.OwnWorker,
      Writing
    >
    /** DELETE: deactivates the user and ends the user's tokens and sessions. Repeating it changes nothing. */
    readonly remove: (id: string) => Effect.Effect<void, Found | Forbidden | UserRights.LastSuperAdmin, Writing>
    /** Activates the user again. The tokens and sessions that the deactivation ended stay ended. */
    readonly activate: (id: string) => Effect.Effect<UserDocument, Found | Forbidden | CollectionFull, Writing>

    /** The operator's change of a user. Null leaves a name or the role as it is, and a role keeps the limit to units. */
    readonly update: (
      tenantId: string,
      email: string,
      update: UserUpdate,
      actor: Actor
    ) => Effect.Effect<User, InvalidArgument | NoSuch>
    /** Sets the user's password and ends the legacy tokens of the old one. The user has joined then. */
    readonly setPassword: (
      tenantId: string,
      email: string,
      password: Redacted.Redacted,
      actor: Actor
    ) => Effect.Effect<User, InvalidArgument | NoSuch | PasswordsBusy>
    /**
     * Replaces the password of a user who has proven the present one, ends the user's sessions and legacy tokens, and
     * starts `session`. Fails if the password was changed or the user was deactivated since `checked` was read.
     */
    readonly changePassword: (
      checked: User,
      password: Redacted.Redacted,
      session: SessionDraft,
      actor: Actor
    ) => Effect.Effect<void, InvalidArgument | Unauthenticated | PasswordsBusy>
    /** Marks the account as verified or not verified. */
    readonly setVerified: (
      tenantId: string,
      email: string,
      verified: boolean,
      actor: Actor
    ) => Effect.Effect<User, NoSuch>
    /**
     * Deactivates the user and ends the user's tokens and sessions on both surfaces, or reactivates the user. Tokens and
     * sessions stay ended.
     */
    readonly setActive: (
      tenantId: string,
      email: string,
      active: boolean,
      actor: Actor
    ) => Effect.Effect<User, NoSuch | CollectionFull>
    /** Ends all legacy tokens of the user. */
    readonly endTokens: (tenantId: string, email: string, actor: Actor) => Effect.Effect<User, NoSuch>
    /**
     * Creates a legacy token for the user with its own lifetime. The token equals one that the user gets with the
     * password.
     */
    readonly createToken: (
      tenantId: string,
      email: string,
      lifetimeSeconds: number,
      actor: Actor
    ) => Effect.Effect<LegacyTokenGrant.GrantedLegacyToken, InvalidArgument | NoSuch>
    /** Revokes one legacy token. Repeating it changes nothing. */
    readonly revokeToken: (tenantId: string, id: string, actor: Actor) => Effect.Effect<void, NoSuch>
    readonly setAbn: (tenantId: string, abn: string, actor: Actor) => Effect.Effect<void, InvalidArgument>
  }
>()("@wcs/domain/Users") {}

const users = { type: "user", filters: {}, ends: true, searched: true } as const satisfies Timeline.Timeline<never>

const emailOf = (text: string): Result.Result<string, InvalidArgument> => {
  const email = normalizeEmail(text)
  return isEmail(email)
    ? Result.succeed(email)
    : Result.fail(new InvalidArgument({ field: "email", reason: "must be an email address" }))
}

const notFound = (id: string) => new ResourceNotFound({ entityType: "user", id })

/** The role after the operator's change, which keeps the limit to units. A Super Admin has none. */
const reroled = (before: Role, role: PlainRole | null): Role => {
  if (role === null) return before
  return isSuperAdmin(role) ? role : Result.getOrElse(limitedTo(role, unitsOf(before) ?? null), () => role)
}

const checkId = (id: string) =>
  isId("account", id)
    ? Effect.void
    : Effect.fail(new InvalidArgument({ field: "id", reason: `must be ${idFormat("account")}` }))

const checkName = (field: string, name: string) =>
  Effect.fromResult(decodeArgument(line(100), { within: field })(name.trim()))

export const make = Effect.gen(function* () {
  const ids = yield* Ids
  const store = yield* UserStore
  const resources = yield* ResourceStore
  const rules = yield* PrivilegeRules
  const passwords = yield* Passwords
  const audited = makeAudit(ids)
  const mintInvite = yield* Invites.makeMint
  const changeUser = yield* UserChanges.make
  const caps = yield* TenantCaps
  const grant = yield* LegacyTokenGrant.make

  const requireWorker = Effect.fnUntraced(function* (tenantId: string, id: string) {
    const found = yield* resources.find(Worker, tenantId, id)
    if (Option.exists(found, (stored) => isVisible(stored, false))) return
    return yield* new LinkNotFound({ field: "worker.id", entityType: "worker", found: "none" })
  })

  const requireUnits = Effect.fnUntraced(function* (tenantId: string, ids: ReadonlyArray<string>) {
    const found = yield* resources.findAll(Unit, tenantId, ids)
    const missing = ids.findIndex((id) => found.get(id)?.deletedAt !== null)
    if (missing === -1) return
    return yield* new LinkNotFound({ field: `units.${missing}`, entityType: "unit", found: "none" })
  })

  /** Changes a user if the caller may: the caller must have all of the user's privileges. */
  const administer = Effect.fnUntraced(function* <E>(id: string, action: string, rewrite: UserChanges.Rewrite<E>) {
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

  /** Changes the user with this email. `action` is the name in the audit log. */
  const change = Effect.fnUntraced(function* <E>(
    tenantId: string,
    email: string,
    actor: Actor,
    action: string,
    rewrite: UserChanges.Rewrite<E>
  ) {
    const noSuch = new NoSuch({ what: "user", id: email })
    const found = yield* store.findByEmail(tenantId, normalizeEmail(email))
    if (Option.isNone(found)) return yield* noSuch
    const subject = { tenantId, accountId: found.value.account.id, actor, action }
    const changed = yield* changeUser(subject, rewrite)
    return Option.isSome(changed) ? changed.value : yield* noSuch
  })

  const show = Effect.fnUntraced(function* (user: User) {
    const { id, tenantId } = user.account
    if (!UserRights.seesLogins(rules, yield* Caller, user.account)) return showWithLogins(user, undefined)
    return showWithLogins(user, (yield* store.logins(tenantId, [id])).get(id) ?? noLogins)
  })

  return Users.of({
    list: Effect.fnUntraced(function* (query) {
      const selection = yield* Effect.fromResult(Timeline.parse(users, query))
      const caller = yield* Caller
      const page = yield* store.page(caller.tenantId, selection)
      const seen = page.items.flatMap(({ account }) =>
        UserRights.seesLogins(rules, caller, account) ? [account.id] : []
      )
      const logins = seen.length === 0 ? new Map() : yield* store.logins(caller.tenantId, seen)
      return Timeline.shownPage(users, selection, page, (user: User) =>
        showWithLogins(user, seen.includes(user.account.id) ? (logins.get(user.account.id) ?? noLogins) : undefined)
      )
    }),
    read: Effect.fnUntraced(function* (id, query) {
      const { includeDeleted } = yield* Effect.fromResult(ListQuery.parseRead(query))
      yield* checkId(id)
      const { tenantId } = yield* Caller
      const found = yield* store.find(tenantId, id)
      const isShown = Option.exists(found, ({ account }) =>
        isVisible({ deletedAt: account.deactivatedAt }, includeDeleted)
      )
      return Option.isSome(found) && isShown ? yield* show(found.value) : yield* notFound(id)
    }),
    invite: Effect.fn("Users.invite")(function* (write) {
      const caller = yield* Caller
      const email = yield* Effect.fromResult(emailOf(write.email))
      yield* Effect.fromResult(UserRights.mayGrant(rules, caller, write.role))
      const { units = null } = write
      const role = yield* Effect.fromResult(limitedTo(write.role, units))
      yield* requireUnits(caller.tenantId, units ?? [])
      const createdAt = yield* Clock.currentTimeMillis
      const minted = yield* mintInvite
      const account: Account = {
        id: yield* ids.mint("account"),
        tenantId: caller.tenantId,
        kind: "user",
        email,
        role,
        rateLimit: null,
        workerId: null,
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
      return { document: yield* show(stored), secret: minted.secret }
    }),
    renewInvite: Effect.fn("Users.renewInvite")(function* (id) {
      const { invite, secret } = yield* mintInvite
      const caller = yield* Caller
      const user = yield* administer(id, "renew invite", (user) =>
        Result.gen(function* () {
          yield* UserRights.mayRenewInvite(rules, caller, user)
          if (!UserInvite.isInvitable(user)) {
            return yield* Result.fail(new AlreadyJoined({ email: user.account.email ?? "" }))
          }
          return { next: { ...user, invite, invitedBy: caller.account } }
        })
      ).pipe(Effect.catchTag("LastSuperAdmin", Effect.die)) // the role does not change
      return { document: yield* show(user), secret }
    }),
    patch: Effect.fn("Users.patch")(function* (id, { role, units, worker, ...names }) {
      const caller = yield* Caller
      yield* requireUnits(caller.tenantId, units ?? [])
      if (worker !== undefined && worker !== null) yield* requireWorker(caller.tenantId, worker.id)
      const user = yield* administer(id, "update", (user) =>
        Result.gen(function* () {
          if (role !== undefined) yield* UserRights.mayGrant(rules, caller, role)
          const workerId = worker === undefined ? user.account.workerId : (worker?.id ?? null)
          yield* UserRights.keepsOwnWorker(caller, user.account, { workerId })
          const limits = units === undefined ? (unitsOf(user.account.role) ?? null) : units
          const next = yield* limitedTo(role ?? plainRole(user.account.role), limits)
          // Without its limit, a role has privileges that it lacked.
          if (units !== undefined) yield* UserRights.mayGrant(rules, caller, next)
          return { next: { ...user, ...names, account: { ...user.account, role: next, workerId } } }
        })
      )
      return yield* show(user)
    }),
    remove: Effect.fn("Users.remove")((id) => Effect.asVoid(administer(id, "deactivate", UserChanges.deactivate))),
    activate: Effect.fn("Users.activate")((id) =>
      administer(id, "activate", UserChanges.activate(caps)).pipe(
        Effect.catchTag("LastSuperAdmin", Effect.die), // there is one more afterwards
        Effect.flatMap(show)
      )
    ),
    update: Effect.fn("Users.update")(function* (tenantId, email, given, actor) {
      const { firstName = null, role = null, surname = null, units } = given
      const names = {
        ...(firstName === null ? {} : { firstName: yield* checkName("firstName", firstName) }),
        ...(surname === null ? {} : { surname: yield* checkName("surname", surname) })
      }
      if ((units?.length ?? 0) > unitsMax) {
        return yield* new InvalidArgument({ field: "units", reason: `must have at most ${unitsMax} units` })
      }
      yield* Effect.catchTag(requireUnits(tenantId, units ?? []), "LinkNotFound", ({ field }) =>
        Effect.fail(new NoSuch({ what: "unit", id: units?.[Number(field.split(".")[1])] ?? "" }))
      )
      return yield* change(tenantId, email, actor, "update", (user) => {
        const next = reroled(user.account.role, role)
        const limited = units === undefined ? Result.succeed(next) : limitedTo(plainRole(next), units)
        return Result.mapBoth(limited, {
          onSuccess: (role) => ({ next: { ...user, ...names, account: { ...user.account, role } } }),
          onFailure: () => new InvalidArgument({ field: "units", reason: "cannot limit a Super Admin" })
        })
      })
    }),
    setPassword: Effect.fn("Users.setPassword")(function* (tenantId, email, password, actor) {
      const passwordHash = yield* choose(passwords, password, tenantId)
      return yield* change(tenantId, email, actor, "set password", (user, endTokensAt) =>
        Result.succeed({ next: UserInvite.joined({ ...user, passwordHash }, endTokensAt), endTokensAt })
      )
    }),
    changePassword: Effect.fn("Users.changePassword")(function* (
      { account, passwordHash: checked },
      password,
      session,
      actor
    ) {
      const passwordHash = yield* choose(passwords, password, account.tenantId)
      const subject = { tenantId: account.tenantId, accountId: account.id, actor, action: "set password" }
      const changed = yield* changeUser(subject, (user, endTokensAt) =>
        user.passwordHash === checked && user.account.deactivatedAt === null
          ? Result.succeed({ next: { ...user, passwordHash, invite: null }, endTokensAt, session })
          : Result.fail(new Unauthenticated())
      )
      if (Option.isNone(changed)) return yield* new Unauthenticated()
    }),
    setVerified: Effect.fn("Users.setVerified")((tenantId, email, verified, actor) =>
      change(tenantId, email, actor, verified ? "verify" : "unverify", (user, at) =>
        Result.succeed(
          (user.verifiedAt !== null) === verified ? undefined : { next: { ...user, verifiedAt: verified ? at : null } }
        )
      )
    ),
    setActive: Effect.fn("Users.setActive")((tenantId, email, active, actor) =>
      active
        ? change(tenantId, email, actor, "activate", UserChanges.activate(caps))
        : change(tenantId, email, actor, "deactivate", UserChanges.deactivate)
    ),
    endTokens: Effect.fn("Users.endTokens")((tenantId, email, actor) =>
      change(tenantId, email, actor, "end tokens", (next, endTokensAt) => Result.succeed({ next, endTokensAt }))
    ),
    createToken: Effect.fn("Users.createToken")(function* (tenantId, email, lifetimeSeconds, actor) {
      if (!isLegacyLifetime(lifetimeSeconds)) {
        const reason = `must be a whole number of seconds from 1 to ${maxLegacyLifetimeSeconds}`
        return yield* new InvalidArgument({ field: "lifetimeSeconds", reason })
      }
      const noSuch = new NoSuch({ what: "user", id: email })
      const found = yield* store.findByEmail(tenantId, normalizeEmail(email))
      if (Option.isNone(found)) return yield* noSuch
      const granted = yield* grant({ account: found.value.account, lifetimeSeconds, actor, mayHave: () => true })
      return yield* Effect.mapError(Effect.fromOption(granted), () => noSuch)
    }),
    revokeToken: Effect.fn("Users.revokeToken")(function* (tenantId, id, actor) {
      const at = yield* Clock.currentTimeMillis
      const auditedAction = { operation: "DELETE", action: "revoke", entityType: "legacyToken", entityId: id } as const
      const found = yield* store.revokeLegacyToken(tenantId, id, at, yield* audited(actor, auditedAction, at))
      if (!found) return yield* new NoSuch({ what: "token", id })
    }),
    setAbn: Effect.fn("Users.setAbn")(function* (tenantId, text, actor) {
      const abn = normalizeAbn(text)
      if (!isAbn(abn)) {
        return yield* new InvalidArgument({ field: "abn", reason: "must be an ABN: 11 digits with a valid checksum" })
      }
      const auditedAction = {
        operation: "UPDATE",
        action: "set abn",
        entityType: "tenant",
        entityId: tenantId
      } as const
      yield* store.setAbn(tenantId, abn, yield* audited(actor, auditedAction, yield* Clock.currentTimeMillis))
    })
  })
})

export const layer = Layer.effect(Users, make)
