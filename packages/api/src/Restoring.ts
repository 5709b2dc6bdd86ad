import type { Schema } from "effect"
import { HttpApiEndpoint, OpenApi } from "effect/http-api"
import type { Definition } from "./CrudGroup.ts"
import { ResourceId } from "./Envelope.ts"
import { GuardOf, guard } from "./Guard.ts"
import { comparesTag, TagsOf } from "./TagsOf.ts"
import { everyCall, everyComparison } from "./WireError.ts"

/** Returns the endpoint that undoes a delete (DECISIONS.md#resources). */
export const restoreEndpoint = <const Path extends string, Success extends Schema.Top>(
  { collection, type }: Definition<Path>,
  success: Success
) =>
  HttpApiEndpoint.post("restore", `/${collection}/:id/restore`, {
    params: ResourceId,
    success,
    error: [...everyComparison, ...everyCall]
  })
    .annotate(GuardOf, guard(type, "DELETE"))
    .annotate(TagsOf, comparesTag)
    .annotate(OpenApi.Description, "Undoes a delete, and needs the same privilege. Repeated calls have no effect.")
