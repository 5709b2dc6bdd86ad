import { NewerSurface } from "@wcs/api/NewerSurface"
import { Context, Effect, Layer, Redacted } from "effect"
import { HttpClient } from "effect/http"
import { InvalidCall } from "./CallError.ts"
import { type Calls, callsOf } from "./Calls.ts"
import { changeOwners } from "./Ownership.ts"
import { bearerSender, sender } from "./Sending.ts"
import { complete, type InvalidBaseUrl, type Settings } from "./Settings.ts"
import { fixed, renewing } from "./Tokens.ts"

/** An OAuth client (§5.2, item 4). */
export interface OAuthClient {
  readonly clientId: string
  readonly clientSecret: Redacted.Redacted
}

/** A personal access token (§5.2, item 2a). */
export interface PersonalToken {
  readonly personalToken: Redacted.Redacted
}

export interface NewerSettings extends Settings {
  /** The credentials of the caller. */
  readonly access: OAuthClient | PersonalToken
}

type Surface = Calls<typeof NewerSurface>
type Workers = Surface["workers"]
type Credentials = Surface["credentials"]

type CreateWorker = Parameters<Workers["create"]>[0]
type WorkerWrite = CreateWorker["payload"]

/** The body of a new worker. The external id is required, so the worker can be found after a lost response (WRK-15). */
export type NewWorker = Omit<WorkerWrite, "source"> & {
  readonly source: Omit<NonNullable<WorkerWrite["source"]>, "externalId"> & { readonly externalId: string }
}

const create =
  (workers: Workers) =>
  ({ payload }: { readonly payload: NewWorker }) =>
    typeof payload.source?.externalId === "string"
      ? workers.create({ payload })
      : Effect.fail(
          new InvalidCall({
            operation: "workers.create",
            problem: "source.externalId is missing; it finds the worker after a lost response"
          })
        )

const ownership = ({ link, read, transfer, unlink }: Credentials) => {
  const reading = (id: string) => read({ params: { id }, query: {} })
  return {
    /** Links an owner to an empty slot. */
    link: (request: Parameters<typeof link>[0]) => changeOwners(link(request), reading(request.params.id)),
    /** Unlinks an owner. Fails with 422 for the last one. */
    unlink: (request: Parameters<typeof unlink>[0]) => changeOwners(unlink(request), reading(request.params.id)),
    /** Replaces an owner by another. */
    transfer: (request: Parameters<typeof transfer>[0]) => changeOwners(transfer(request), reading(request.params.id))
  }
}

/** Tokens for an OAuth client. There are no refresh tokens (OAU-21). */
const tokensOf = (
  { clientId, clientSecret }: OAuthClient,
  { oauth }: Pick<Surface, "oauth">,
  renewAhead: Parameters<typeof renewing>[1]
) =>
  renewing(
    Effect.suspend(() =>
      oauth.token({
        payload: {
          grant_type: "client_credentials",
          client_id: clientId,
          client_secret: Redacted.value(clientSecret)
        }
      })
    ).pipe(
      Effect.map(({ access_token, expires_in }) => ({
        token: Redacted.make(access_token),
        lifetimeSeconds: expires_in
      }))
    ),
    renewAhead
  )

/**
 * Creates a client of the newer surface with its own token cache. It has every call of the contract by group and name,
 * except the token call.
 */
export const make = Effect.fnUntraced(function* (settings: NewerSettings) {
  const { access } = settings
  const { baseUrl, renewAhead, retry } = yield* complete(settings)
  const wire = { http: yield* HttpClient.HttpClient, retry }
  const tokens =
    "personalToken" in access
      ? fixed(access.personalToken)
      : yield* tokensOf(access, yield* callsOf(NewerSurface, baseUrl, sender(wire)), renewAhead)
  const {
    credentials,
    oauth: _oauth,
    workers,
    ...rest
  } = yield* callsOf(NewerSurface, baseUrl, bearerSender(wire, tokens))
  return {
    ...rest,
    workers: { ...workers, create: create(workers) },
    credentials: { ...credentials, ...ownership(credentials) }
  }
})

/** A client of the newer surface of a deployment (§4.2). */
export class NewerClient extends Context.Service<NewerClient, Effect.Success<ReturnType<typeof make>>>()(
  "@wcs/client/NewerClient"
) {}

/** @public */
export const layer = (settings: NewerSettings): Layer.Layer<NewerClient, InvalidBaseUrl, HttpClient.HttpClient> =>
  Layer.effect(NewerClient, make(settings))
