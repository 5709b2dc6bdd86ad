import { Effect } from "effect"
import { type Actor, operatorUrn } from "../audit/AuditEntry.ts"
import { Ids } from "../shared/Id.ts"

/** Whoever has the machine, with an id of the request: the environment, the command line, the set-up address. */
export const operator: Effect.Effect<Actor, never, Ids> = Effect.map(
  Ids.use((ids) => ids.ulid),
  (requestId) => ({ account: operatorUrn, bearer: null, requestId })
)
