import type { Walk } from "../Walk.ts"
import { auditWalks } from "./Audit.ts"
import { derivedReadWalks } from "./DerivedReads.ts"
import { groupWalks } from "./Groups.ts"
import { privilegedOwnershipWalks } from "./PrivilegedOwnership.ts"
import { matrixWalks } from "./PrivilegeMatrix.ts"
import { refusalWalks } from "./PrivilegeRefusals.ts"

/** PRV: what a token may do. */
export const privilegeWalks: ReadonlyArray<Walk> = [
  ...groupWalks,
  ...auditWalks,
  ...refusalWalks,
  ...matrixWalks,
  ...derivedReadWalks,
  ...privilegedOwnershipWalks
]
