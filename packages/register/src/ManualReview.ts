import { Register } from "@wcs/domain/verification/Register"
import { Effect } from "effect"

/** The register of credential types without one: a person decides (DECISIONS.md#verification). */
export const make = Register.of({ ask: () => Effect.succeed({ _tag: "Queued" }) })
