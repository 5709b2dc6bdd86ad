import type { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Definition } from "./CrudGroup.ts"
import { ResourceId } from "./Envelope.ts"
import { GuardOf, guard } from "./Guard.ts"
import { comparesTag, TagsOf } from "./TagsOf.ts"
import { everyCall, everyComparison } from "./WireError.ts"

/** Returns the endpoint that undoes a delete (DECISIONS.md#resources). */
export const restoreEndpoint = <
  const Path extends string,
  Success extends Schema.Top,
  RestoreError extends Schema.Top = never
>(
  { collection, type }: Definition<Path>,
  success: Success,
  errors: ReadonlyArray<RestoreError> = []
) => {
  type Errors = ReadonlyArray<RestoreError | (typeof everyComparison)[number] | (typeof everyCall)[number]>
  const all: Errors = [...errors, ...everyComparison, ...everyCall]
  return HttpApiEndpoint.post<
    "restore",
    `/${Path}/:id/restore`,
    typeof ResourceId,
    never,
    never,
    never,
    Success,
    Errors
  >("restore", `/${collection}/:id/restore`, { params: ResourceId, success: success as never, error: all as never })
    .annotate(GuardOf, guard(type, "DELETE"))
    .annotate(TagsOf, comparesTag)
    .annotate(OpenApi.Description, "Undoes a delete, and needs the same privilege. Repeated calls have no effect.")
}
