import { Data, Result } from "effect"
import type { Account } from "./Account.ts"
import type { Caller } from "./Caller.ts"
import { Forbidden, listOf, nameOf, type Privilege, type Privileges, privilegesOf, unitsOf } from "./Privilege.ts"
import { Unauthenticated } from "./Unauthenticated.ts"

// A call is authenticated before its body arrives, and its body may take a minute. So every transaction that writes for a
// caller compares the caller with what is stored then (DECISIONS.md#access).

/** What the store knows of a caller at the time of a write. */
export interface StoredCaller {
  /** Whether the session, token, client or identity provider was revoked, ended or removed. */
  readonly isBearerEnded: boolean
  readonly account: Pick<Account, "role" | "deactivatedAt"> | undefined
}

/**
 * A store refused a write, because the caller's bearer has ended or the caller has lost a privilege since the call was
 * authenticated. Nothing was written. Stores raise it as a defect: no use case can handle it, and each call must end.
 */
export class CallerEnded extends Data.TaggedError("CallerEnded")<{
  readonly account: string
  /** The caller's present privileges; null if the bearer has ended. */
  readonly privileges: Privileges | null
  /** The first privilege that the caller has lost; null if the bearer has ended. */
  readonly lost: Privilege | null
}> {}

type Authenticated = Pick<Caller["Service"], "account" | "limitedTo" | "privileges">

/**
 * Checks that a caller may still write. A caller with fewer privileges than at authentication may not, whichever these
 * are: the use case has decided with all of them. Neither may one who was limited to units meanwhile. Expiry does not
 * count, because it is judged when the call arrives.
 */
export const mayStillWrite = (
  { account, limitedTo, privileges }: Authenticated,
  stored: StoredCaller
): Result.Result<void, CallerEnded> => {
  const ended = Result.fail(new CallerEnded({ account, privileges: null, lost: null }))
  if (stored.isBearerEnded || stored.account === undefined || stored.account.deactivatedAt !== null) return ended
  if (limitedTo === undefined && unitsOf(stored.account.role) !== undefined) return ended
  const present = privilegesOf(stored.account.role)
  const lost = listOf(privileges).find((privilege) => !present.has(nameOf(privilege)))
  return lost === undefined ? Result.void : Result.fail(new CallerEnded({ account, privileges: present, lost }))
}

/** Returns the refusal of a call whose caller has ended: 401, or the usual 403 for `needed`, the call's own privileges. */
export const refusalOf = (
  { account, lost, privileges }: CallerEnded,
  needed: ReadonlyArray<Privilege>
): Unauthenticated | Forbidden => {
  if (privileges === null || lost === null) return new Unauthenticated()
  const refused = needed.find((privilege) => !privileges.has(nameOf(privilege))) ?? lost
  return new Forbidden({ account, ...refused })
}
