import { Context, type Effect, type Option, type Result } from "effect"
import type { CredentialFields } from "../credential/Credential.ts"
import type { ChangeRecords } from "../resource/ChangeRecords.ts"
import type { Stored } from "../resource/Resource.ts"
import type { SeriesPage, SeriesSelection } from "../resource/Series.ts"
import type { Instant } from "../shared/Instant.ts"
import type { Outcome, VerificationDraft } from "./VerificationRecord.ts"
import type { Places } from "./VerificationTurns.ts"

/**
 * A credential of which somebody waits for a verdict. There is at most one such run of a credential, however many wait:
 * a change whose records opens a verification begins it, due at once, or joins the one that is there as it is. A change
 * whose records asks for a rerun has one that waits, for a person or for its next attempt, due at once as if never asked.
 */
export interface DueRun {
  readonly tenantId: string
  readonly credentialId: string
  /** The kind of credential by which it had its turn. */
  readonly credentialType: string
  /** The credential as it was when the run was claimed, deleted or not. */
  readonly credential: Option.Option<Stored<CredentialFields>>
  /** Which attempt to ask this one is, from 1. */
  readonly attempt: number
  /** Proves that the run is still held by who claimed it. */
  readonly lease: string
}

/** What a call for a verification is decided from. */
export interface CallBasis {
  /** The credential as it is stored, deleted or not; none where nothing has the id. */
  readonly credential: Option.Option<Stored<CredentialFields>>
  /** How many verifications of it are open. */
  readonly openCount: number
}

/** What a call for a verification comes to: the credential to store, and what goes with it. */
export interface Call {
  readonly next: Stored<CredentialFields>
  readonly records: ChangeRecords
}

/** One verification, and how far it is. */
export interface FoundVerification {
  readonly verification: VerificationDraft
  /** Whether it is open and waits for a person. */
  readonly isSetAside: boolean
}

/** Who may conclude a run: who claimed it, or, where it waits for no register, a person who reviews it. */
export type RunHolder = { readonly _tag: "Lease"; readonly lease: string } | { readonly _tag: "Reviewer" }

/** What a conclusion is decided from. */
export interface RunBasis {
  /** The credential as it is stored, deleted or not; none where nothing has the id. */
  readonly credential: Option.Option<Stored<CredentialFields>>
  /** The open verifications, in the order in which they were asked for. */
  readonly open: ReadonlyArray<VerificationDraft>
}

/** What becomes of a run. */
export type Conclusion =
  /** It is asked again at that moment; `attempts` is how often it counts as asked by then. */
  | { readonly _tag: "Postponed"; readonly dueAt: Instant; readonly attempts: number }
  /** It waits for a person. `next` is the credential to store, where it changes. */
  | { readonly _tag: "SetAside"; readonly next: Stored<CredentialFields> | undefined; readonly records: ChangeRecords }
  /** Every open verification has this outcome, and the run is over. */
  | {
      readonly _tag: "Concluded"
      readonly outcome: Outcome
      readonly next: Stored<CredentialFields> | undefined
      readonly records: ChangeRecords
    }

/** Keeps verifications, and hands out those that are due. Infrastructure failures die. */
export class VerificationStore extends Context.Service<
  VerificationStore,
  {
    /**
     * Reads the credential and counts what is open of it, calls `decide`, which is synchronous, has no effects and may be
     * called again, and writes what it says in one transaction: of several calls at once each counts those before it. The
     * answer is the decision that was carried out, with whatever else it says. `next.version` must be above the current
     * one; an event without a sequence has that version. Fails with what `decide` fails with, and then nothing was written.
     */
    readonly begin: <E, Decided extends Call>(
      tenantId: string,
      credentialId: string,
      decide: (basis: CallBasis) => Result.Result<Decided, E>
    ) => Effect.Effect<Decided, E>

    /**
     * Takes runs of all tenants that are due, as many as there are places for, in turns as `VerificationTurns` has them:
     * each counts one attempt more, has the lease, and is due again only `leaseMillis` later, should nobody conclude it.
     * No run is handed to two at once. `nextDueAt` is when a run is due next that there is a place for then, those that
     * are claimed at the end of their leases; null where none is, as where all places are taken. It is not after `now`
     * where others were quicker to take what was due: more of it may be there.
     */
    readonly claim: (request: {
      readonly now: Instant
      readonly lease: string
      readonly leaseMillis: number
      readonly places: Places
    }) => Effect.Effect<{ readonly runs: ReadonlyArray<DueRun>; readonly nextDueAt: Instant | null }>

    /**
     * Reads the run, its credential and what is open, calls `decide`, which is synchronous, has no effects and may be
     * called again, and writes what it says in one transaction. Answers false, and has called nothing, where there is no
     * such run, or where another holds it: a run that is claimed, or due, is nobody's to review. `next.version` must be
     * above the current one; an event without a sequence has that version. Fails with what `decide` fails with, and then
     * nothing was written.
     */
    readonly conclude: <E>(
      tenantId: string,
      credentialId: string,
      holder: RunHolder,
      decide: (basis: RunBasis) => Result.Result<Conclusion, E>
    ) => Effect.Effect<boolean, E>

    /** Gives a claimed run back, due at once, as if it had not been claimed. Nothing where another holds it. */
    readonly release: (run: Pick<DueRun, "tenantId" | "credentialId" | "lease">, now: Instant) => Effect.Effect<void>

    /** One verification of the tenant's. */
    readonly find: (tenantId: string, id: string) => Effect.Effect<Option.Option<FoundVerification>>

    /** A page of a credential's verifications, in the order of writing. */
    readonly list: (
      tenantId: string,
      credentialId: string,
      selection: SeriesSelection<never>
    ) => Effect.Effect<SeriesPage<VerificationDraft>>
  }
>()("@wcs/domain/VerificationStore") {}
