import { Context, Data, Effect, Layer, Option, Result, Schema } from "effect"
import { type ListWithOwners, makeListWithOwners } from "../crud/IncludedOwners.ts"
import { isThere, LinkNotFound } from "../crud/Links.ts"
import { Resources } from "../crud/Resources.ts"
import { Applicant } from "../people/Applicant.ts"
import type { Collection } from "../resource/Collection.ts"
import type { Resource, Stored } from "../resource/Resource.ts"
import { Code, LinkedApplicantId } from "../shared/Id.ts"
import * as Invitation from "./Invitation.ts"
import { Requirements, ScreeningPackage, type ScreeningPackageFields } from "./ScreeningPackage.ts"

export const RecruitmentCheckFields = Schema.Struct({
  applicant: Schema.Struct({ id: LinkedApplicantId }).annotateKey({
    description: "The applicant that must meet the requirements. It cannot change."
  }),
  screeningPackageCode: Code.annotateKey({
    description: "Code of the screening package, which must be active on creation. It cannot change."
  }),
  ...Invitation.fields,
  requirements: Schema.optionalKey(Requirements)
})
export type RecruitmentCheckFields = typeof RecruitmentCheckFields.Type

/** The requirements that an applicant must meet for a position (DECISIONS.md#fields). */
export const RecruitmentCheck = {
  type: "credentialCheck",
  naming: { by: "minting", kind: "credentialCheck" },
  collection: "recruitment-checks",
  fields: RecruitmentCheckFields,
  computed: [...Invitation.computed, ["requirements"]],
  fixed: [{ path: ["applicant", "id"] }, { path: ["screeningPackageCode"] }],
  defaults: Invitation.defaults,
  personal: Invitation.personal,
  links: [{ path: ["applicant"], resource: Applicant, lookup: "externalId" }],
  verbatim: { until: "expiry_date" },
  columns: {
    applicant_id: { path: ["applicant", "id"] },
    screening_package_code: { path: ["screeningPackageCode"] },
    ...Invitation.columns
  },
  filters: {
    ownerExternalId: {
      by: "holder",
      holders: [{ column: "applicant_id", resource: "applicant", lookup: "external_id" }]
    },
    applicantId: { by: "equal", column: "applicant_id", of: "applicant" },
    screeningPackageCode: { by: "equal", column: "screening_package_code" },
    unit: { by: "unit" },
    ...Invitation.filters
  },
  sorts: Invitation.sorts
} as const satisfies Resource<RecruitmentCheckFields>

/** A recruitment check asks an applicant for the screening package's requirements at the time of its creation. */
export const asking: Invitation.Asking<RecruitmentCheckFields> = {
  resource: RecruitmentCheck,
  personOf: ({ applicant }) => ({ type: "applicant", id: applicant.id }),
  requirementsOf: ({ requirements = {} }) => requirements,
  name: "recruitmentCheck"
}

/** The screening package exists but is not active (DECISIONS.md#fields). */
export class PackageInactive extends Data.TaggedError("PackageInactive")<{ readonly code: string }> {}

/** Copies the current requirements of the package, so that later changes of the package do not affect the check. */
export const withRequirements = (
  fields: RecruitmentCheckFields,
  found: Option.Option<Stored> | undefined
): Result.Result<RecruitmentCheckFields, LinkNotFound | PackageInactive> => {
  const code = fields.screeningPackageCode
  if (found === undefined || Option.isNone(found) || !isThere(found)) {
    return Result.fail(
      new LinkNotFound({ field: "screeningPackageCode", entityType: "screeningPackage", found: "none" })
    )
  }
  const { active, requirements = {} } = found.value.fields as ScreeningPackageFields // decoded by its own definition
  return active ? Result.succeed({ ...fields, requirements }) : Result.fail(new PackageInactive({ code }))
}

/** The standard use cases for recruitment checks, plus their actions. */
export class RecruitmentChecks extends Context.Service<
  RecruitmentChecks,
  Omit<Collection<RecruitmentCheckFields, PackageInactive, LinkNotFound | Invitation.InvitationClosed>, "list"> &
    ListWithOwners<RecruitmentCheckFields> &
    Invitation.Inviting<RecruitmentCheckFields>
>()("@wcs/domain/RecruitmentChecks") {}

export const make = Effect.gen(function* () {
  const listWithOwners = yield* makeListWithOwners
  const inviting = Invitation.makeInviting(yield* Resources, asking, {
    of: ({ screeningPackageCode }) => [{ resource: ScreeningPackage, id: screeningPackageCode }],
    complete: (fields, [found]) => withRequirements(fields, found)
  })
  return RecruitmentChecks.of({ ...inviting, ...listWithOwners(inviting.list) })
})

export const layer = Layer.effect(RecruitmentChecks, make)
