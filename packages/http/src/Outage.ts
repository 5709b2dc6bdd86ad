import { Context } from "effect"

/**
 * Whether a failure is that what the service stands on was away, so that the same may succeed later; whether it was done
 * nobody knows. Who wires the adapters knows which failures these are; without them no failure is one.
 */
export const IsOutage = Context.Reference<(failure: unknown) => boolean>("@wcs/http/Outage", {
  defaultValue: () => () => false
})
