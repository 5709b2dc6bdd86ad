import { Data, Option, Result } from "effect"
import type { Account } from "../access/Account.ts"
import type { Privilege } from "../access/Privilege.ts"
import type { TokenLifetime } from "../access/TokenLifetime.ts"
import { type Actor, type AuditEntry, entryOf } from "../audit/AuditEntry.ts"
import type { Instant } from "../shared/Instant.ts"
import type { CreatedBy } from "./CreatedBy.ts"
import { type PersonalToken, validityOf } from "./PersonalToken.ts"

// The tree of tokens and clients by creator. A personal token creates tokens and clients; a client creates nothing.
// Older rows may still have clients as creators.

/** A token or client, by its entity type and id. */
export interface IssuedReference {
  readonly entityType: "accessToken" | "apiClient"
  readonly id: string
}

/** The creator of a token or client, read in the transaction that stores the new item. */
export interface Maker {
  readonly account: Account
  /** The personal token used; null for another bearer. */
  readonly token: PersonalToken | null
}

/** The bearer was revoked, has expired, or its account was deactivated. Nothing was created. */
export class MakerEnded extends Data.TaggedError("MakerEnded") {}

/** Checks that the creator's bearer is live at `now`. `maker` is none for the operator, who has no bearer. */
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
 * Returns the privileges needed to revoke `root` with `live`, its descendants that are not revoked: DELETE on each
 * further entity type (§5.2, item 7).
 */
export const revokingNeeds = (root: IssuedReference, live: ReadonlyArray<IssuedReference>): ReadonlyArray<Privilege> =>
  (["accessToken", "apiClient"] as const)
    .filter((entityType) => entityType !== root.entityType && live.some((one) => one.entityType === entityType))
    .map((entityType) => ({ entityType, operation: "DELETE" }))

/** Returns the audit entries for revoking all of `live`. */
export const revocations = (
  live: ReadonlyArray<IssuedReference>,
  actor: Actor,
  auditId: () => string,
  at: Instant
): ReadonlyArray<AuditEntry> =>
  live.map(({ entityType, id }) =>
    entryOf(auditId(), actor, { operation: "DELETE", action: "revoke", entityType, entityId: id }, at)
  )
