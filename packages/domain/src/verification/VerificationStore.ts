import { Context, type Effect, type Option, type Result } from "effect"
import type { CredentialFields } from "../credential/Credential.ts"
import type { ChangeRecords } from "../resource/ChangeRecords.ts"
import type { Stored } from "../resource/Resource.ts"
import type { SeriesPage, SeriesSelection } from "../resource/Series.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Outcome, VerificationDraft } from "./VerificationRecord.ts"
import type { Places } from "./VerificationTurns.ts"

/**
 * A claimed run: the verification of one credential. A credential has at most one run, however many verifications are
 * open. A change that opens a verification starts a run, due now, or joins the existing one. A change that asks for a
 * rerun makes a waiting run due now and resets its attempts.
 */
export interface DueRun {
  readonly tenantId: string
  readonly credentialId: string
  /** The credential type of the queue that the run came from. */
  readonly credentialType: string
  /** The credential when the run was claimed, deleted or not. */
  readonly credential: Option.Option<Stored<CredentialFields>>
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** Proves that the worker still leases the run. */
  readonly lease: string
}

/** Input of the decision on a call for a verification. */
export interface CallBasis {
  /** The stored credential, deleted or not; none when the id does not exist. */
  readonly credential: Option.Option<Stored<CredentialFields>>
  /** Open verifications of the credential. */
  readonly openCount: number
}

/** The decision on a call: the credential to store and its records. */
export interface Call {
  readonly next: Stored<CredentialFields>
  readonly records: ChangeRecords
}

/** A verification with its state. */
export interface FoundVerification {
  readonly verification: VerificationDraft
  /** Whether it is open and waits for a person. */
  readonly awaitsReview: boolean
}

/**
 * The right to conclude a run: that of the worker with its lease, or that of a reviewer when the run waits for a
 * person.
 */
export type RunAuthority = { readonly _tag: "Lease"; readonly lease: string } | { readonly _tag: "Reviewer" }

/** Input of a conclusion. */
export interface RunBasis {
  /** The stored credential, deleted or not; none when the id does not exist. */
  readonly credential: Option.Option<Stored<CredentialFields>>
  /** The open verifications, in order of request. */
  readonly open: ReadonlyArray<VerificationDraft>
}

/** The result of a run. */
export type Conclusion =
  /** The run is retried at `dueAt`. `attempts` is the new attempt count. */
  | { readonly _tag: "Postponed"; readonly dueAt: Instant; readonly attempts: number }
  /** The run waits for a person. `next` is the credential to store when it changes. */
  | {
      readonly _tag: "AwaitsReview"
      readonly next: Stored<CredentialFields> | undefined
      readonly records: ChangeRecords
    }
  /** Every open verification gets the outcome, and the run ends. */
  | {
      readonly _tag: "Concluded"
      readonly outcome: Outcome
      readonly next: Stored<CredentialFields> | undefined
      readonly records: ChangeRecords
    }

/** Stores verifications and leases due runs to workers. Infrastructure failures die. */
export class VerificationStore extends Context.Service<
  VerificationStore,
  {
    /**
     * Reads the credential and counts its open verifications, calls `decide` and stores its decision, in one
     * transaction. `decide` is synchronous, has no effects and may be called again. Concurrent calls count each other.
     * `next.version` must be greater than the current version; an event without a sequence gets that version. Returns
     * the decision. Fails with the failure of `decide`, without writing.
     */
    readonly begin: <E, Decided extends Call>(
      tenantId: string,
      credentialId: string,
      decide: (basis: CallBasis) => Result.Result<Decided, E>
    ) => Effect.Effect<Decided, E>

    /**
     * Leases due runs of all tenants, as many as there are places, in the order of `VerificationTurns`. Each claimed
     * run counts one attempt and is due again after `leaseMillis` unless concluded. No run is claimed twice at once.
     * `nextDueAt` is when the next run with a free place is due, where claimed runs count as due when their leases
     * expire; null when there is none, or no place is free. When other workers took due runs first, `nextDueAt` may be
     * in the past: claim again.
     */
    readonly claim: (request: {
      readonly now: Instant
      readonly lease: string
      readonly leaseMillis: number
      readonly places: Places
    }) => Effect.Effect<{ readonly runs: ReadonlyArray<DueRun>; readonly nextDueAt: Instant | null }>

    /**
     * Reads the run, its credential and the open verifications, calls `decide` and stores its decision, in one
     * transaction. `decide` is synchronous, has no effects and may be called again. Returns false, without calling
     * `decide`, when the run does not exist or `authority` does not match. A reviewer cannot conclude a claimed or due
     * run. `next.version` must be greater than the current version; an event without a sequence gets that version.
     * Fails with the failure of `decide`, without writing.
     */
    readonly conclude: <E>(
      tenantId: string,
      credentialId: string,
      authority: RunAuthority,
      decide: (basis: RunBasis) => Result.Result<Conclusion, E>
    ) => Effect.Effect<boolean, E>

    /** Releases a claimed run: due now, and the attempt does not count. Does nothing when the lease does not match. */
    readonly release: (run: Pick<DueRun, "tenantId" | "credentialId" | "lease">, now: Instant) => Effect.Effect<void>

    /** One verification of the tenant. */
    readonly find: (tenantId: string, id: string) => Effect.Effect<Option.Option<FoundVerification>>

    /** A page of a credential's verifications, in order of creation. */
    readonly list: (
      tenantId: string,
      credentialId: string,
      selection: SeriesSelection<never>
    ) => Effect.Effect<SeriesPage<VerificationDraft>>
  }
>()("@wcs/domain/VerificationStore") {}
