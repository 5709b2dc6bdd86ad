import { fromSchemaError } from "@wcs/domain/shared/InvalidArgument"
import { Data, Effect, Schema } from "effect"
import { type HttpApi, HttpApiClient, type HttpApiEndpoint, type HttpApiGroup } from "effect/http-api"
import { type CallError, InvalidCall, Refused, Unanswered, Unreadable } from "./CallError.ts"
import { layerNaming, type Sender } from "./Sending.ts"

/** One call of a contract: what it takes and answers by the contract's schemas, and what it fails with by ours. */
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

/** Every call of a contract, by group and endpoint. */
export type Calls<Api> = {
  readonly [Group in GroupsOf<Api> as HttpApiGroup.Identifier<Group>]: CallsOfGroup<Group>
}

/** An answer that the contract's schemas do not read. */
class NotOfContract extends Data.TaggedError("NotOfContract") {}

const errorOf = (operation: string, error: unknown): CallError => {
  if (error instanceof Refused || error instanceof Unanswered || error instanceof InvalidCall) return error
  if (error instanceof NotOfContract) return new Unreadable({ operation })
  if (!Schema.isSchemaError(error)) return new InvalidCall({ operation, problem: "it is not of the contract" })
  const { field, reason } = fromSchemaError(error)
  return new InvalidCall({ operation, problem: `${field} ${reason}` })
}

interface AnyRequest {
  readonly params?: Readonly<Record<string, string>>
}

type AnyCall = (request?: AnyRequest) => Effect.Effect<unknown, unknown>

/** An empty part of a path would call another path, and dots another level. */
const isPathPart = (part: string): boolean => !["", ".", ".."].includes(part)

const called =
  (operation: string, call: AnyCall): AnyCall =>
  (request) =>
    Object.values(request?.params ?? {}).every(isPathPart)
      ? Effect.mapError(call(request), (error) => errorOf(operation, error))
      : Effect.fail(new InvalidCall({ operation, problem: "an id is empty or dots" }))

/**
 * The client that the contract generates, over a sender. The sender reads refusals itself, so that one that the
 * contract does not name, a proxy's for one, is told as they all are.
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
  // Every endpoint is called through the same function, which no type of each of them can say.
  return Object.fromEntries(calls) as Calls<HttpApi.HttpApi<Id, Groups>>
})
