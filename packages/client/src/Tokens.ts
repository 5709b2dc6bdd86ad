import { Cache, Clock, Duration, Effect, Exit, type Redacted, Ref } from "effect"
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

/** A personal token: it lives until it is revoked, and then only people can make another (§5.2, item 8). */
export const fixed = (token: Redacted.Redacted): Tokens => ({
  get: Effect.succeed(token),
  discard: () => Effect.succeed(false)
})

/** A token that was issued, by our own clock. */
interface Living {
  readonly token: Redacted.Redacted
  readonly endsAtMillis: number
}

/** The token to use, and for how long until another is asked for. */
interface Held {
  readonly token: Redacted.Redacted
  readonly useForMillis: number
}

/** How long the token before is used on, where another could not be had, until it is asked for again. */
const patienceMillis = 30_000

const key = "token"

/**
 * Tokens that are asked for anew where none is at hand, and ahead of the end of the one that is; where it cannot be had,
 * the one before is used to its end. However many calls wait for a token, it is asked for once, and goes on being asked
 * for as long as one of them waits.
 */
export const renewing = Effect.fnUntraced(function* (
  ask: Effect.Effect<Issued, CallError>,
  renewAhead: Duration.Duration
) {
  const living = yield* Ref.make<Living | null>(null)
  const renew = Effect.gen(function* () {
    // Its life is counted from before it was issued: the deployment's clock may differ from ours.
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
    return { token: before.token, useForMillis: Math.min(remaining, patienceMillis) }
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
