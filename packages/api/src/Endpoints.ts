import type { LegacyCall } from "@wcs/domain/legacy/LegacyAccess"
import type { StepUp } from "@wcs/domain/login/StepUp"
import { Context } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { type Guard, GuardOf } from "./Guard.ts"
import { LegacyCallOf } from "./LegacyMiddleware.ts"
import { StepUpOf } from "./StepUpOf.ts"

/** One endpoint of a contract, and what stands before it. */
export interface Endpoint {
  /** `group.endpoint`. */
  readonly name: string
  readonly method: string
  /** From the root, its parameters as `:id`. */
  readonly path: string
  readonly guard: Guard | undefined
  /** The login that it asks of its caller, beside privileges. */
  readonly stepUp: StepUp | undefined
  /** What stands before it on the legacy surface. */
  readonly legacyCall: LegacyCall | undefined
  /** The ids of its middleware, the one that runs first at the beginning. */
  readonly middleware: ReadonlyArray<string>
}

/** Every endpoint of a contract, in its order. */
export const endpointsOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<Endpoint> => {
  const endpoints: Array<Endpoint> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ endpoint, group, middleware }) => {
      endpoints.push({
        name: `${group.identifier}.${endpoint.identifier}`,
        method: endpoint.method,
        path: endpoint.path,
        guard: Context.get(endpoint.annotations, GuardOf),
        stepUp: Context.get(endpoint.annotations, StepUpOf),
        legacyCall: Context.get(endpoint.annotations, LegacyCallOf),
        middleware: [...middleware].map(({ key }) => key).reverse()
      })
    }
  })
  return endpoints
}
