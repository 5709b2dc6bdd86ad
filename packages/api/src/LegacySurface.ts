import { ScanRequest, scanStatuses } from "@wcs/domain/legacy/Scan"
import { Schema } from "effect"
import { HttpApi, HttpApiEndpoint, HttpApiGroup, OpenApi } from "effect/http-api"
import { LegacyErrors } from "./LegacyError.ts"
import { AnswerUnreadable, ByBasic, ByBasicOrBearer, ByBearer, LegacyCallOf } from "./LegacyMiddleware.ts"
import { parameter } from "./ListParameters.ts"
import { Begin, ResolveTenant } from "./Middleware.ts"

/** Where the legacy surface stands: no version is in its path (§9). */
export const legacyRoot = "/api"

const Organization = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  abn: Schema.String.annotate({ description: "11 digits; empty where nobody has told it." }),
  is_active: Schema.Boolean
}).annotate({ identifier: "Organization" })

/** With Basic the last field is not there, and of the organization its id and name only (§2.1). */
const User = Schema.Struct({
  id: Schema.Int.annotate({ description: "Goes into the token path." }),
  email: Schema.String,
  first_name: Schema.String,
  surname: Schema.String,
  is_verified: Schema.optionalKey(Schema.Boolean.annotate({ description: "With Bearer only." })),
  organization: Schema.Struct({
    id: Schema.Int,
    name: Schema.String,
    abn: Schema.optionalKey(Schema.String),
    is_active: Schema.optionalKey(Schema.Boolean)
  }).annotate({ description: "With Basic the id and name only." })
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
  total: Schema.Int.annotate({ description: "How many there are, at most 10000." })
})

const Scan = Schema.Struct({
  correlation_id: Schema.String.annotate({ description: "Ties later events to this call." }),
  status: Schema.Literals(scanStatuses).annotate({
    description:
      "queued: one credential has this type and identifier, its holder has this name, and it is verified again. " +
      "unmatched: there is no such credential, or several, or the name differs; no record changes. " +
      "not_verifiable: the type has no register."
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
      .annotate(OpenApi.Summary, "Read yourself")
      .middleware(ByBasicOrBearer),
    HttpApiEndpoint.post("token", "/users/:id/token", {
      params: { id: Schema.String },
      success: Token,
      error: everyCall
    })
      .annotate(LegacyCallOf, "token")
      .annotate(OpenApi.Summary, "Exchange your password for a token")
      .middleware(ByBasic),
    HttpApiEndpoint.get("organization", "/organizations/me", { success: Organization, error: everyCall })
      .annotate(LegacyCallOf, "organization")
      .annotate(OpenApi.Summary, "Read your organization")
      .middleware(ByBearer),
    HttpApiEndpoint.get("constituents", "/constituents", {
      query: {
        page: parameter("The page by number, from 1."),
        page_size: parameter("How many at most: 1 to 100, 25 by default.")
      },
      success: Constituents,
      error: [LegacyErrors[400], ...everyCall]
    })
      .annotate(LegacyCallOf, "constituents")
      .annotate(OpenApi.Summary, "List constituents")
      .middleware(ByBearer),
    HttpApiEndpoint.get("constituent", "/constituents/:id", {
      params: { id: Schema.String },
      success: Constituent,
      error: everyCall
    })
      .annotate(LegacyCallOf, "constituents")
      .annotate(OpenApi.Summary, "Read a constituent")
      .middleware(ByBearer),
    HttpApiEndpoint.post("scan", "/scan", {
      payload: Schema.Struct({
        type: type.annotate({ description: "A code of the catalogue, or its lower-case dashed form: `wwcc-nsw`." }),
        ...scanned
      }),
      success: Scan,
      error: [LegacyErrors[400], LegacyErrors[413], LegacyErrors[415], ...everyCall]
    })
      .annotate(LegacyCallOf, "scan")
      .annotate(OpenApi.Summary, "Submit a screening check")
      .middleware(ByBearer)
  )
  .middleware(AnswerUnreadable)
  .middleware(ResolveTenant)
  .middleware(Begin) {}

/** The legacy surface, `{base_url}/api` (§4.1). */
export class LegacySurface extends HttpApi.make("legacy").add(LegacyApi).prefix(legacyRoot) {}
