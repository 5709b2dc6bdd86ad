import { Cache, Clock, Duration, Effect, Exit, type Redacted } from "effect"
import type { CallError } from "./CallError.ts"

/** Where the calls of a client have their bearer token from. */
export interface Tokens {
  /** The one to use now. */
  readonly get: Effect.Effect<Redacted.Redacted, CallError>
  /** Told that a token was answered 401: it is not used again. Answers whether there can be another. */
  readonly discard: (token: Redacted.Redacted) => Effect.Effect<boolean>
}

/** A token that the deployment has issued, and for how long. */
export interface Issued {
  readonly token: Redacted.Redacted
  readonly lifetimeSeconds: number
}

/** A personal token: it lives until it is revoked, and then only people can make another (section 5.2, item 8). */
export const fixed = (token: Redacted.Redacted): Tokens => ({
  get: Effect.succeed(token),
  discard: () => Effect.succeed(false)
})

/** A token, and for how much longer it is the one to use. */
interface Held {
  readonly token: Redacted.Redacted
  readonly useForMillis: number
}

const nothing = "token"

/**
 * Tokens that are asked for anew where none is at hand, and ahead of the end of the one that is. However many calls
 * wait for a token, it is asked for once, and goes on being asked for as long as one of them waits.
 */
export const renewing = Effect.fnUntraced(function* (
  ask: Effect.Effect<Issued, CallError>,
  renewAhead: Duration.Duration
) {
  const hold = Effect.gen(function* () {
    // Its life is counted from before it was issued, by our own clock: the deployment's may differ.
    const askedAt = yield* Clock.currentTimeMillis
    const { lifetimeSeconds, token } = yield* ask
    const spent = (yield* Clock.currentTimeMillis) - askedAt
    const lifetime = lifetimeSeconds * 1000
    return { token, useForMillis: lifetime - Math.min(Duration.toMillis(renewAhead), lifetime / 2) - spent }
  })
  const cache = yield* Cache.makeWith<string, Held, CallError>(() => hold, {
    capacity: 1,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.millis(Math.max(exit.value.useForMillis, 0)) : Duration.zero)
  })
  return {
    get: Effect.map(Cache.get(cache, nothing), ({ token }) => token),
    discard: (token) =>
      Effect.as(
        Cache.invalidateWhen(cache, nothing, (held) => held.token === token),
        true
      )
  } satisfies Tokens
})
