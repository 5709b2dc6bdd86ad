import { Clock, Effect, Option, Redacted } from "effect"
import type { Account } from "../access/Account.ts"
import { TokenLifetime } from "../access/TokenLifetime.ts"
import { type Actor, makeAudit } from "../audit/AuditEntry.ts"
import { Ids } from "../shared/Id.ts"
import { LegacyTokens } from "../token/LegacyToken.ts"
import type { User } from "./User.ts"
import { UserStore } from "./UserStore.ts"

/** A new legacy token with its secret, which is returned only here. */
export interface GrantedLegacyToken {
  readonly id: string
  readonly token: Redacted.Redacted
  /** Unix seconds. */
  readonly issuedAt: number
  /** Unix seconds. */
  readonly expiresAt: number
}

/** A request for a token. `mayHave` must be true for the user in the transaction that stores the token. */
interface Wanted {
  readonly account: Pick<Account, "id" | "tenantId">
  readonly lifetimeSeconds: number
  readonly actor: Actor
  readonly mayHave: (user: User) => boolean
}

/**
 * Returns a function that stores and signs legacy tokens. The function returns none if the user may not have the token.
 */
export const make = Effect.gen(function* () {
  const store = yield* UserStore
  const tokens = yield* LegacyTokens
  const lifetime = yield* TokenLifetime
  const ids = yield* Ids
  const audited = makeAudit(ids)

  return Effect.fnUntraced(function* ({ account, actor, lifetimeSeconds, mayHave }: Wanted) {
    const now = yield* Clock.currentTimeMillis
    const validity = lifetime.issue(now, lifetimeSeconds)
    const { issuedAt } = validity
    const expiresAt = validity.expiresAt ?? issuedAt
    const { id: accountId, tenantId } = account
    const id = yield* ids.ulid
    const isIssued = yield* store.insertLegacyToken(
      { id, tenantId, accountId, issuedAt: now, expiresAt, revokedAt: null },
      yield* audited(actor, { operation: "CREATE", action: "create", entityType: "legacyToken", entityId: id }, now),
      (user) => mayHave(user) && !lifetime.isRevoked({ revokedAt: user.account.deactivatedAt })
    )
    if (!isIssued) return Option.none()
    const token = Redacted.make(yield* tokens.sign({ tenantId, accountId, tokenId: id, issuedAt, expiresAt }))
    return Option.some<GrantedLegacyToken>({ id, token, issuedAt, expiresAt })
  })
})
