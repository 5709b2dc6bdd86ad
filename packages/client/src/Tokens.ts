import { Cache, Clock, Duration, Effect, Exit, type Redacted, Ref } from "effect"
import type { CallError } from "./CallError.ts"

/** The source of bearer tokens. */
export interface Tokens {
  /** Returns the current token. */
  readonly get: Effect.Effect<Redacted.Redacted, CallError>
  /** Invalidates a token after a 401. Returns whether another can be requested. */
  readonly discard: (token: Redacted.Redacted) => Effect.Effect<boolean>
}

/** An issued token with its lifetime. */
export interface Issued {
  readonly token: Redacted.Redacted
  readonly lifetimeSeconds: number
}

/** A personal token. It cannot be renewed; only people create them (§5.2, item 8). */
export const fixed = (token: Redacted.Redacted): Tokens => ({
  get: Effect.succeed(token),
  discard: () => Effect.succeed(false)
})

/** An issued token, with times of our own clock. */
interface Living {
  readonly token: Redacted.Redacted
  readonly endsAtMillis: number
}

/** The token, and the time until the next request for one. */
interface Held {
  readonly token: Redacted.Redacted
  readonly useForMillis: number
}

/** After a failed renewal, the old token is used for this time before the next attempt. */
const timeoutMillis = 30_000

const key = "token"

/**
 * Tokens that are requested on demand and renewed before they expire. If a renewal fails, the old token is used until
 * it expires. Waiting calls share one request, which continues as long as one of them waits.
 */
export const renewing = Effect.fnUntraced(function* (
  ask: Effect.Effect<Issued, CallError>,
  renewAhead: Duration.Duration
) {
  const living = yield* Ref.make<Living | null>(null)
  const renew = Effect.gen(function* () {
    // The lifetime starts before the request, because the clock of the deployment may differ from ours.
    const askedAt = yield* Clock.currentTimeMillis
    const { lifetimeSeconds, token } = yield* ask
    const lifetime = lifetimeSeconds * 1000
    const endsAtMillis = askedAt + lifetime
    yield* Ref.set(living, { token, endsAtMillis })
    const renewAt = endsAtMillis - Math.min(Duration.toMillis(renewAhead), lifetime / 2)
    return { token, useForMillis: renewAt - (yield* Clock.currentTimeMillis) }
  })
  const useBefore = Effect.fnUntraced(function* (error: CallError) {
    const before = yield* Ref.get(living)
    const remaining = (before?.endsAtMillis ?? 0) - (yield* Clock.currentTimeMillis)
    if (before === null || remaining <= 0) return yield* Effect.fail(error)
    return { token: before.token, useForMillis: Math.min(remaining, timeoutMillis) }
  })
  const cache = yield* Cache.makeWith<string, Held, CallError>(() => Effect.catch(renew, useBefore), {
    capacity: 1,
    timeToLive: (exit) => (Exit.isSuccess(exit) ? Duration.millis(Math.max(exit.value.useForMillis, 0)) : Duration.zero)
  })
  return {
    get: Effect.map(Cache.get(cache, key), ({ token }) => token),
    discard: Effect.fnUntraced(function* (token) {
      yield* Ref.update(living, (one) => (one?.token === token ? null : one))
      yield* Cache.invalidateWhen(cache, key, (held) => held.token === token)
      return true
    })
  } satisfies Tokens
})
