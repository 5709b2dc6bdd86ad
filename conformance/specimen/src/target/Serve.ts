import type { Answer, Request } from "@wcs/conformance/wire/Exchange"
import type { NoAnswer } from "@wcs/conformance/wire/Wire"
import type { Effect } from "effect"

/** A deployment as a function from requests to answers. */
export type Serve = (request: Request) => Effect.Effect<Answer, NoAnswer>
