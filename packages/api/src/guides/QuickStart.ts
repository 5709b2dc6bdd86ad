/** Guide: from a client secret to a verified credential. */
export const quickStart = `# Quick start

You need the address of your tenant and an API client. A Super Admin creates the client in the console, under
*API clients*, and sees the secret once. Set them in your shell:

    HOST=https://tenant.example.org  CLIENT_ID=wcs_oauth_…  CLIENT_SECRET=wcs_secret_…

Exchange the secret for a token. The token is valid for \`expires_in\` seconds. Request a new one when it expires.

\`\`\`sh
TOKEN=$(curl -s "$HOST/openapi/v1/oauth/token" -d grant_type=client_credentials \\
  -d client_id="$CLIENT_ID" -d client_secret="$CLIENT_SECRET" | grep -o 'ey[^"]*')
call() { curl -s -X "$1" "$HOST/openapi/v1$2" -H "Authorization: Bearer $TOKEN" \\
  \${3:+-H "Content-Type: application/json" -d "$3"}; echo; }
\`\`\`

Create a worker with the id of your own system. Later, find the worker by that id:

\`\`\`sh
WORKER=$(call POST /workers '{"identity":{"displayName":"Ann Example"},"source":{"externalId":"hr-4711"}}' |
  grep -o 'wkr_[0-9A-Za-z]*')
call GET "/workers?externalId=hr-4711"
\`\`\`

Create a credential of the worker. The service asks the register for a verdict immediately, with the name and the birth date
on the card:

\`\`\`sh
CREDENTIAL=$(call POST /credentials '{"attributes":{"credentialType":"WWCC_NSW","identifier":"WWC1234567E",
  "holder":{"lastName":"Example","birthDate":"1990-04-01"},"owners":{"worker":"'$WORKER'"}}}' | grep -o 'cred_[0-9A-Za-z]*')
call GET /credentials/$CREDENTIAL
\`\`\`

\`eligibility\` is \`IN_PROGRESS\` until the register has answered. \`MAY_ENGAGE\` is the only clearance.
`
