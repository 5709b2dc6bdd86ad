import { Unit, UnitFields } from "@wcs/domain/people/Unit"
import { UnitId } from "@wcs/domain/shared/Id"
import { HttpApiEndpoint, HttpApiGroup, HttpApiSchema, OpenApi } from "effect/http-api"
import { crudEndpoints } from "./CrudGroup.ts"
import { documentOf, ResourceId } from "./Envelope.ts"
import { GuardOf, guard } from "./Guard.ts"
import { parameter } from "./ListParameters.ts"
import { unitTable } from "./ListTables.ts"
import { guarded } from "./Middleware.ts"
import { comparesOnly, TagsOf } from "./TagsOf.ts"
import { everyCall, everyComparison, wireErrors } from "./WireError.ts"

/** The response form of a unit. */
export const UnitDocument = documentOf("unit", UnitId, UnitFields.fields).annotate({ identifier: "Unit" })

const UnitWrite = UnitFields.annotate({ identifier: "UnitWrite" })

const { create, list, patch, read, replace } = crudEndpoints(Unit, {
  document: UnitDocument,
  table: unitTable,
  create: UnitWrite,
  replace: UnitWrite,
  createErrors: [wireErrors.UNPROCESSABLE],
  updateErrors: [wireErrors.UNPROCESSABLE],
  filters: {
    externalId: parameter("Exact match on `externalId`."),
    parentId: parameter("Units directly below the unit with this id.")
  }
})

/** `/units`: the parts of the tenant's organization (DECISIONS.md#units). */
export class UnitsApi extends guarded(
  HttpApiGroup.make("units").add(
    list,
    create,
    read,
    replace,
    patch,
    HttpApiEndpoint.delete("remove", "/units/:id", {
      params: ResourceId,
      query: { moveTo: parameter("Id of the unit that gets the people and units of the deleted one.") },
      success: HttpApiSchema.NoContent,
      error: [wireErrors.UNPROCESSABLE, ...everyComparison, ...everyCall]
    })
      .annotate(
        OpenApi.Description,
        "A unit with people or units is deleted only with `moveTo`. Users who are limited to the deleted unit reach " +
          "nobody by it. A call moves people for 20 seconds. If more are left, it is 422 with `Retry-After: 0`, and the same " +
          "request goes on."
      )
      .annotate(GuardOf, guard("unit", "DELETE"))
      .annotate(TagsOf, comparesOnly)
  )
) {}
