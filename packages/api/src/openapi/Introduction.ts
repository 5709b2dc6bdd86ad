import { businessRules } from "@wcs/domain/service/Refusals"
import { errorCodes, table } from "@wcs/domain/shared/ErrorCode"
import { oauthCodes, oauthErrors } from "../groups/OAuthApi.ts"
import { limitsAndRetries } from "../guides/LimitsAndRetries.ts"
import { ownershipSlots } from "../guides/OwnershipSlots.ts"
import { paging } from "../guides/Paging.ts"
import { quickStart } from "../guides/QuickStart.ts"
import { rotatingSecrets } from "../guides/RotatingSecrets.ts"
import { verification } from "../guides/Verification.ts"

const overview = `\
Manages workers, applicants, their credentials, and the owners of each credential. Every call under \`/openapi/v1\`
needs a bearer token or a session cookie, except the token endpoint. Unknown fields are ignored and listed in
\`meta.warnings\`. \`null\` in an optional field of a POST or PUT counts as absent; in a PATCH it removes the field. Text has no control characters. HEAD works on every path with GET and returns the same headers without
a body.

The legacy surface is under \`/api\`, for users with a password. A call with Basic authentication returns a legacy token
for all other calls. Errors have the form \`{ status, message, field }\`. The rest of this description is about the newer
surface. On the legacy surface, an unsupported method returns 404.
`

const rows = errorCodes.map((code) => {
  const { remedy, status, when } = table[code]
  return `| ${status} | \`${code}\` | ${when} | ${remedy} |`
})

const rules = Object.values(businessRules).map(({ remedy, when }) => `| ${when} | ${remedy} |`)

/** The statuses with a code of the token endpoint. */
const oauthStatusesOf = (code: string): string =>
  oauthErrors
    .filter(({ fields }) => fields.error.literal === code)
    .map(({ ast }) => ast.annotations?.["httpApiStatus"])
    .join(", ")

const oauthRows = Object.entries(oauthCodes).map(
  ([code, { remedy, when }]) => `| ${oauthStatusesOf(code)} | \`${code}\` | ${when} | ${remedy} |`
)

const errors = `# Errors

Errors have the form \`{ error: { code, message, requestId } }\`. Programs must use the status and \`code\`, never
\`message\`, whose text may change. A 401 has only a \`message\`: the token is missing, malformed, expired or revoked, so
request a new one.

| status | code | when | what to do |
|---|---|---|---|
${rows.join("\n")}

The server can refuse a request before any operation handles it. So 404, 405, 408, 414 and 431, and 400 for plain HTTP,
can be the answer to every path, and are not listed at the operations.

**Business rules.** A 422 \`UNPROCESSABLE\` has one of these causes. The message names the records:

| the call was refused because | what to do |
|---|---|
${rules.join("\n")}

**The token endpoint** has the form of RFC 6749, \`{ error, error_description }\`:

| status | error | when | what to do |
|---|---|---|---|
${oauthRows.join("\n")}
`

/** The general description of the document: an overview and the guides. */
export const description = [
  overview,
  quickStart,
  ownershipSlots,
  verification,
  paging,
  limitsAndRetries,
  rotatingSecrets,
  errors
].join("\n")
