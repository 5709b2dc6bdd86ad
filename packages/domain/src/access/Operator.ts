import { Effect } from "effect"
import { type Actor, operatorUrn } from "../audit/AuditEntry.ts"
import { Ids } from "../shared/Id.ts"

/** The actor for the environment, the command line and the set-up page: the operator with a new request id. */
export const operator: Effect.Effect<Actor, never, Ids> = Effect.map(
  Ids.use((ids) => ids.ulid),
  (requestId) => ({ account: operatorUrn, bearer: null, requestId })
)
