import { Context, type Effect, type Result } from "effect"
import type { CredentialFields, Slots } from "../credential/Credential.ts"
import type { ChangeRecords } from "../resource/ChangeRecords.ts"
import type { Stored } from "../resource/Resource.ts"
import type { Instant } from "../shared/Instant.ts"
import type { OwnerReference, Owners } from "./Ownership.ts"

/** Which credentials a decision is about. */
export type Chosen =
  /** Those of the ids that are there and not deleted; an id may stand twice. */
  | { readonly _tag: "Ids"; readonly ids: ReadonlyArray<string> }
  /** All that an owner holds, not deleted, by id, but no more than `limit`. */
  | { readonly _tag: "HeldBy"; readonly owner: OwnerReference; readonly limit: number }

/** What a decision comes to. */
export interface Transition<Answer> {
  readonly answer: Answer
  /** The new slots of the credentials that change; the others stay untouched. */
  readonly changes: ReadonlyMap<string, Owners>
  readonly records: ChangeRecords
  /** The moment of the change: the credentials' new `updatedAt`. */
  readonly at: Instant
}

/** What a transition left behind. */
export interface Transitioned<Answer> {
  readonly answer: Answer
  /** A chosen credential as the transition left it; read out only when asked, and there for every id that was found. */
  readonly credential: (id: string) => Stored<CredentialFields> | undefined
}

/**
 * Gives atomicity to a pure decision about owners. Rules never run here: `decide` has them.
 */
export class OwnershipStore extends Context.Service<
  OwnershipStore,
  {
    /**
     * Reads the chosen credentials (in the order of their ids) and whether the owner to be put in is there and not
     * deleted (`true` where nobody is put in), calls `decide`, which is synchronous, has no effects and may be called
     * again, and writes slots, audit rows and events in one transaction, or changes nothing. Each changed credential's
     * version goes up by one. Concurrent transitions of a credential have an order that explains all answers. The
     * number of statements does not depend on the number of credentials. Fails with what `decide` fails with, and then
     * nothing was written; infrastructure failures die.
     */
    readonly transition: <Answer, E>(
      tenantId: string,
      chosen: Chosen,
      entering: OwnerReference | undefined,
      decide: (found: ReadonlyArray<Slots>, enteringIsPresent: boolean) => Result.Result<Transition<Answer>, E>
    ) => Effect.Effect<Transitioned<Answer>, E>
  }
>()("@wcs/domain/OwnershipStore") {}
