import type { Walk } from "../../judgement/Walk.ts"
import { itemWalks } from "./BulkItems.ts"
import { reachWalks } from "./BulkReach.ts"
import { bulkReferenceWalks } from "./BulkReferences.ts"
import { silenceWalks } from "./BulkSilences.ts"

/** Ownership of many credentials at once. */
export const bulkOwnershipWalks: ReadonlyArray<Walk> = [
  ...itemWalks,
  ...reachWalks,
  ...bulkReferenceWalks,
  ...silenceWalks
]
