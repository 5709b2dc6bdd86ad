import { Data, Result } from "effect"
import type { EntityType } from "../access/Privilege.ts"
import type { OwnerType } from "../ownership/Ownership.ts"
import type { Stored } from "../resource/Resource.ts"
import { InvalidArgument } from "../shared/InvalidArgument.ts"
import { at, type JsonObject, put } from "../shared/Json.ts"
import { pathUp, type UnitTree } from "./Unit.ts"

/**
 * Whether an account whose role is limited to some units reaches a person of a unit (DECISIONS.md#units). It reaches the
 * people of these units and of all units below them, and nobody without a unit. Without a limit it reaches everybody.
 */
export const mayOversee = (
  limits: ReadonlyArray<string> | undefined,
  tree: UnitTree,
  unit: string | undefined
): boolean => limits === undefined || (unit !== undefined && pathUp(tree, unit).some((above) => limits.includes(above)))

/** The people that the rows of a type are about. */
export type Belonging =
  /** The row is a person. */
  | { readonly _tag: "Person" }
  /** The people who own the row: who reaches one of them finds the row. */
  | { readonly _tag: "Held"; readonly by: ReadonlyArray<OwnerType> }
  /** A unit, which is found by those who reach its people. */
  | { readonly _tag: "Unit" }
  /** Nobody. Whether a limited role may read such rows says `entities`. */
  | { readonly _tag: "Nobody" }

const heldBy = (...by: ReadonlyArray<OwnerType>): Belonging => ({ _tag: "Held", by })
const person: Belonging = { _tag: "Person" }
const nobody: Belonging = { _tag: "Nobody" }

/** The people that the rows of each type are about. */
export const belongings: Readonly<Record<EntityType, Belonging>> = {
  worker: person,
  applicant: person,
  credential: heldBy("worker", "applicant"),
  exemption: heldBy("worker", "applicant"),
  credentialCheck: heldBy("applicant"),
  captureRequest: heldBy("worker"),
  ban: heldBy("worker"),
  task: heldBy("worker", "applicant"),
  unit: { _tag: "Unit" },
  webhook: nobody,
  screeningPackage: nobody,
  complianceCheck: nobody,
  auditEvent: nobody,
  accessToken: nobody,
  apiClient: nobody,
  user: nobody,
  session: nobody,
  identityProvider: nobody,
  verificationSource: nobody,
  verification: nobody,
  erasure: nobody,
  import: nobody,
  message: nobody,
  answer: heldBy("worker", "applicant")
}

/** The unit in the fields of a person. */
export const unitIn = (fields: JsonObject): string | undefined => {
  const id = at(fields, ["unit", "id"])
  return typeof id === "string" ? id : undefined
}

/** The fields of a person who moves with all people of a unit. Somebody who is in another unit by now stays there. */
export const movedFrom = <Fields extends JsonObject>(fields: Fields, from: string, to: string): Fields =>
  unitIn(fields) === from ? (put(fields, ["unit"], { id: to }) as Fields) : fields

/**
 * Fails if a caller with a limit would write a person without a unit, whom the caller could not see afterwards. A unit
 * beyond the limit does not exist for the caller, as the target of a link.
 */
export const requireUnit = (
  limits: ReadonlyArray<string> | undefined,
  type: EntityType,
  fields: JsonObject
): Result.Result<void, InvalidArgument> =>
  limits === undefined || belongings[type]._tag !== "Person" || unitIn(fields) !== undefined
    ? Result.void
    : Result.fail(
        new InvalidArgument({ field: "unit", reason: "is required, because your access is limited to units" })
      )

/**
 * Whether an act on a credential counts for each of its owners. A caller who does not reach one of them may not do it,
 * because it would clear or bar a person outside. Link, unlink and transfer are judged by slot (`veil`).
 */
export const countsForAllOwners = {
  read: false,
  // A register that answers by a person, or not at all, takes the present verdict away meanwhile.
  verify: true,
  update: true,
  delete: true,
  restore: true,
  review: true,
  notice: true,
  decide: true,
  // A document can show each owner of the credential, so this covers a look, an upload and a deletion.
  document: true
} as const

/** The credential has an owner whom the caller does not reach, and the act counts for that owner, too. */
export class OwnerOutside extends Data.TaggedError("OwnerOutside")<{ readonly credentialId: string }> {}

/** Fails if an act on a credential would count for an owner whom the caller does not reach. */
export const requireOwners = (
  act: keyof typeof countsForAllOwners,
  { hidden = [], id }: Pick<Stored, "id" | "hidden">
): Result.Result<void, OwnerOutside> =>
  countsForAllOwners[act] && hidden.length > 0 ? Result.fail(new OwnerOutside({ credentialId: id })) : Result.void
