import { Register } from "@wcs/domain/verification/Register"
import { Effect } from "effect"

/** The register of what no register knows: a person will decide (DECISIONS.md#verification). */
export const make = Register.of({ ask: () => Effect.succeed({ _tag: "Queued" }) })
