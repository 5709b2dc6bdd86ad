import { Clock, Context, Effect, Layer, Option, type Redacted, Result } from "effect"
import { normalizeEmail } from "../access/Account.ts"
import { NoSuch } from "../access/NoSuch.ts"
import type { PrivilegeRules, Role } from "../access/Privilege.ts"
import { isLegacyLifetime, maxLegacyLifetimeSeconds, type TokenLifetime } from "../access/TokenLifetime.ts"
import { Unauthenticated } from "../access/Unauthenticated.ts"
import { type Actor, makeAudit } from "../audit/AuditEntry.ts"
import type { CollectionFull } from "../resource/Resource.ts"
import type { SessionDraft } from "../session/Sessions.ts"
import { Ids } from "../shared/Id.ts"
import { decodeArgument, InvalidArgument } from "../shared/InvalidArgument.ts"
import { line } from "../shared/Text.ts"
import type { LegacyTokens } from "../token/LegacyToken.ts"
import { TenantCaps } from "../token/TenantCaps.ts"
import * as LegacyTokenGrant from "./LegacyTokenGrant.ts"
import { choose, Passwords, type PasswordsBusy } from "./Passwords.ts"
import { isAbn, normalizeAbn, type User } from "./User.ts"
import * as UserChanges from "./UserChanges.ts"
import * as UserInvite from "./UserInvite.ts"
import { UserStore } from "./UserStore.ts"

/** The changes to a user. Absent fields stay unchanged. */
export interface UserUpdate {
  readonly firstName?: string
  readonly surname?: string
  readonly role?: Role
}

/**
 * The operator's administration of users and their organization (§5.1). Every change is audited. A user who loses the
 * right to create OAuth clients also loses all clients descended from the user. The last Super Admin can be deactivated
 * too: an operator must be able to lock anybody out, and can create another.
 */
export class Users extends Context.Service<
  Users,
  {
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

const checkName = (field: string, name: string) =>
  Effect.fromResult(decodeArgument(line(100), { within: field })(name.trim()))

export const make = Effect.gen(function* () {
  const store = yield* UserStore
  const passwords = yield* Passwords
  const audited = makeAudit(yield* Ids)
  const changeUser = yield* UserChanges.make
  const caps = yield* TenantCaps
  const grant = yield* LegacyTokenGrant.make

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

  return Users.of({
    update: Effect.fn("Users.update")(function* (tenantId, email, given, actor) {
      const names = {
        ...(given.firstName === undefined ? {} : { firstName: yield* checkName("firstName", given.firstName) }),
        ...(given.surname === undefined ? {} : { surname: yield* checkName("surname", given.surname) })
      }
      return yield* change(tenantId, email, actor, "update", (user) =>
        Result.succeed({
          next: { ...user, ...names, account: { ...user.account, role: given.role ?? user.account.role } }
        })
      )
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

export const layer: Layer.Layer<
  Users,
  never,
  UserStore | Passwords | Ids | LegacyTokens | TokenLifetime | PrivilegeRules
> = Layer.effect(Users, make)
