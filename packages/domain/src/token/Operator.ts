import { Effect } from "effect"
import { type Actor, operatorUrn } from "../audit/AuditEntry.ts"
import { Ids } from "../shared/Id.ts"

/** Returns the operator as the actor of changes by settings, commands and the set-up page, with a new request id. */
export const operator: Effect.Effect<Actor, never, Ids> = Effect.map(
  Ids.use((ids) => ids.ulid),
  (requestId) => ({ account: operatorUrn, bearer: null, requestId })
)
