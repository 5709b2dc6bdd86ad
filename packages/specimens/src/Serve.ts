import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import type { NoAnswer } from "@wcs/conformance/wire/Wire"
import type { Effect } from "effect"

/** A deployment as its callers meet it. */
export type Serve = (request: Request) => Effect.Effect<Answer, NoAnswer>
