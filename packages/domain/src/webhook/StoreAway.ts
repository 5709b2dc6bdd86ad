import { Data } from "effect"

/**
 * What a store dies with when it is the store that could not serve, and not what it was told: nothing was written, or
 * nobody knows, and the same may succeed later. It was away, too busy, or had no room.
 */
export class StoreAway extends Data.TaggedError("StoreAway")<{ readonly cause: unknown }> {
  override get message(): string {
    return "the store cannot serve at the moment"
  }
}
