import type { NewerSurface, newerRoot } from "@wcs/api/NewerSurface"
import type { HttpApi, HttpApiEndpoint, HttpApiGroup, HttpApiSchema } from "effect/http-api"

// Types alone: the bundle contains neither the contract nor Effect.

type Groups = typeof NewerSurface extends HttpApi.HttpApi<string, infer All> ? All : never

type Endpoint = HttpApiGroup.Endpoints<Groups>

type NameOf<One> = One extends { readonly method: infer Method extends string; readonly path: infer Path }
  ? Path extends `${typeof newerRoot}${infer Rest}`
    ? `${Method} ${Rest}`
    : never
  : never

type ByName = { readonly [One in Endpoint as NameOf<One>]: One }

/** A call of the public API, such as `GET /workers/:id`. */
export type CallName = keyof ByName

/** Values of the contract are JSON, alike in both directions. */
type ValueOf<Codec> = [Codec] extends [never] ? never : Codec extends { readonly Type: infer Value } ? Value : never

type Part<Key extends string, Value> = [Value] extends [never] ? unknown : { readonly [K in Key]: Value }

/** Query parameters as text. Those that are undefined or empty are left out. Several texts repeat the parameter. */
export type QueryOf<Name extends CallName> = {
  readonly [Key in keyof ValueOf<HttpApiEndpoint.Query<ByName[Name]>>]?: QueryValue
}

export type QueryValue = string | ReadonlyArray<string> | undefined

/** The parameters and the body of a call. `ifMatch` is the tag of the record that the person saw. */
export type Input<Name extends CallName> = Part<"params", ValueOf<HttpApiEndpoint.Params<ByName[Name]>>> &
  Part<"body", ValueOf<HttpApiEndpoint.Payload<ByName[Name]>>> & {
    readonly query?: QueryOf<Name>
    readonly ifMatch?: string | undefined
  }

type BodyOf<Success> = Success extends HttpApiSchema.WithHeaders<infer Inner, infer _Headers> ? Inner : Success

/** The body of the answer to a call. */
export type Output<Name extends CallName> = ValueOf<BodyOf<HttpApiEndpoint.Success<ByName[Name]>>>

/** The `data` of the answer to a call. */
export type Data<Name extends CallName> = Output<Name> extends { readonly data: infer Inner } ? Inner : never

/** A code of a refusal (§7.1). */
export type ErrorCode = NonNullable<Data<"POST /credentials/transfer">[number]["error"]>["code"]

/** A call that answers a list. */
export type ListName = {
  [Name in CallName]: Output<Name> extends { readonly data: ReadonlyArray<unknown> } ? Name : never
}[CallName]

/** An item of the answer to a list. */
export type Item<Name extends ListName> = Data<Name> extends ReadonlyArray<infer One> ? One : never
