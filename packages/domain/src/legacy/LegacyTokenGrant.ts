import { Clock, Effect, Option, Redacted } from "effect"
import type { Account } from "../access/Account.ts"
import { TokenLifetime } from "../access/TokenLifetime.ts"
import { type Actor, makeAudit } from "../audit/AuditEntry.ts"
import { Ids } from "../shared/Id.ts"
import type { User } from "../user/User.ts"
import { UserStore } from "../user/UserStore.ts"
import { LegacyTokens } from "./LegacyToken.ts"

/** A token of the legacy surface at the one moment when it is known. */
export interface GrantedLegacyToken {
  readonly id: string
  readonly token: Redacted.Redacted
  /** Unix seconds. */
  readonly issuedAt: number
  /** Unix seconds. */
  readonly expiresAt: number
}

/** For whom, for how long, by whose hand, and what has to be true of the user in the moment when it is kept. */
interface Wanted {
  readonly account: Pick<Account, "id" | "tenantId">
  readonly lifetimeSeconds: number
  readonly actor: Actor
  readonly mayHave: (user: User) => boolean
}

/** Keeps and signs tokens of the legacy surface. None is given where the user may have it no more. */
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
