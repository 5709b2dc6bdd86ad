import { Clock, Context, Effect, Layer, Option, type Redacted, Result } from "effect"
import { normalizeEmail } from "../access/Account.ts"
import { NoSuch } from "../access/Administration.ts"
import type { PrivilegeRules, Role } from "../access/Privilege.ts"
import { isLegacyLifetime, maxLegacyLifetimeSeconds, type TokenLifetime } from "../access/TokenLifetime.ts"
import { type Actor, makeAudit } from "../audit/AuditEntry.ts"
import type { LegacyTokens } from "../legacy/LegacyToken.ts"
import * as LegacyTokenGrant from "../legacy/LegacyTokenGrant.ts"
import { choose, Passwords, type PasswordsBusy } from "../login/Passwords.ts"
import { Ids } from "../shared/Id.ts"
import { decodeArgument, InvalidArgument } from "../shared/InvalidArgument.ts"
import { line } from "../shared/Text.ts"
import { isAbn, normalizeAbn, type User } from "./User.ts"
import * as UserChanges from "./UserChanges.ts"
import { UserStore } from "./UserStore.ts"

/** What can be said anew of a user; what is left out stays. */
export interface UserUpdate {
  readonly firstName?: string
  readonly surname?: string
  readonly role?: Role
}

/**
 * What administrators do with users and their organization (§5.1). Everything is audited. A change that takes
 * the right to make OAuth clients from a user also revokes every client that came from the user. The last Super Admin
 * is not spared: an operator must be able to shut anybody out at once, and can make another Super Admin.
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
    /** Gives the user a password in place of any other, and ends the legacy tokens that the other has obtained. */
    readonly setPassword: (
      tenantId: string,
      email: string,
      password: Redacted.Redacted,
      actor: Actor
    ) => Effect.Effect<User, InvalidArgument | NoSuch | PasswordsBusy>
    /** Vouches for the account, or takes that back. */
    readonly setVerified: (
      tenantId: string,
      email: string,
      verified: boolean,
      actor: Actor
    ) => Effect.Effect<User, NoSuch>
    /** Ends everything that the user holds on both surfaces, or lets them in again: legacy tokens stay ended. */
    readonly setActive: (tenantId: string, email: string, active: boolean, actor: Actor) => Effect.Effect<User, NoSuch>
    /** Ends every legacy token of the user at once. */
    readonly endTokens: (tenantId: string, email: string, actor: Actor) => Effect.Effect<User, NoSuch>
    /** A legacy token for the user, with a life of its own: what they would obtain themselves by their password. */
    readonly createToken: (
      tenantId: string,
      email: string,
      lifetimeSeconds: number,
      actor: Actor
    ) => Effect.Effect<LegacyTokenGrant.GrantedLegacyToken, InvalidArgument | NoSuch>
    /** Ends one legacy token. Ending it again changes nothing. */
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
  const grant = yield* LegacyTokenGrant.make

  /** Changes the user with this email, under the audit log's word for the change. */
  const change = Effect.fnUntraced(function* (
    tenantId: string,
    email: string,
    actor: Actor,
    action: string,
    rewrite: (user: User, at: number) => UserChanges.Rewritten | undefined
  ) {
    const noSuch = new NoSuch({ what: "user", id: email })
    const found = yield* store.findByEmail(tenantId, normalizeEmail(email))
    if (Option.isNone(found)) return yield* noSuch
    const subject = { tenantId, accountId: found.value.account.id, actor, action }
    const changed = yield* changeUser(subject, (user, at) => Result.succeed(rewrite(user, at)))
    return Option.isSome(changed) ? changed.value : yield* noSuch
  })

  const update: Users["Service"]["update"] = Effect.fn("Users.update")(function* (tenantId, email, given, actor) {
    const names = {
      ...(given.firstName === undefined ? {} : { firstName: yield* checkName("firstName", given.firstName) }),
      ...(given.surname === undefined ? {} : { surname: yield* checkName("surname", given.surname) })
    }
    return yield* change(tenantId, email, actor, "update", (user) => ({
      next: { ...user, ...names, account: { ...user.account, role: given.role ?? user.account.role } }
    }))
  })

  const setPassword: Users["Service"]["setPassword"] = Effect.fn("Users.setPassword")(
    function* (tenantId, email, password, actor) {
      const passwordHash = yield* choose(passwords, password)
      return yield* change(tenantId, email, actor, "set password", (user, endTokensAt) => ({
        next: { ...user, passwordHash, invite: null },
        endTokensAt
      }))
    }
  )

  const setVerified: Users["Service"]["setVerified"] = Effect.fn("Users.setVerified")(
    (tenantId, email, verified, actor) =>
      change(tenantId, email, actor, verified ? "verify" : "unverify", (user, at) =>
        (user.verifiedAt !== null) === verified ? undefined : { next: { ...user, verifiedAt: verified ? at : null } }
      )
  )

  const setActive: Users["Service"]["setActive"] = Effect.fn("Users.setActive")((tenantId, email, active, actor) =>
    change(tenantId, email, actor, active ? "activate" : "deactivate", (user, at) =>
      UserChanges.setActive(user, active, at)
    )
  )

  const endTokens: Users["Service"]["endTokens"] = Effect.fn("Users.endTokens")((tenantId, email, actor) =>
    change(tenantId, email, actor, "end tokens", (next, endTokensAt) => ({ next, endTokensAt }))
  )

  const createToken: Users["Service"]["createToken"] = Effect.fn("Users.createToken")(
    function* (tenantId, email, lifetimeSeconds, actor) {
      if (!isLegacyLifetime(lifetimeSeconds)) {
        const reason = `must be a whole number of seconds from 1 to ${maxLegacyLifetimeSeconds}`
        return yield* new InvalidArgument({ field: "lifetimeSeconds", reason })
      }
      const noSuch = new NoSuch({ what: "user", id: email })
      const found = yield* store.findByEmail(tenantId, normalizeEmail(email))
      if (Option.isNone(found)) return yield* noSuch
      const granted = yield* grant({ account: found.value.account, lifetimeSeconds, actor, mayHave: () => true })
      return yield* Effect.mapError(Effect.fromOption(granted), () => noSuch)
    }
  )

  const revokeToken: Users["Service"]["revokeToken"] = Effect.fn("Users.revokeToken")(function* (tenantId, id, actor) {
    const at = yield* Clock.currentTimeMillis
    const auditedAction = { operation: "DELETE", action: "revoke", entityType: "legacyToken", entityId: id } as const
    const found = yield* store.revokeLegacyToken(tenantId, id, at, yield* audited(actor, auditedAction, at))
    if (!found) return yield* new NoSuch({ what: "token", id })
  })

  const setAbn: Users["Service"]["setAbn"] = Effect.fn("Users.setAbn")(function* (tenantId, text, actor) {
    const abn = normalizeAbn(text)
    if (!isAbn(abn)) {
      return yield* new InvalidArgument({ field: "abn", reason: "must be 11 digits with a valid ABN checksum" })
    }
    const auditedAction = { operation: "UPDATE", action: "set abn", entityType: "tenant", entityId: tenantId } as const
    yield* store.setAbn(tenantId, abn, yield* audited(actor, auditedAction, yield* Clock.currentTimeMillis))
  })

  return Users.of({ update, setPassword, setVerified, setActive, endTokens, createToken, revokeToken, setAbn })
})

export const layer: Layer.Layer<
  Users,
  never,
  UserStore | Passwords | Ids | LegacyTokens | TokenLifetime | PrivilegeRules
> = Layer.effect(Users, make)
