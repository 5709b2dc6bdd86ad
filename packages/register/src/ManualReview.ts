import { Register } from "@wcs/domain/verification/Register"
import { Effect } from "effect"

/** The register for credential types without an external register: a person decides (DECISIONS.md#verification). */
export const make = Register.of({ ask: () => Effect.succeed({ _tag: "Queued" }) })
