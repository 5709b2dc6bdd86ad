import type { Mutant } from "./Mutant.ts"
import { ownershipLinkMutants } from "./mutants/OwnershipLink.ts"

/** Every mutant, by area. */
export const mutants: ReadonlyArray<Mutant> = [...ownershipLinkMutants]
