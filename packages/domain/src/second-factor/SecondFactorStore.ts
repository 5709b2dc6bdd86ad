import { Context, type Effect } from "effect"
import type { Role } from "../access/Privilege.ts"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Instant } from "../shared/Instant.ts"
import type { SecondFactor } from "./SecondFactor.ts"

/** The result of a decision about a factor. */
export interface FactorDecision<A> {
  readonly answer: A
  /** The factor to store. Null deletes the factor; absent changes nothing. */
  readonly next?: SecondFactor | null
  /** The audit entry of the change. */
  readonly audit?: AuditEntry
  /** Ends all live sessions of the account at this time. Raises `AccessStore.epoch`. */
  readonly endSessionsAt?: Instant
}

/** Stores second factors, at most one per account. Infrastructure failures are defects. */
export class SecondFactorStore extends Context.Service<
  SecondFactorStore,
  {
    /** Returns the account's factor, confirmed or not; null if there is none. */
    readonly find: (tenantId: string, accountId: string) => Effect.Effect<SecondFactor | null>
    /** Returns a page of a tenant's factors, confirmed or not, in the order of account ids after `after`. */
    readonly page: (tenantId: string, after: string | null, limit: number) => Effect.Effect<ReadonlyArray<SecondFactor>>
    /**
     * Reads the factor, calls `decide` and writes the decision in one transaction, isolated from other changes.
     * `decide` also gets the role of the account, which cannot change before the commit; undefined if there is no such
     * account. It is synchronous and may be called more than once.
     */
    readonly change: <A>(
      tenantId: string,
      accountId: string,
      decide: (factor: SecondFactor | null, role: Role | undefined) => FactorDecision<A>
    ) => Effect.Effect<A>
  }
>()("@wcs/domain/SecondFactorStore") {}
