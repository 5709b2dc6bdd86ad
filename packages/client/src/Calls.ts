import { fromSchemaError } from "@wcs/domain/shared/InvalidArgument"
import { Data, Effect, Schema } from "effect"
import { type HttpApi, HttpApiClient, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { type CallError, InvalidCall, Refused, Unanswered, Unreadable } from "./CallError.ts"
import { layerNaming, type Sender } from "./Sending.ts"

/** A call of a contract, with the request and response types of the contract and the errors of this client. */
type Call<Endpoint extends HttpApiEndpoint.ConstraintRequest> = (
  request: HttpApiEndpoint.ClientRequest<
    Endpoint["~Params"],
    Endpoint["~Query"],
    Endpoint["~Payload"],
    Endpoint["~Headers"],
    "decoded-only"
  >
) => Effect.Effect<HttpApiClient.SuccessType<Endpoint["~Success"]>, CallError>

type GroupsOf<Api> = Api extends HttpApi.HttpApi<infer _Id, infer Groups> ? Groups : never

type CallsOfGroup<Group> = Group extends {
  readonly endpoints: infer Endpoints extends Readonly<Record<string, HttpApiEndpoint.ConstraintRequest>>
}
  ? { readonly [Name in keyof Endpoints]: Call<Endpoints[Name]> }
  : never

/** All calls of a contract, by group and endpoint. */
export type Calls<Api> = {
  readonly [Group in GroupsOf<Api> as HttpApiGroup.Identifier<Group>]: CallsOfGroup<Group>
}

/** Converts an error of the generated client. */
class NotOfContract extends Data.TaggedError("NotOfContract") {}

const errorOf = (operation: string, error: unknown): CallError => {
  if (error instanceof Refused || error instanceof Unanswered || error instanceof InvalidCall) return error
  if (error instanceof NotOfContract) return new Unreadable({ operation })
  if (!Schema.isSchemaError(error))
    return new InvalidCall({ operation, problem: "the request does not match the contract" })
  const { field, reason } = fromSchemaError(error)
  return new InvalidCall({ operation, problem: `${field} ${reason}` })
}

interface AnyRequest {
  readonly params?: Readonly<Record<string, string>>
}

type AnyCall = (request?: AnyRequest) => Effect.Effect<unknown, unknown>

/** Refuses empty path parameters and dots, which would address another path. */
const isPathPart = (part: string): boolean => !["", ".", ".."].includes(part)

const called =
  (operation: string, call: AnyCall): AnyCall =>
  (request) =>
    Object.values(request?.params ?? {}).every(isPathPart)
      ? Effect.mapError(call(request), (error) => errorOf(operation, error))
      : Effect.fail(new InvalidCall({ operation, problem: "an id is empty or consists of dots" }))

/**
 * The generated client of the contract, over a sender. The sender reads refusals itself, so errors outside the
 * contract, such as those of a proxy, have the same form.
 */
export const callsOf = Effect.fnUntraced(function* <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>,
  baseUrl: string,
  httpClient: Sender
) {
  const transformResponse = Effect.mapError(() => new NotOfContract())
  const made = HttpApiClient.makeWith(api, { baseUrl, httpClient, transformResponse })
  const generated: unknown = yield* Effect.provide(made as Effect.Effect<unknown>, layerNaming)
  const calls = Object.entries(generated as Record<string, Record<string, AnyCall>>).map(([group, endpoints]) => [
    group,
    Object.fromEntries(Object.entries(endpoints).map(([name, call]) => [name, called(`${group}.${name}`, call)]))
  ])
  // All endpoints share one function, which cannot have all their types.
  return Object.fromEntries(calls) as Calls<HttpApi.HttpApi<Id, Groups>>
})
