import { type JsonObject, put } from "@wcs/domain/shared/Json"
import { describePatches } from "../PatchBodies.ts"
import { describeHeaders } from "./DescribedHeaders.ts"
import { describeParameters } from "./DescribedParameters.ts"
import { openRequestBodies } from "./OpenRequestBodies.ts"
import { shareParts } from "./SharedParts.ts"
import { summarize } from "./Summaries.ts"
import { uniteSchemas } from "./UnitedSchemas.ts"

/** What the document says of what belongs to no operation. */
export const description = `\
Workers, applicants, their credentials, and who owns them. Every call below \`/openapi/v1\` but that of the token
endpoint carries a bearer token, or the cookie of a person who is logged in; errors are \`{ error: { code, message, requestId } }\`: branch on the status and \`code\`, never on \`message\`.
Fields that nobody knows are ignored and named in \`meta.warnings\`.

Below \`/api\` is the legacy surface, for users with a password: Basic is exchanged for a token of its own, and every
error is \`{ status, message, field }\`. What follows is of the newer surface; on the legacy one a method that a path does
not take is 404.

Refused before they reach an operation, and so described here and not there, are requests that are none of this
contract. They are answered by the same envelope with \`X-Request-Id\`, at the token endpoint by its own:

| status | code | for |
|---|---|---|
| 400 | \`BAD_REQUEST\` | plain HTTP, and what is no HTTP request |
| 404 | \`NOT_FOUND\` | a path at which nothing is, or a host of no tenant |
| 405 | \`METHOD_NOT_ALLOWED\` | a method that the path does not take; \`Allow\` names those that it takes |
| 408 | \`REQUEST_TIMEOUT\` | headers or a body that do not come in time |
| 414 | \`URI_TOO_LONG\` | more than 8 KiB of path and query |
| 431 | \`HEADERS_TOO_LARGE\` | more than 16 KiB of headers |

A HEAD is answered like the GET of the same path, without the body.`

/** Names of schemes are alike in any letter case (RFC 9110, section 11.1), but tools know this one by lower case only. */
const nameBearer = (document: JsonObject): JsonObject =>
  ["bearer", "legacyBearer"].reduce(
    (named, scheme) => put(named, ["components", "securitySchemes", scheme, "scheme"], "bearer"),
    document
  )

/** The generated OpenAPI document, with all that a reader or a generated client has to know. */
export const complete = (generated: JsonObject): JsonObject =>
  [
    nameBearer,
    uniteSchemas,
    describePatches,
    openRequestBodies,
    describeParameters,
    describeHeaders,
    summarize,
    shareParts
  ].reduce((document, step) => step(document), generated)
