import type { Mutant } from "./Mutant.ts"
import { ownershipLinkMutants } from "./mutants/OwnershipLink.ts"
import { ownershipRequestMutants } from "./mutants/OwnershipRequests.ts"
import { ownershipTransferMutants } from "./mutants/OwnershipTransfer.ts"
import { ownershipUnlinkMutants } from "./mutants/OwnershipUnlink.ts"
import { transportMutants } from "./mutants/Transport.ts"

/** Every mutant, by area. */
export const mutants: ReadonlyArray<Mutant> = [
  ...transportMutants,
  ...ownershipLinkMutants,
  ...ownershipUnlinkMutants,
  ...ownershipTransferMutants,
  ...ownershipRequestMutants
]
