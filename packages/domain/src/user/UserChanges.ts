import { Clock, Effect, type Option, Result } from "effect"
import type { Account } from "../access/Account.ts"
import { PrivilegeRules } from "../access/Privilege.ts"
import { type Actor, makeAudit } from "../audit/AuditEntry.ts"
import type { CollectionFull } from "../resource/Resource.ts"
import { Ids } from "../shared/Id.ts"
import type { Instant } from "../shared/Instant.ts"
import { revocations } from "../token/Lineage.ts"
import { mayHaveClients } from "../token/OAuthClient.ts"
import { type Caps, checkRoom } from "../token/TenantCaps.ts"
import type { User } from "./User.ts"
import { type UserChange, UserStore } from "./UserStore.ts"

/** The user after a change, and the tokens and sessions that it ends or starts. */
export type Rewritten = Pick<UserChange, "next" | "endTokensAt" | "revokeTokensAt" | "session">

/** What a change depends on besides its user. `active` is 0 unless the user is deactivated. */
export interface Others {
  readonly superAdmins: number
  readonly active: number
  /** The maker of the user's last invite link. */
  readonly inviter: Option.Option<Account>
}

/** Decides a change, or fails. `undefined` changes nothing. */
export type Rewrite<E> = (user: User, at: Instant, others: Others) => Result.Result<Rewritten | undefined, E>

/** The user to change, the actor, and the action's name in the audit log. */
export interface Subject {
  readonly tenantId: string
  readonly accountId: string
  readonly actor: Actor
  readonly action: string
}

/** Deactivates a user and ends the user's tokens and sessions. They stay ended if the user is activated again. */
export const deactivate: Rewrite<never> = (user, at) =>
  Result.succeed(
    user.account.deactivatedAt === null
      ? {
          next: { ...user, invite: null, account: { ...user.account, deactivatedAt: at } },
          endTokensAt: at,
          revokeTokensAt: at
        }
      : undefined
  )

/** Reactivates a user if the tenant has room for another active one. */
export const activate =
  ({ users }: Caps): Rewrite<CollectionFull> =>
  (user, _, { active }) =>
    user.account.deactivatedAt === null
      ? Result.succeed(undefined)
      : Result.map(checkRoom("user", active, users), () => ({
          next: { ...user, account: { ...user.account, deactivatedAt: null } }
        }))

/**
 * Returns the function that makes every change of a user. It writes the audit entry and revokes the OAuth clients that
 * the user may no longer have. It returns the changed user, or none if there is no such user.
 */
export const make = Effect.gen(function* () {
  const store = yield* UserStore
  const rules = yield* PrivilegeRules
  const ids = yield* Ids
  const audited = makeAudit(ids)
  const auditId = ids.source("audit")

  return Effect.fnUntraced(function* <E>(
    { accountId, action, actor, tenantId }: Subject,
    rewrite: Rewrite<E>
  ): Effect.fn.Return<Option.Option<User>, E> {
    const at = yield* Clock.currentTimeMillis
    const audit = yield* audited(actor, { operation: "UPDATE", action, entityType: "account", entityId: accountId }, at)
    return yield* store.change(tenantId, accountId, (user, clients, superAdmins, active, inviter) =>
      Result.map(rewrite(user, at, { superAdmins, active, inviter }), (rewritten) => {
        if (rewritten === undefined) return undefined
        const ended = mayHaveClients(rules, rewritten.next.account) ? [] : clients
        const references = ended.map((id) => ({ entityType: "apiClient", id }) as const)
        return { ...rewritten, audit, revocations: revocations(references, actor, auditId, at) }
      })
    )
  })
})
