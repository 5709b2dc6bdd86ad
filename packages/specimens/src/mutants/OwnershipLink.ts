import type { Mutant } from "../Mutant.ts"
import * as Rewrite from "../Rewrite.ts"

const link = { method: "POST", path: /^\/credentials\/cred_[^/]+\/link$/ }

/** Defects of linking one credential. */
export const ownershipLinkMutants: ReadonlyArray<Mutant> = [
  {
    name: "link-conflict-has-the-code-of-transfer",
    rewrite: Rewrite.answers(
      { ...link, status: 409 },
      Rewrite.mapJson((body) => Rewrite.put(body, "error.code", "OWNER_MISMATCH"))
    ),
    kills: [{ rule: "OWN-04", kind: "wrong-value", at: "body.error.code" }]
  }
]
