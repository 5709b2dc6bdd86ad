import { Ban, BanFields, BanUrn } from "@wcs/domain/holding/Ban"
import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { documentOf, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard } from "../Guard.ts"
import { includedOwners, includeOwners } from "../IncludedOwners.ts"
import { listParameters, parameter, readParameters, sortOf } from "../ListParameters.ts"
import { TableOf } from "../ListTable.ts"
import { banTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { ResourceOf } from "../ResourceOf.ts"
import { showsTag, TagsOf } from "../TagsOf.ts"
import { everyCall, everyComparison, wireErrors } from "../WireError.ts"

/** The response form of a ban. */
export const BanDocument = documentOf("ban", BanUrn, { ...BanFields.fields, owners: includedOwners }).annotate({
  identifier: "Ban"
})

/** `/bans` (§4.2), read-only. */
export class BansApi extends guarded(
  HttpApiGroup.make("bans").add(
    HttpApiEndpoint.get("list", "/bans", {
      query: {
        ...listParameters,
        sort: sortOf(Ban),
        ...includeOwners,
        ownerExternalId: parameter("Bans of the worker with this source.externalId."),
        workerId: parameter("Bans of the worker with this id."),
        register: parameter("Exact match on the register."),
        eligibility: parameter("Exact match on the eligibility.")
      },
      success: Many(BanDocument),
      error: [wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(TableOf, banTable)
      .annotate(GuardOf, guard("ban", "READ"))
      .annotate(ResourceOf, Ban),
    HttpApiEndpoint.get("read", "/bans/:id", {
      params: ResourceId,
      query: readParameters,
      success: One(BanDocument),
      error: [wireErrors.INVALID_URN, ...everyComparison, ...everyCall]
    })
      .annotate(GuardOf, guard("ban", "READ"))
      .annotate(TagsOf, showsTag(Ban))
  )
) {}
