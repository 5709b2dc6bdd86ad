/** Guide: rate limits, and which calls can be repeated. */
export const limitsAndRetries = `# Limits and retries

Every answer has the state of your rate limit:

\`\`\`sh
curl -s -o /dev/null -D - "$HOST/openapi/v1/me" -H "Authorization: Bearer $TOKEN" | grep -i '^x-ratelimit'
\`\`\`

Each operation names its tier. By default, a client or user has 600 calls a minute in \`standard\`, and 60 in
\`intensive\`. All clients and users of a tenant share a budget of 10 times as many calls in each tier. A call counts
against both limits. The headers show the stricter one: the one with fewer calls left, or with the longer wait. A
deployment can have other limits.

| status | repeat the call? |
|---|---|
| 429, 503 | After the seconds in \`Retry-After\`. |
| 500, or no answer | With growing delays, if the call may be repeated. |
| 400, 401, 403, 404, 409, 422 | Not unchanged. On 401, get a new token first. |
| 412 | Not unchanged. Read the resource again, decide again, then send its present \`ETag\`. |

GET, PUT, PATCH, DELETE, link, unlink and transfer may be repeated: a second call changes nothing more. POST that
creates something may not: after a lost answer, first look for the item, for example by \`externalId\`.

A change overwrites what others changed since you read the resource. To prevent this, send the \`ETag\` of your read in
\`If-Match\`. If the resource was changed meanwhile, the answer is 412 and nothing changes. With \`If-Match\`, a repeated
PUT or PATCH is also 412 after the first one succeeded: read the resource to see what it holds.

\`X-Request-Id\` names each call in the log of the service. Keep it with your errors. If you send your own as a UUID or
ULID, the answer repeats it in \`X-Client-Request-Id\`.
`
