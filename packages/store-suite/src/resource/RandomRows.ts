import type { Resource, Stored } from "@wcs/domain/resource/Resource"
import type { JsonObject } from "@wcs/domain/shared/Json"
import fc from "fast-check"
import { created, idFor, start } from "../Fixtures.ts"
import { fieldsOf, idTails } from "./RandomFields.ts"

const isDeleted = fc.integer({ min: 0, max: 3 }).map((drawn) => drawn === 0)

/**
 * Rows of a resource with few different times, so that many are equal. Ids have no relation to other columns; the first
 * ones are those that documents refer to.
 */
export const rowsOf = <Fields extends JsonObject>(
  resource: Resource<Fields>,
  minLength = 0
): fc.Arbitrary<ReadonlyArray<Stored<Fields>>> => {
  const moment = fc.integer({ min: start, max: start + 2 })
  const drafts = fc.record({ fields: fieldsOf(resource), createdAt: moment, updatedAt: moment, isDeleted })
  return fc.array(drafts, { minLength, maxLength: idTails.length }).map((drawn) =>
    drawn.map(({ fields, isDeleted, ...moments }, index) => {
      const tail = idTails[index] ?? ""
      const id = idFor(resource).slice(0, -tail.length) + tail
      return created(id, fields, { ...moments, deletedAt: isDeleted ? start + 9 : null })
    })
  )
}
