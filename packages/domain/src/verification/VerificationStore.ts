import { Context, type Effect, type Option, type Result } from "effect"
import type { ChangeRecords } from "../crud/ChangeRecords.ts"
import type { CredentialFields } from "../holding/Credential.ts"
import type { Outcome, VerificationDraft } from "../holding/VerificationRecord.ts"
import type { Stored } from "../resource/Resource.ts"
import type { TimelinePage, TimelineSelection } from "../resource/Timeline.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Limits } from "./VerificationTurns.ts"

/** A run that a worker carries out. */
export interface RunInFlight {
  readonly tenantId: string
  readonly credentialId: string
  /** The credential type of the queue that the run came from. */
  readonly credentialType: string
}

/**
 * A due run: the verification of one credential. A credential has at most one run for all its open verifications.
 * A change that opens a verification starts a run, due now, or joins the existing one. A change that asks for a rerun
 * makes a run that is not due yet due now and resets its attempts.
 */
export interface DueRun extends RunInFlight {
  /** The credential when the run was read, deleted or not. */
  readonly credential: Option.Option<Stored<CredentialFields>>
  readonly dueAt: Instant
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** The time zone of the tenant. */
  readonly timeZone: string
  /** The trace of the call that made the run due; null if the call was not traced. */
  readonly traceparent: string | null
}

/** Input of the decision on a call for a verification. */
export interface CallBasis {
  /** The stored credential, deleted or not; none when the id does not exist. */
  readonly credential: Option.Option<Stored<CredentialFields>>
  /** Open verifications of the credential. */
  readonly openCount: number
}

/** The decision on a call: the credential to store, undefined if it does not change, and its records. */
export interface Call {
  readonly next: Stored<CredentialFields> | undefined
  readonly records: ChangeRecords
}

/** A verification with its state. */
export interface FoundVerification {
  readonly verification: VerificationDraft
  /** Whether it is open and waits for a person. */
  readonly awaitsReview: boolean
}

/**
 * The right to conclude a run. A worker has it while the run has the due time and the attempt that the worker read. A
 * reviewer has it while the run waits for a person.
 */
export type RunAuthority =
  | { readonly _tag: "Worker"; readonly run: Pick<DueRun, "dueAt" | "attempt"> }
  | { readonly _tag: "Reviewer" }

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

/**
 * Stores verifications and their runs. For a caller who is limited to units, a credential exists as in `ResourceStore`.
 * Infrastructure failures die.
 */
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
     * Returns due runs in leased partitions that are not in flight, as many as there are places, in the order of
     * `VerificationTurns`. Writes nothing: the worker's lease keeps others from reading the same runs. `nextDueAt` is
     * when the next run becomes due; null when there is none.
     */
    readonly readDue: (request: {
      readonly now: Instant
      /** The partitions that the worker leases. */
      readonly partitions: ReadonlyArray<number>
      readonly inFlight: ReadonlyArray<RunInFlight>
      readonly limits: Limits
    }) => Effect.Effect<{ readonly runs: ReadonlyArray<DueRun>; readonly nextDueAt: Instant | null }>

    /**
     * Reads the run, its credential and the open verifications, calls `decide` and stores its decision, in one
     * transaction. `decide` is synchronous, has no effects and may be called again. Returns false, without calling
     * `decide`, when the run does not exist or `authority` does not match. A reviewer cannot conclude a run that
     * is due or retried. `next.version` must be greater than the current version; an event without a sequence gets that version.
     * Fails with the failure of `decide`, without writing.
     */
    readonly conclude: <E>(
      tenantId: string,
      credentialId: string,
      authority: RunAuthority,
      decide: (basis: RunBasis) => Result.Result<Conclusion, E>
    ) => Effect.Effect<boolean, E>

    /** One verification of the tenant. */
    readonly find: (tenantId: string, id: string) => Effect.Effect<Option.Option<FoundVerification>>

    /** A page of a credential's verifications, in order of creation. */
    readonly list: (
      tenantId: string,
      credentialId: string,
      selection: TimelineSelection<never>
    ) => Effect.Effect<TimelinePage<VerificationDraft>>
  }
>()("@wcs/domain/VerificationStore") {}
