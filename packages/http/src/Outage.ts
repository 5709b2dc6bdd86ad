import { Context } from "effect"

/**
 * Whether a failure is that nothing could be asked of what the service stands on: the call did nothing, and may be said
 * again. Who wires the adapters knows; without them no failure is one.
 */
export const IsOutage = Context.Reference<(failure: unknown) => boolean>("@wcs/http/Outage", {
  defaultValue: () => () => false
})
