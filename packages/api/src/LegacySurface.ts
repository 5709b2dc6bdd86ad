import { ScanRequest, scanStatuses } from "@wcs/domain/legacy/Scan"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { LegacyErrors } from "./LegacyError.ts"
import { ByBasic, ByBasicOrBearer, ByBearer, CheckLegacyParameters, LegacyCallOf } from "./LegacyMiddleware.ts"
import { count, parameter } from "./ListParameters.ts"
import { ResolveTenant } from "./Middleware.ts"

/** The root path of the legacy surface. It has no version (§9). */
export const legacyRoot = "/api"

const Organization = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  abn: Schema.String.annotate({ description: "11 digits. Empty if unknown." }),
  is_active: Schema.Boolean
}).annotate({ identifier: "Organization" })

/** With Basic, `is_verified` is absent and the organization has only its id and name (§2.1). */
const User = Schema.Struct({
  id: Schema.Int.annotate({ description: "Use this id in the path of the token call." }),
  email: Schema.String,
  first_name: Schema.String,
  surname: Schema.String,
  is_verified: Schema.optionalKey(Schema.Boolean.annotate({ description: "Present only with Bearer authentication." })),
  organization: Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    abn: Schema.optionalKey(Schema.String),
    is_active: Schema.optionalKey(Schema.Boolean)
  }).annotate({ description: "With Basic authentication, only id and name are present." })
}).annotate({ identifier: "User" })

const Token = Schema.Struct({
  token: Schema.String.annotate({ description: "A JWT, for `Authorization: Bearer`." }),
  iat: Schema.Int.annotate({ description: "Unix seconds." }),
  exp: Schema.Int.annotate({ description: "Unix seconds." })
}).annotate({ identifier: "LegacyToken" })

const text = Schema.NullOr(Schema.String)

const Constituent = Schema.Struct({
  id: Schema.String,
  first_name: Schema.String,
  surname: Schema.String,
  date_of_birth: text,
  email: text,
  mobile_number: text,
  external_id: text,
  is_active: Schema.Boolean
}).annotate({ identifier: "Constituent" })

const Constituents = Schema.Struct({
  data: Schema.Array(Constituent),
  page: Schema.Int,
  page_size: Schema.Int,
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
  type: Schema.String,
  identifier: Schema.String
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
        type: type.annotate({
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
