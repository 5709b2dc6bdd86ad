import { LegacySurface } from "@wcs/api/legacy/LegacySurface"
import { Context, Effect, Layer, Option, Redacted, Ref } from "effect"
import { HttpClient, HttpClientRequest } from "effect/http"
import { type Calls, callsOf } from "./Calls.ts"
import { bearerSender, sender } from "./Sending.ts"
import { complete, type InvalidBaseUrl, type Settings } from "./Settings.ts"
import { renewing } from "./Tokens.ts"

export interface LegacySettings extends Settings {
  /** The user who calls. */
  readonly email: string
  readonly password: Redacted.Redacted
}

type Surface = Calls<typeof LegacySurface>["legacy"]

/** Tokens for a user. The id of the user is requested once (§5.1, items 1 and 2). */
const tokensOf = Effect.fnUntraced(function* (byBasic: Surface, renewAhead: Parameters<typeof renewing>[1]) {
  const known = yield* Ref.make(Option.none<number>())
  const userId = Effect.flatMap(
    Ref.get(known),
    Option.match({
      onNone: () =>
        Effect.tap(
          Effect.map(byBasic.me(), ({ id }) => id),
          (id) => Ref.set(known, Option.some(id))
        ),
      onSome: Effect.succeed
    })
  )
  const ask = Effect.flatMap(userId, (id) => byBasic.token({ params: { id: String(id) } }))
  return yield* renewing(
    Effect.map(ask, ({ exp, iat, token }) => ({ token: Redacted.make(token), lifetimeSeconds: exp - iat })),
    renewAhead
  )
})

/**
 * Creates a client of the legacy surface with its own token cache. The password is sent only to `users/me` and the
 * token exchange (LEG-25).
 */
export const make = Effect.fnUntraced(function* (settings: LegacySettings) {
  const { email, password } = settings
  const { baseUrl, renewAhead, retry } = yield* complete(settings)
  const wire = { http: yield* HttpClient.HttpClient, retry }
  const basicSender = sender(wire, HttpClientRequest.basicAuth(email, password))
  const { legacy: byBasic } = yield* callsOf(LegacySurface, baseUrl, basicSender)
  const tokens = yield* tokensOf(byBasic, renewAhead)
  const { token: _token, ...calls } = (yield* callsOf(LegacySurface, baseUrl, bearerSender(wire, tokens))).legacy
  return calls
})

/** A client of the legacy surface of a deployment (§4.1). */
export class LegacyClient extends Context.Service<LegacyClient, Effect.Success<ReturnType<typeof make>>>()(
  "@wcs/client/LegacyClient"
) {}

/** @public */
export const layer = (settings: LegacySettings): Layer.Layer<LegacyClient, InvalidBaseUrl, HttpClient.HttpClient> =>
  Layer.effect(LegacyClient, make(settings))
