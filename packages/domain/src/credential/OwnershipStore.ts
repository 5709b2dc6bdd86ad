import { Context, type Effect, type Result } from "effect"
import type { ChangeRecords } from "../crud/ChangeRecords.ts"
import type { CredentialFields, Slots } from "../holding/Credential.ts"
import type { OwnerFacts, OwnerReference, Owners, OwnerType } from "../ownership/Ownership.ts"
import type { Stored } from "../resource/Resource.ts"
import type { Instant } from "../shared/Instant.ts"

/** The credentials of a decision. */
export type Chosen =
  /** The existing credentials of these ids, without deleted ones. Ids may repeat. */
  | { readonly _tag: "Ids"; readonly ids: ReadonlyArray<string> }
  /** All credentials of an owner by id, without deleted ones, at most `limit`. */
  | { readonly _tag: "HeldBy"; readonly owner: OwnerReference; readonly limit: number }

/** A credential of a decision. */
export interface FoundCredential extends Slots {
  /** The slots with owners whom the caller does not reach. Absent if there are none. */
  readonly hidden?: ReadonlyArray<OwnerType>
  /** Decodes the whole credential, for decisions that need more than the slots. */
  readonly stored: () => Stored<CredentialFields>
}

/** The outcome of a decision. */
export interface Transition<Answer> {
  readonly answer: Answer
  /** The new slots of the credentials that change. Others stay unchanged. */
  readonly changes: ReadonlyMap<string, Owners>
  readonly records: ChangeRecords
  /** The time of the change, the new `updatedAt` of the credentials. */
  readonly at: Instant
}

/** The result of a transition. */
export interface Transitioned<Answer> {
  readonly answer: Answer
  /** Returns a selected credential after the transition, for every id that was found. Decoded only when called. */
  readonly credential: (id: string) => Stored<CredentialFields> | undefined
}

/** Runs a pure decision about owners in a transaction. Has no rules itself: `decide` has them. */
export class OwnershipStore extends Context.Service<
  OwnershipStore,
  {
    /**
     * Reads the selected credentials, by id, and the facts about the new owner. Calls `decide` and writes slots, audit
     * rows and events in one transaction. Fails with the error of `decide` and then writes nothing. `decide` is pure,
     * synchronous and may be called more than once.
     *
     * For a caller who is limited to units, credentials and owners are found as in `ResourceStore`.
     *
     * The version of each changed credential goes up by one. Concurrent transitions of a credential are linearizable.
     * The number of statements is independent of the number of credentials. Infrastructure failures are defects.
     */
    readonly transition: <Answer, E>(
      tenantId: string,
      chosen: Chosen,
      entering: OwnerReference | undefined,
      decide: (found: ReadonlyArray<FoundCredential>, facts: OwnerFacts) => Result.Result<Transition<Answer>, E>
    ) => Effect.Effect<Transitioned<Answer>, E>
  }
>()("@wcs/domain/OwnershipStore") {}
