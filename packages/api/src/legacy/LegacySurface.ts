import { ScanRequest, scanStatuses } from "@wcs/domain/holding/Scan"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { count, parameter } from "../ListParameters.ts"
import { ResolveTenant } from "../Middleware.ts"
import { LegacyErrors } from "./LegacyError.ts"
import { ByBasic, ByBasicOrBearer, ByBearer, CheckLegacyParameters, LegacyCallOf } from "./LegacyMiddleware.ts"

/** The root path of the legacy surface. It has no version (§9). */
export const legacyRoot = "/api"

const organization = {
  id: Schema.Int.annotate({ description: "Number of the organization, assigned by the server." }),
  name: Schema.String.annotate({ description: "Name of the organization, set by the operator." }),
  abn: Schema.String.annotate({
    description: "Australian Business Number: 11 digits. Empty if unknown. Set by the operator."
  }),
  is_active: Schema.Boolean.annotate({
    description: "Always true in this service. Other implementations can answer false."
  })
}

const Organization = Schema.Struct(organization).annotate({ identifier: "Organization" })

/** With Basic, `is_verified` is absent and the organization has only its id and name (§2.1). */
const User = Schema.Struct({
  id: Schema.Int.annotate({ description: "Use this id in the path of the token call." }),
  email: Schema.String.annotate({ description: "Email address, the user name of Basic authentication." }),
  first_name: Schema.String.annotate({ description: "First given name of the user. Empty if unknown." }),
  surname: Schema.String.annotate({ description: "Family name of the user. Empty if unknown." }),
  is_verified: Schema.optionalKey(
    Schema.Boolean.annotate({
      description:
        "Whether the account is verified. Until then, all calls but this one and the token call are 403. " +
        "Present only with Bearer authentication."
    })
  ),
  organization: Schema.Struct({
    ...organization,
    abn: Schema.optionalKey(organization.abn),
    is_active: Schema.optionalKey(organization.is_active)
  }).annotate({ description: "With Basic authentication, only id and name are present." })
}).annotate({ identifier: "User" })

const Token = Schema.Struct({
  token: Schema.String.annotate({ description: "A JWT, for `Authorization: Bearer`." }),
  iat: Schema.Int.annotate({ description: "When the token was issued, in Unix seconds." }),
  exp: Schema.Int.annotate({ description: "When the token expires, in Unix seconds. It can be revoked before." })
}).annotate({ identifier: "LegacyToken" })

const text = Schema.NullOr(Schema.String)

const Constituent = Schema.Struct({
  id: Schema.String.annotate({ description: "Id of the worker, `wkr_…`, the same on both surfaces." }),
  first_name: Schema.String.annotate({ description: "`identity.firstName` of the worker. Empty if unknown." }),
  surname: Schema.String.annotate({
    description: "`identity.lastName` of the worker. With neither first nor last name, the display name."
  }),
  date_of_birth: text.annotate({ description: "`identity.birthDate` of the worker, `YYYY-MM-DD`. Null if unknown." }),
  email: text.annotate({ description: "`contact.workEmail` of the worker, else `contact.personalEmail`, else null." }),
  mobile_number: text.annotate({ description: "`contact.mobileNumber` of the worker. Null if unknown." }),
  external_id: text.annotate({ description: "`source.externalId` of the worker. Null if there is none." }),
  is_active: Schema.Boolean.annotate({ description: "False if `employment.status` is INACTIVE or TERMINATED." })
}).annotate({ identifier: "Constituent" })

const Constituents = Schema.Struct({
  data: Schema.Array(Constituent).annotate({ description: "The constituents in the order of creation." }),
  page: Schema.Int.annotate({ description: "Number of this page, from 1." }),
  page_size: Schema.Int.annotate({ description: "Largest number of constituents on a page." }),
  total: Schema.Int.annotate({ description: "Number of constituents, at most 10000." })
})

const Scan = Schema.Struct({
  correlation_id: Schema.String.annotate({ description: "Correlates later events with this call." }),
  status: Schema.Literals(scanStatuses).annotate({
    description:
      "queued: exactly one credential has this type, identifier and holder name. Its verification has started. " +
      "unmatched: no credential matches, or several do. No record changes. " +
      "not_verifiable: no register covers this type."
  }),
  type: Schema.String.annotate({ description: "`type` as submitted." }),
  identifier: Schema.String.annotate({ description: "`identifier` as submitted." })
}).annotate({ identifier: "Scan" })

const { type, ...scanned } = ScanRequest.fields

const everyCall = [LegacyErrors[404], LegacyErrors[500]] as const

class LegacyApi extends HttpApiGroup.make("legacy")
  .add(
    HttpApiEndpoint.get("me", "/users/me", { success: User, error: everyCall })
      .annotate(LegacyCallOf, "me")
      .annotate(OpenApi.Summary, "Read your own user")
      .middleware(CheckLegacyParameters)
      .middleware(ByBasicOrBearer),
    HttpApiEndpoint.post("token", "/users/:id/token", {
      params: { id: Schema.String },
      success: Token,
      error: everyCall
    })
      .annotate(LegacyCallOf, "token")
      .annotate(OpenApi.Summary, "Exchange your password for a token")
      .middleware(CheckLegacyParameters)
      .middleware(ByBasic),
    HttpApiEndpoint.get("organization", "/organizations/me", { success: Organization, error: everyCall })
      .annotate(LegacyCallOf, "organization")
      .annotate(OpenApi.Summary, "Read your organization")
      .middleware(CheckLegacyParameters)
      .middleware(ByBearer),
    HttpApiEndpoint.get("constituents", "/constituents", {
      query: {
        page: parameter("Page number.", count),
        page_size: parameter("Items per page. A value above 100 counts as 100.", count.annotate({ default: 25 }))
      },
      success: Constituents,
      error: [LegacyErrors[400], ...everyCall]
    })
      .annotate(LegacyCallOf, "constituents")
      .annotate(OpenApi.Summary, "List constituents")
      .middleware(CheckLegacyParameters)
      .middleware(ByBearer),
    HttpApiEndpoint.get("constituent", "/constituents/:id", {
      params: { id: Schema.String },
      success: Constituent,
      error: everyCall
    })
      .annotate(LegacyCallOf, "constituents")
      .annotate(OpenApi.Summary, "Read a constituent")
      .middleware(CheckLegacyParameters)
      .middleware(ByBearer),
    HttpApiEndpoint.post("scan", "/scan", {
      payload: Schema.Struct({
        type: type.annotateKey({
          description: "A credential type code, or its lower-case form with dashes, for example `wwcc-nsw`."
        }),
        ...scanned
      }),
      success: Scan,
      error: [LegacyErrors[400], LegacyErrors[413], LegacyErrors[415], ...everyCall]
    })
      .annotate(LegacyCallOf, "scan")
      .annotate(OpenApi.Summary, "Submit a screening check")
      .middleware(CheckLegacyParameters)
      .middleware(ByBearer)
  )
  .middleware(ResolveTenant) {}

/** The legacy surface, `{base_url}/api` (§4.1). */
export class LegacySurface extends HttpApi.make("legacy").add(LegacyApi).prefix(legacyRoot) {}
