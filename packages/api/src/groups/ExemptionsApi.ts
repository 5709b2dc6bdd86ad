import { Exemption, ExemptionFields } from "@wcs/domain/holding/Exemption"
import { anyOwner, type OwnerType, ownerTypes } from "@wcs/domain/ownership/Ownership"
import { ExemptionId, idSchema } from "@wcs/domain/shared/Id"
import { Schema } from "effect"
import { crudGroup } from "../CrudGroup.ts"
import { documentOf, linkTo } from "../Envelope.ts"
import { includedOwners, includeOwners } from "../IncludedOwners.ts"
import { parameter } from "../ListParameters.ts"
import { exemptionTable } from "../ListTables.ts"
import { wireErrors } from "../WireError.ts"

const { fields } = ExemptionFields

/** The response form of an exemption. */
export const ExemptionDocument = documentOf("exemption", ExemptionId, {
  ...fields,
  owners: includedOwners
}).annotate({ identifier: "Exemption" })

const person = (type: OwnerType) =>
  Schema.optionalKey(linkTo(idSchema(type))).annotate({ description: `The exempt ${type}. Give either ${anyOwner}.` })

/** The body of create and replace, with exactly one person. */
const ExemptionWrite = Schema.Struct({
  ...fields,
  ...({ worker: person("worker"), applicant: person("applicant") } satisfies Record<OwnerType, unknown>)
}).annotate({ identifier: "ExemptionWrite" })

/** `/exemptions` (§4.2). */
export class ExemptionsApi extends crudGroup("exemptions", Exemption, {
  document: ExemptionDocument,
  table: exemptionTable,
  create: ExemptionWrite,
  replace: ExemptionWrite,
  createErrors: [wireErrors.UNPROCESSABLE],
  updateErrors: [wireErrors.UNPROCESSABLE],
  filters: {
    ...includeOwners,
    ownerExternalId: parameter(`Exemptions of the ${ownerTypes.join(" or ")} with this \`source.externalId\`.`),
    ownerType: parameter("The kind of `ownerId`. Use together with `ownerId`."),
    ownerId: parameter("Exemptions of the owner with this id. Use together with `ownerType`."),
    exemptionType: parameter("Exact match on the exemption type."),
    jurisdiction: parameter("Exact match on the jurisdiction."),
    expiringFrom: parameter("Expires on or after this date."),
    expiringBefore: parameter("Expires before this date.")
  }
}) {}
