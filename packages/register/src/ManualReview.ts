import { Register } from "@wcs/domain/verification/Register"
import { Effect } from "effect"

/** The register of what no register knows: a person will decide (decisions, section 4). */
export const make = Register.of({ ask: () => Effect.succeed({ _tag: "Queued" }) })
