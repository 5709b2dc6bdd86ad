import { Context } from "effect"

/**
 * Whether a failure is that nothing could be asked of what the service stands on: what failed so did nothing, and what the
 * call had done before stands. Who wires the adapters knows; without them no failure is one.
 */
export const IsOutage = Context.Reference<(failure: unknown) => boolean>("@wcs/http/Outage", {
  defaultValue: () => () => false
})
