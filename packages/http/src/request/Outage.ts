import { Context } from "effect"

/**
 * Whether an error means that the database is unavailable. The failed operation had no effect; earlier operations of
 * the call are kept. The program that wires the adapters provides this. By default, no error counts as an outage.
 */
export const IsOutage = Context.Reference<(failure: unknown) => boolean>("@wcs/http/Outage", {
  defaultValue: () => () => false
})
