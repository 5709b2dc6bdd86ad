/** Guide: lists, and copies that follow the changes. */
export const paging = `# Paging and copies

A list returns \`pageSize\` items, by default 25 and at most 100. \`meta.nextCursor\` leads to the next page. It is null
on the last page:

\`\`\`sh
call POST /workers '{"identity":{"displayName":"Cy Example"}}'
CURSOR=$(call GET "/workers?pageSize=1" | grep -o '"nextCursor":"[^"]*"' | cut -d'"' -f4)
call GET "/workers?pageSize=1&cursor=$CURSOR"
\`\`\`

Send the same filters and the same \`sort\` with each cursor. An unknown parameter is an error, so that a misspelt filter
never returns everything. \`includeTotal=true\` counts the matching items, up to 10,000. \`page\` selects a page by number,
up to row 10,000.

**To keep a copy**, follow \`GET /changes\`. It names each changed row, in an order that never changes:

1. Get a position, **before** you copy anything: \`GET /changes?after=now\`. Store \`meta.position\`.
2. Copy each list that you need, by cursor, in the default order. Deleted items come with \`includeDeleted=true\`.
3. Call \`GET /changes\` with \`after\` set to the stored position. Read each row that \`data\` names, by its id and with
   \`includeDeleted=true\`, and replace the row of your copy. A 404 means that the row is gone.
4. Store the new \`meta.position\` together with the rows. If \`meta.hasMore\` is true, repeat step 3 at once, otherwise
   after a few seconds.

\`\`\`sh
POSITION=$(call GET "/changes?after=now" | grep -o '"position":"[^"]*"' | cut -d'"' -f4)
call PATCH /workers/$WORKER '{"employment":{"jobTitle":"Nurse"}}'
call GET "/changes?after=$POSITION"
\`\`\`

- You see the changes of the types that you may READ. Changes of tasks also need READ of credentials, workers and
  verification sources. If you get a new privilege, copy its list from step 1.
- The same row can appear several times. Read it once for each page. \`version\` is the present version, not the one of
  the change.
- Positions never expire. A 410 \`POSITION_UNKNOWN\` means that the store was restored from an older backup: begin again
  with step 1.
- Values that depend on the date change without an entry: an expired credential, exemption or request, and the end of a
  token. Compute these from the dates. Times of last use (\`lastUsedAt\`, \`seenAt\`) have no entries either.
- Sessions and tokens that end together have no entries of their own. The entry of the act stands for them: of a user who
  is deactivated or changes the password, a \`reset\` of a second factor, a \`step up\`, which replaces a session, or
  \`revoke all\`, whose \`entityId\` is the user or the identity provider. Read the lists of sessions and tokens again.
- \`after=now\` gives the newest settled position. It can be older than the present moment while a transaction is open, so
  the next page can name changes that you have already copied.

Do not copy by \`updatedAfter\`, or by \`from\` of the audit events. They compare the time of a request, but rows appear
when the request is committed. A row can appear after you have read later times. Use these filters to search, and
changes to copy.
`
