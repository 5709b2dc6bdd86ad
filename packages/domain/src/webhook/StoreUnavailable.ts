import { Data } from "effect"

/**
 * The store is unavailable, too busy or full; the request itself is not at fault. The write may or may not have
 * happened. The same request may succeed later.
 */
export class StoreUnavailable extends Data.TaggedError("StoreUnavailable")<{ readonly cause: unknown }> {
  override get message(): string {
    return "the store is unavailable at the moment"
  }
}
