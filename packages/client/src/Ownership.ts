import type { Owners } from "@wcs/domain/ownership/Ownership"
import { Effect } from "effect"
import type { CallError, Refused } from "./CallError.ts"

/** The outcome of a link, an unlink or a transfer. */
export type OwnershipOutcome<Credential> =
  | {
      /** The credential has the requested owners. Also for a repeated call. */
      readonly _tag: "Done"
      readonly credential: Credential
    }
  | {
      /** Nothing was changed: the slot has another owner. */
      readonly _tag: "HeldOtherwise"
      readonly code: "ALREADY_LINKED" | "OWNER_MISMATCH"
      /** The owners, read after the refusal. */
      readonly owners: Owners
      readonly credential: Credential
    }

interface Owned {
  readonly attributes: { readonly owners: Owners }
}

interface Answered<Credential> {
  readonly data: Credential
}

const conflictOf = ({ code, status }: Refused): "ALREADY_LINKED" | "OWNER_MISMATCH" | null =>
  status === 409 && (code === "ALREADY_LINKED" || code === "OWNER_MISMATCH") ? code : null

/** Changes owners. After a conflict, reads the credential again (ENV-19). */
export const changeOwners = <Credential extends Owned>(
  change: Effect.Effect<Answered<Credential>, CallError>,
  read: Effect.Effect<Answered<Credential>, CallError>
): Effect.Effect<OwnershipOutcome<Credential>, CallError> =>
  change.pipe(
    Effect.map(({ data }): OwnershipOutcome<Credential> => ({ _tag: "Done", credential: data })),
    Effect.catchTag("Refused", (refused) => {
      const code = conflictOf(refused)
      if (code === null) return Effect.fail(refused)
      return Effect.map(
        read,
        ({ data }): OwnershipOutcome<Credential> => ({
          _tag: "HeldOtherwise",
          code,
          owners: data.attributes.owners,
          credential: data
        })
      )
    })
  )
