/** Guide: the two slots of a credential. */
export const ownershipSlots = `# Ownership slots

A credential has two slots: one for a worker, one for an applicant. Each slot is empty or has one owner. At least one
slot is always filled.

| call | the slot is empty | it has the same owner | it has another owner |
|---|---|---|---|
| \`link\` | fills the slot | changes nothing | 409 \`ALREADY_LINKED\` |
| \`unlink\` | changes nothing | empties the slot; 422 if no other owner remains | 409 \`OWNER_MISMATCH\` |
| \`transfer\` | 409 \`OWNER_MISMATCH\` | replaces \`from\` by \`to\` | 409 \`OWNER_MISMATCH\` |

A transfer to an owner that is already there changes nothing. So every ownership call can be repeated safely. On hire,
one transfer moves the credential from the applicant to the worker:

\`\`\`sh
APPLICANT=$(call POST /applicants '{"displayName":"Bo Example","emailAddress":"bo@example.org"}' |
  grep -o 'app_[0-9A-Za-z]*')
HIRED=$(call POST /credentials '{"attributes":{"credentialType":"FIRST_AID","owners":{"applicant":"'$APPLICANT'"}}}' |
  grep -o 'cred_[0-9A-Za-z]*')
call POST /credentials/$HIRED/transfer '{"from":{"type":"applicant","id":"'$APPLICANT'"},
  "to":{"type":"worker","id":"'$WORKER'"}}'
\`\`\`

\`/credentials/link\` and \`/credentials/transfer\` do the same for up to 500 credentials. They answer 200 with one item
for each credential. A \`skipped\` item has its own error. \`GET /credentials/{id}/ownership\` lists every change.
`
