import { NewerSurface, newerRoot } from "@wcs/api/NewerSurface"
import type { Refusal } from "@wcs/domain/service/Refusals"
import type { JsonObject, JsonValue } from "@wcs/domain/shared/Json"
import type { Issued, NewlyIssued } from "@wcs/domain/token/Issued"
import { OAuthClients, OAuthClientWrite } from "@wcs/domain/token/OAuthClients"
import { PersonalTokens, PersonalTokenWrite } from "@wcs/domain/token/PersonalTokens"
import { Effect, Redacted, type Schema } from "effect"
import type { Call } from "../pipeline/Call.ts"
import { handlersOf } from "../pipeline/Endpoints.ts"
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
) => {
  const readWrite = JsonBody.readAs(write)
  return {
    list: listHandler(group.list),
    create: (call: Call) =>
      Effect.gen(function* () {
        const { value, warnings } = yield* readWrite(call)
        const { document, secret } = yield* group.create(value)
        const shown = { ...document, [secretField]: Redacted.value(secret) }
        return one(call, { document: shown, warnings }, 201, { location: `${newerRoot}/${name}/${document.id}` })
      }),
    read: readHandler(group.read),
    remove: removeHandler(group.remove)
  }
}

export const accessTokens = Effect.map(PersonalTokens, (tokens) =>
  handlersOf(NewerSurface, "accessTokens", issuedHandlers(tokens, "access-tokens", PersonalTokenWrite, "token"))
)

export const apiClients = Effect.map(OAuthClients, (clients) =>
  handlersOf(NewerSurface, "apiClients", issuedHandlers(clients, "api-clients", OAuthClientWrite, "clientSecret"))
)
