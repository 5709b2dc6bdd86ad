import { Ban, BanFields, BanUrn } from "@wcs/domain/holding/Ban"
import { BanDecisionBounds, BanDecisionRequest } from "@wcs/domain/holding/BanDecision"
import { readsOf } from "@wcs/domain/resource/DerivedAnswer"
import { HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { documentOf, Many, One, ResourceId } from "../Envelope.ts"
import { GuardOf, guard, guardOfAll } from "../Guard.ts"
import { includedOwners, includeOwners } from "../IncludedOwners.ts"
import { listParameters, parameter, readParameters, sortOf } from "../ListParameters.ts"
import { TableOf } from "../ListTable.ts"
import { banTable } from "../ListTables.ts"
import { guarded } from "../Middleware.ts"
import { ResourceOf } from "../ResourceOf.ts"
import { comparesTag, showsTag, TagsOf } from "../TagsOf.ts"
import { everyBody, everyCall, everyComparison, wireErrors } from "../WireError.ts"

/** The response form of a ban. */
export const BanDocument = documentOf("ban", BanUrn, { ...BanFields.fields, owners: includedOwners }).annotate({
  identifier: "Ban"
})

/** `/bans` (§4.2): records of registers, which callers read, and decisions about possible matches. */
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
      .annotate(TagsOf, showsTag(Ban)),
    HttpApiEndpoint.post("decisions", "/bans/:id/decisions", {
      params: ResourceId,
      payload: BanDecisionRequest.annotate({ identifier: "BanDecisionRequest" }),
      success: One(BanDocument),
      error: [
        wireErrors.INVALID_URN,
        wireErrors.UNPROCESSABLE,
        wireErrors.PRECONDITION_FAILED,
        ...everyBody,
        ...everyCall
      ]
    })
      .annotate(TagsOf, comparesTag)
      .annotate(OpenApi.Summary, "Decide about a possible ban")
      .annotate(
        OpenApi.Description,
        "Says whether a possible match, a record with REVIEW_REQUIRED, is about the worker. The record stays. The decision " +
          "counts in compliance until its last day, or until the register changes more than `checkedAt`."
      )
      .annotate(GuardOf, guardOfAll([{ entityType: "verification", operation: "UPDATE" }, ...readsOf("decidedBan")])),
    HttpApiEndpoint.get("decidable", "/bans/:id/decidable", {
      params: ResourceId,
      success: One(BanDecisionBounds.annotate({ identifier: "BanDecisionBounds" })),
      error: [wireErrors.INVALID_URN, wireErrors.INVALID_ARGUMENT, ...everyCall]
    })
      .annotate(OpenApi.Summary, "Read what can be decided about a ban")
      .annotate(OpenApi.Description, "What `POST /bans/{id}/decisions` of this caller accepts now.")
      .annotate(GuardOf, guardOfAll(readsOf("decidedBan")))
  )
) {}
