import { Context, type Effect } from "effect"
import type { AuditEntry } from "../audit/AuditEntry.ts"
import type { Instant } from "../shared/Instant.ts"
import type { SecondFactor } from "./SecondFactor.ts"

/** The outcome of a decision about a factor. */
export interface FactorDecision<A> {
  readonly answer: A
  /** The factor from now on: null deletes it, absent leaves it as it is. */
  readonly next?: SecondFactor | null
  /** The entry that is written with the change. */
  readonly audit?: AuditEntry
  /** Ends every session of the account that was not ended before, at this moment. Moves `AccessStore.epoch`. */
  readonly endSessionsAt?: Instant
}

/** The second factors of accounts, at most one each. Infrastructure failures die. */
export class SecondFactorStore extends Context.Service<
  SecondFactorStore,
  {
    /** The account's factor, confirmed or not; null if there is none. */
    readonly find: (tenantId: string, accountId: string) => Effect.Effect<SecondFactor | null>
    /**
     * Reads the factor, calls `decide`, and writes the decision, all in one transaction. No other change comes between.
     * `decide` is synchronous and may be called again.
     */
    readonly change: <A>(
      tenantId: string,
      accountId: string,
      decide: (factor: SecondFactor | null) => FactorDecision<A>
    ) => Effect.Effect<A>
  }
>()("@wcs/domain/SecondFactorStore") {}
