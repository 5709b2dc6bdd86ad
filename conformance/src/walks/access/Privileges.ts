import type { Walk } from "../../judgement/Walk.ts"
import { auditWalks } from "../resource/Audit.ts"
import { groupWalks } from "../resource/Groups.ts"
import { privileges } from "../rows/Privileges.ts"
import { walksOf } from "../rows/Sweeping.ts"
import { actionGuardWalks } from "./ActionGuards.ts"
import { derivedReadWalks } from "./DerivedReads.ts"
import { reissuedTokenWalks } from "./ReissuedToken.ts"

/** PRV: privileges of tokens. */
export const privilegeWalks: ReadonlyArray<Walk> = [
  ...groupWalks,
  ...auditWalks,
  ...walksOf(privileges),
  ...reissuedTokenWalks,
  ...derivedReadWalks,
  ...actionGuardWalks
]
