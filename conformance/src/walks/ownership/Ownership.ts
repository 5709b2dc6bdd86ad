import type { Walk } from "../../judgement/Walk.ts"
import { linkWalks } from "./OwnershipLink.ts"
import { raceWalks } from "./OwnershipRaces.ts"
import { requestWalks } from "./OwnershipRequests.ts"
import { sequenceWalks } from "./OwnershipSequences.ts"
import { transferWalks } from "./OwnershipTransfer.ts"
import { unlinkWalks } from "./OwnershipUnlink.ts"
import { twiceWalks } from "./TwiceAtOnce.ts"

/** Ownership of one credential. */
export const ownershipWalks: ReadonlyArray<Walk> = [
  ...sequenceWalks,
  ...raceWalks,
  ...linkWalks,
  ...unlinkWalks,
  ...transferWalks,
  ...requestWalks,
  ...twiceWalks
]
