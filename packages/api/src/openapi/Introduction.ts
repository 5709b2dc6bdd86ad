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

HEAD works on every path with GET and returns the same headers without a body.`
