import { Context, Effect } from "effect"

/**
 * Records the id of a new worker, and returns the ids of workers that have certainly ended. The new worker takes their
 * leases over at once, so that work does not wait for the expiry of a crashed worker's leases. Default: none are known.
 */
export const Predecessors = Context.Reference<(worker: string) => Effect.Effect<ReadonlyArray<string>>>(
  "@wcs/delivery/lease/Predecessors",
  { defaultValue: () => () => Effect.succeed([]) }
)
