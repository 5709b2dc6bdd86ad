import type { Owners } from "@wcs/domain/ownership/Ownership"
import { type ErrorCode, errorCodes, table } from "@wcs/domain/shared/ErrorCode"
import { Effect } from "effect"
import type { CallError, Refused } from "./CallError.ts"

/** The codes of a conflict, after which a caller reads the credential again (§7.1). */
type Conflict = {
  [Code in ErrorCode]: (typeof table)[Code] extends { readonly status: 409; readonly next: "read again" } ? Code : never
}[ErrorCode]

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
      readonly code: Conflict
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

const conflictOf = ({ code, status }: Refused): Conflict | null =>
  status === 409 && code !== null && isConflict(code) ? code : null

const isConflict = (code: string): code is Conflict => {
  const row = errorCodes.find((known) => known === code)
  return row !== undefined && table[row].status === 409 && table[row].next === "read again"
}

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
