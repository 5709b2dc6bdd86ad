/** Guide: verdicts and the events that report them. */
export const verification = `# Verification and events

The service verifies a credential when it is created and when you ask. Some registers answer only accounts of an
employer. \`GET /verification-sources/registers\` lists each register and by which way it is asked. If one has the state
\`NOT_CONFIGURED\`, create a verification source with your gateway: \`POST /verification-sources\`. Otherwise credentials of
this type read as \`SOURCE_NOT_CONFIGURED\`.

Each card is verified again by itself, weekly by default, while somebody who holds it works for you or applies. A source
has its own \`intervalDays\`. You get an event only if the verdict or the expiry date changed;
\`GET /credentials/{id}/verifications\` lists every check with what it found. \`GET /monitoring\` shows for each source
whether it is on time, late or paused, and why.

The answer to a verify call waits up to 5 seconds for the register. After that, the verdict arrives as an event. Create a webhook before you ask:

\`\`\`sh
WEBHOOK=$(call POST /webhooks '{"name":"HR","url":"https://hr.example/wcs-events","events":["credential.verified"]}' |
  grep -o 'whk_[0-9A-Za-z]*')
call POST /credentials/$CREDENTIAL/verify '{"correlationId":"hire-4711","forceRefresh":true}'
call GET /credentials/$CREDENTIAL/verifications
\`\`\`

The event has the \`correlationId\` of the call: the one that you sent, or the one in the answer. The answer to the
creation of the webhook has the \`signingSecret\`. It is shown only once. For each request to your webhook:

1. Read the body as text. Do not parse it yet.
2. Check the signature. Refuse the request with 401 if it is wrong, or if \`webhook-timestamp\` is older than 5 minutes.
3. Ignore a \`deliveryId\` that you have handled before. The same event can arrive more than once.
4. Handle each \`correlationId\` that you wait for. Events can arrive out of order. Use \`sequence\` to find the newest
   event of one kind about a resource. All kinds share one \`sequence\`. A newer event of another kind does not replace
   a verdict.
5. Answer with a 2xx status within 15 seconds. Do slow work later.

\`\`\`js
import { createHmac, timingSafeEqual } from "node:crypto"

/** Whether the service sent the body. The secret begins with whsec_, and the body is the text as received. */
export const isGenuine = (secret, headers, body) => {
  const key = Buffer.from(secret.slice("whsec_".length), "base64")
  const message = [headers["webhook-id"], headers["webhook-timestamp"], body].join(".")
  const expected = createHmac("sha256", key).update(message).digest()
  return headers["webhook-signature"].split(" ").some((signature) => {
    const given = Buffer.from(signature.replace(/^v1,/, ""), "base64")
    return given.length === expected.length && timingSafeEqual(given, expected)
  })
}
\`\`\`

**Who may work today?** \`GET /workers?compliance=FAIL\` lists the workers who fail at least one enabled compliance check,
and \`GET /compliance-matrix?result=FAIL\` says which and why; with \`checkId\`, of one check. A missing type has its card in
\`failingCredentials\`, for example BARRED since 3 October, or none. Both are right at once after each change. To hear of it, subscribe a webhook to
\`worker.complianceChanged\`: it names the worker, the check, both results and the reason, also when a card expires.

**For an auditor**, \`GET /reports/verifications\` has a row for each worker and verifiable credential: name and birth date,
number, day of verification, outcome, expiry, and whether the work is paid. A worker without such a credential has a row
too. With \`Accept: text/csv\`, the answer is a CSV file with all rows; with \`text/html\`, a page to print:

\`\`\`sh
call GET "/reports/verifications?credentialType=WWCC_NSW"
curl -s "$HOST/openapi/v1/reports/verifications" -H "Authorization: Bearer $TOKEN" -H "Accept: text/csv"
\`\`\`

**For a day in the past**, add \`asOf\` to a read of a credential or a worker, or to the compliance matrix:
\`GET /compliance-matrix?workerId=…&asOf=2026-10-03\` tells whether the worker was cleared at the end of 3 October, in the
time zone of the organization. \`GET /workers/{id}?include=credentials&asOf=2026-10-03\` has the cards and verdicts of that
time. Later changes do not alter these answers.

The signature follows [Standard Webhooks](https://www.standardwebhooks.com), so its libraries work too. Failed
deliveries are retried for about three days. \`POST /webhooks/{id}/redrive\` sends them again after that. A webhook that
fails 50 times in a row over 24 hours is disabled. The section *Webhooks* shows each kind of event.
`
