import type { Walk } from "../../judgement/Walk.ts"
import { privilegedOwnershipWalks } from "../ownership/PrivilegedOwnership.ts"
import { auditWalks } from "../resource/Audit.ts"
import { groupWalks } from "../resource/Groups.ts"
import { derivedReadWalks } from "./DerivedReads.ts"
import { matrixWalks } from "./PrivilegeMatrix.ts"
import { refusalWalks } from "./PrivilegeRefusals.ts"
import { groupPrivilegeWalks } from "./PrivilegesOfGroups.ts"

/** PRV: privileges of tokens. */
export const privilegeWalks: ReadonlyArray<Walk> = [
  ...groupWalks,
  ...auditWalks,
  ...refusalWalks,
  ...matrixWalks,
  ...groupPrivilegeWalks,
  ...derivedReadWalks,
  ...privilegedOwnershipWalks
]
