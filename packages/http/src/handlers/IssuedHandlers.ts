import { NewerSurface, newerRoot } from "@wcs/api/NewerSurface"
import type { Issued, NewlyIssued } from "@wcs/domain/access/Issued"
import { OAuthClients, OAuthClientWrite } from "@wcs/domain/access/OAuthClients"
import { PersonalTokens, PersonalTokenWrite } from "@wcs/domain/access/PersonalTokens"
import type { JsonObject, JsonValue } from "@wcs/domain/shared/Json"
import { Effect, Layer, Redacted, type Schema } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import type { Refusal } from "../refusal/RefusalText.ts"
import { refusing } from "../refusal/Refused.ts"
import * as JsonBody from "../request/JsonBody.ts"
import { listHandler, one, readHandler, removeHandler } from "./CollectionHandlers.ts"

const issuedHandlers = <
  Shown extends JsonObject & { readonly id: string },
  Write extends JsonValue,
  E extends Refusal,
  R
>(
  group: Issued<Shown> & { readonly create: (write: Write) => Effect.Effect<NewlyIssued<Shown>, E, R> },
  name: string,
  write: Schema.Codec<Write, unknown>,
  /** The response field of the secret. Only create returns it. */
  secretField: string
) => ({
  list: listHandler(group.list),

  create: () =>
    Effect.gen(function* () {
      const { value, warnings } = yield* JsonBody.readAs(write)
      const { document, secret } = yield* group.create(value)
      const shown = { ...document, [secretField]: Redacted.value(secret) }
      return yield* one({ document: shown, warnings }, 201, { location: `${newerRoot}/${name}/${document.id}` })
    }).pipe(refusing),

  read: readHandler(group.read),
  remove: removeHandler(group.remove)
})

const accessTokens = HttpApiBuilder.group(
  NewerSurface,
  "accessTokens",
  Effect.fn(function* (handlers) {
    const tokens = yield* PersonalTokens
    const { create, list, read, remove } = issuedHandlers(tokens, "access-tokens", PersonalTokenWrite, "token")
    return handlers.handle("list", list).handleRaw("create", create).handle("read", read).handle("remove", remove)
  })
)

const apiClients = HttpApiBuilder.group(
  NewerSurface,
  "apiClients",
  Effect.fn(function* (handlers) {
    const clients = yield* OAuthClients
    const { create, list, read, remove } = issuedHandlers(clients, "api-clients", OAuthClientWrite, "clientSecret")
    return handlers.handle("list", list).handleRaw("create", create).handle("read", read).handle("remove", remove)
  })
)

/** The groups of access tokens and API clients. */
export const layer = Layer.mergeAll(accessTokens, apiClients)
