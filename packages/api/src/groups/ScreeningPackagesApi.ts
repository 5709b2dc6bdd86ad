import { ScreeningPackage, ScreeningPackageFields } from "@wcs/domain/screening/ScreeningPackage"
import { Code } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { crudGroup } from "../CrudGroup.ts"
import { documentOf } from "../Envelope.ts"
import { parameter, search } from "../ListParameters.ts"
import { screeningPackageTable } from "../ListTables.ts"
import { wireErrors } from "../WireError.ts"

const { fields } = ScreeningPackageFields

/** The response form of a screening package. */
export const ScreeningPackageDocument = documentOf("screeningPackage", Code, fields).annotate({
  identifier: "ScreeningPackage"
})

const optional = { active: Schema.optionalKey(fields.active) }

/** The body of create. `active` defaults to true. The code becomes the id. */
const ScreeningPackageCreate = Schema.Struct({ ...fields, ...optional }).annotate({
  identifier: "ScreeningPackageCreate"
})

/** The body of replace. The code is optional and cannot change. */
const ScreeningPackageReplace = Schema.Struct({
  ...fields,
  ...optional,
  code: Schema.optionalKey(fields.code)
}).annotate({
  identifier: "ScreeningPackageReplace"
})

/** `/screening-packages` (§4.2). */
export class ScreeningPackagesApi extends crudGroup("screeningPackages", ScreeningPackage, {
  document: ScreeningPackageDocument,
  table: screeningPackageTable,
  create: ScreeningPackageCreate,
  replace: ScreeningPackageReplace,
  createErrors: [wireErrors.DUPLICATE_ID],
  updateErrors: [],
  filters: {
    active: parameter("Active or inactive packages only."),
    query: search
  }
}) {}
