import { type Effect, Exit } from "effect"

/** Returns the exit of an effect that needs no fiber; undefined if it must run. */
export const endedOf = <A, E>(effect: Effect.Effect<A, E>): Exit.Exit<A, E> | undefined =>
  Exit.isExit(effect) ? (effect as Exit.Exit<A, E>) : undefined // `isExit` does not keep the types
