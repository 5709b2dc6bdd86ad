import { Clock, Context, Data, Effect, Layer, Option, Redacted, Result } from "effect"
import { accountIdOf, accountUrn } from "../access/Account.ts"
import { isTokenShaped, tokenLength } from "../access/OpaqueToken.ts"
import { PrivilegeRules } from "../access/Privilege.ts"
import { Digest } from "../shared/Digest.ts"
import { Ids } from "../shared/Id.ts"
import type { InvalidArgument } from "../shared/InvalidArgument.ts"
import { RequestId } from "../shared/RequestId.ts"
import { AccessStore } from "../token/AccessStore.ts"
import { choose, Passwords, type PasswordsBusy } from "./Passwords.ts"
import type { User } from "./User.ts"
import * as UserChanges from "./UserChanges.ts"
import * as UserInvite from "./UserInvite.ts"
import * as UserRights from "./UserRights.ts"
import { UserStore } from "./UserStore.ts"

/**
 * The invite link is unknown, used, replaced, expired or of another tenant, its user is deactivated or has another role
 * now, or its maker may no longer create such a user.
 */
export class NoInvite extends Data.TaggedError("NoInvite") {}

/** Returns an effect that mints an invite and its secret, which is returned only here. */
export const makeMint = Effect.gen(function* () {
  const digest = yield* Digest
  const ids = yield* Ids
  return Effect.gen(function* () {
    const text = yield* ids.secret(tokenLength)
    const expiresAt = (yield* Clock.currentTimeMillis) + UserInvite.lifetimeMillis
    const invite = { tokenHash: digest.sha256(text), expiresAt }
    return { invite, secret: Redacted.make(text) }
  })
})

/** Invite links for invited users. The link is the only proof, so all refusals are the same. */
export class Invites extends Context.Service<
  Invites,
  {
    /** Returns the user of a link. Opening a link does not use it. */
    readonly find: (tenantId: string, secret: Redacted.Redacted) => Effect.Effect<User, NoInvite>
    /** Uses the link and sets the user's first password. Of concurrent uses, one succeeds. */
    readonly accept: (
      tenantId: string,
      secret: Redacted.Redacted,
      password: Redacted.Redacted
    ) => Effect.Effect<User, NoInvite | InvalidArgument | PasswordsBusy, RequestId>
  }
>()("@wcs/domain/Invites") {}

export const make = Effect.gen(function* () {
  const store = yield* UserStore
  const access = yield* AccessStore
  const rules = yield* PrivilegeRules
  const digest = yield* Digest
  const passwords = yield* Passwords
  const changeUser = yield* UserChanges.make

  const find: Invites["Service"]["find"] = Effect.fn("Invites.find")(function* (tenantId, secret) {
    const text = Redacted.value(secret)
    if (!isTokenShaped(text)) return yield* new NoInvite()
    const hash = digest.sha256(text)
    const now = yield* Clock.currentTimeMillis
    const found = Option.filter(yield* store.findByInvite(tenantId, hash), (user) => UserInvite.isOpen(user, hash, now))
    if (Option.isNone(found)) return yield* new NoInvite()
    const { invitedBy } = found.value
    const inviter = invitedBy === null ? Option.none() : yield* access.findAccount(tenantId, accountIdOf(invitedBy))
    return UserRights.isInviteUpheld(rules, found.value, inviter) ? found.value : yield* new NoInvite()
  })

  const accept: Invites["Service"]["accept"] = Effect.fn("Invites.accept")(function* (tenantId, secret, password) {
    const { account } = yield* find(tenantId, secret) // before the costly hash
    const passwordHash = yield* choose(passwords, password, tenantId)
    const tokenHash = digest.sha256(Redacted.value(secret))
    const actor = { account: accountUrn(account.id), bearer: null, requestId: yield* RequestId }
    const subject = { tenantId, accountId: account.id, actor, action: "accept invite" }
    const changed = yield* changeUser(subject, (user, at, { inviter }) =>
      UserInvite.isOpen(user, tokenHash, at) && UserRights.isInviteUpheld(rules, user, inviter)
        ? Result.succeed({ next: UserInvite.joined({ ...user, passwordHash }, at) })
        : Result.fail(new NoInvite())
    )
    return Option.isSome(changed) ? changed.value : yield* new NoInvite()
  })

  return Invites.of({ find, accept })
})

export const layer = Layer.effect(Invites, make)
