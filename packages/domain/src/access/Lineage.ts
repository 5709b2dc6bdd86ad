import { Data, Option, Result } from "effect"
import { type Actor, type AuditEntry, entryOf } from "../audit/AuditEntry.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Account } from "./Account.ts"
import type { CreatedBy } from "./CreatedBy.ts"
import { type PersonalToken, validityOf } from "./PersonalToken.ts"
import type { Privilege } from "./Privilege.ts"
import type { TokenLifetime } from "./TokenLifetime.ts"

// Which tokens and clients came from which. A personal token makes tokens and clients; a client makes nothing, but
// clients that were made by clients before that was refused may still be stored.

/** A token or client, by its entity type and id. */
export interface IssuedReference {
  readonly entityType: "accessToken" | "apiClient"
  readonly id: string
}

/** Who makes a token or client, read in the transaction that stores it. */
export interface Maker {
  readonly account: Account
  /** The personal token that is used; null for another bearer. */
  readonly token: PersonalToken | null
}

/** The bearer has been revoked, has expired, or its account has been deactivated. Nothing was made. */
export class MakerEnded extends Data.TaggedError("MakerEnded") {}

/** Whether something may be made at `now`. `maker` is none for the operator, who uses no bearer. */
export const mayMake = (
  { isLive }: Pick<TokenLifetime["Service"], "isLive">,
  { bearer }: CreatedBy,
  maker: Option.Option<Maker>,
  now: Instant
): Result.Result<void, MakerEnded> => {
  if (bearer === null) return Result.succeed(undefined)
  const isThere = Option.exists(
    maker,
    ({ account, token }) =>
      account.deactivatedAt === null &&
      (bearer.kind !== "personal" || (token !== null && isLive(validityOf(token), now)))
  )
  return isThere ? Result.succeed(undefined) : Result.fail(new MakerEnded())
}

/**
 * What it takes to revoke a token or client together with `live`, everything that came from it and is not revoked:
 * DELETE on each further entity type (§5.2, item 7).
 */
export const revokingNeeds = (root: IssuedReference, live: ReadonlyArray<IssuedReference>): ReadonlyArray<Privilege> =>
  (["accessToken", "apiClient"] as const)
    .filter((entityType) => entityType !== root.entityType && live.some((one) => one.entityType === entityType))
    .map((entityType) => ({ entityType, operation: "DELETE" }))

/** The audit entries of revoking all of these. */
export const revocations = (
  live: ReadonlyArray<IssuedReference>,
  actor: Actor,
  auditId: () => string,
  at: Instant
): ReadonlyArray<AuditEntry> =>
  live.map(({ entityType, id }) =>
    entryOf(auditId(), actor, { operation: "DELETE", action: "revoke", entityType, entityId: id }, at)
  )
