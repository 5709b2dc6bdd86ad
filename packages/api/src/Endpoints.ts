import type { LegacyCall } from "@wcs/domain/legacy/LegacyAccess"
import type { Resource } from "@wcs/domain/resource/Resource"
import type { StepUp } from "@wcs/domain/session/StepUp"
import { Context, type Schema } from "effect"
import { HttpApi, type HttpApiGroup } from "effect/http-api"
import { type Guard, GuardOf } from "./Guard.ts"
import { LegacyCallOf } from "./LegacyMiddleware.ts"
import { type ListTable, PrintedOf, TableOf } from "./ListTable.ts"
import { ResourceOf } from "./ResourceOf.ts"
import { StepUpOf } from "./StepUpOf.ts"
import { TagsOf, type TagUse } from "./TagsOf.ts"

/** One endpoint of a contract, with its guard and middleware. */
export interface Endpoint {
  /** `group.endpoint`. */
  readonly name: string
  readonly method: string
  /** The full path, with parameters as `:id`. */
  readonly path: string
  /** The schema of the query parameters. */
  readonly query: Schema.Top | undefined
  readonly guard: Guard | undefined
  /** The login that the endpoint requires in addition to privileges. */
  readonly stepUp: StepUp | undefined
  /** The use of the resource's entity tag. */
  readonly tags: TagUse
  /** The definition of the resources that the endpoint lists. */
  readonly resource: Resource | undefined
  /** The table of the files that the endpoint also answers. */
  readonly table: ListTable<never> | undefined
  /** Whether the endpoint also answers a page to print. */
  readonly isPrinted: boolean
  /** The access rule on the legacy surface. */
  readonly legacyCall: LegacyCall | undefined
  /** The ids of the middleware, in the order of execution. */
  readonly middleware: ReadonlyArray<string>
}

/** Returns every endpoint of a contract, in declaration order. */
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
        query: endpoint.query,
        guard: Context.get(endpoint.annotations, GuardOf),
        stepUp: Context.get(endpoint.annotations, StepUpOf),
        tags: Context.get(endpoint.annotations, TagsOf),
        resource: Context.get(endpoint.annotations, ResourceOf),
        table: Context.get(endpoint.annotations, TableOf),
        isPrinted: Context.get(endpoint.annotations, PrintedOf),
        legacyCall: Context.get(endpoint.annotations, LegacyCallOf),
        middleware: [...middleware].map(({ key }) => key).reverse()
      })
    }
  })
  return endpoints
}

/** Returns the definition of every resource that a contract lists, in declaration order. */
export const resourcesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<Resource> => endpointsOf(api).flatMap(({ resource }) => resource ?? [])
