import { type JsonObject, put } from "@wcs/domain/shared/Json"
import { describePatches } from "../PatchBodies.ts"
import { describeHeaders } from "./DescribedHeaders.ts"
import { describeParameters } from "./DescribedParameters.ts"
import { openRequestBodies } from "./OpenRequestBodies.ts"
import { shareParts } from "./SharedParts.ts"
import { summarize } from "./Summaries.ts"
import { uniteSchemas } from "./UnitedSchemas.ts"

/** The general description of the document. */
export const description = `\
Manages workers, applicants, their credentials, and the owners of each credential. Every call under \`/openapi/v1\`
needs a bearer token or a session cookie, except the token endpoint. Errors have the form
\`{ error: { code, message, requestId } }\`. Programs must use the status and \`code\`, never \`message\`.
Unknown fields are ignored and listed in \`meta.warnings\`.

The legacy surface is under \`/api\`, for users with a password. A call with Basic authentication returns a legacy token
for all other calls. Errors have the form \`{ status, message, field }\`. The rest of this description is about the newer
surface. On the legacy surface, an unsupported method returns 404.

The server can refuse a request before any operation handles it. These errors use the same envelope and have
\`X-Request-Id\`. The token endpoint uses its own error form.

| status | code | for |
|---|---|---|
| 400 | \`BAD_REQUEST\` | plain HTTP, or a malformed HTTP request |
| 404 | \`NOT_FOUND\` | an unknown path or an unknown host |
| 405 | \`METHOD_NOT_ALLOWED\` | an unsupported method; \`Allow\` lists the supported methods |
| 408 | \`REQUEST_TIMEOUT\` | headers or a body that arrive too slowly |
| 414 | \`URI_TOO_LONG\` | a path and query of more than 8 KiB |
| 431 | \`HEADERS_TOO_LARGE\` | headers of more than 16 KiB |
| 501 | \`NOT_IMPLEMENTED\` | a transfer coding other than chunked |

HEAD works on every path with GET and returns the same headers without a body.`

/** Scheme names ignore case (RFC 9110, section 11.1), but tools recognize only the lower-case name. */
const nameBearer = (document: JsonObject): JsonObject =>
  ["bearer", "legacyBearer"].reduce(
    (named, scheme) => put(named, ["components", "securitySchemes", scheme, "scheme"], "bearer"),
    document
  )

/** Completes the generated OpenAPI document for readers and client generators. */
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
