/** Guide: lists. */
export const paging = `# Paging

A list returns \`pageSize\` items, by default 25 and at most 100. \`meta.nextCursor\` leads to the next page. It is null
on the last page:

\`\`\`sh
call POST /workers '{"identity":{"displayName":"Cy Example"}}'
CURSOR=$(call GET "/workers?pageSize=1" | grep -o '"nextCursor":"[^"]*"' | cut -d'"' -f4)
call GET "/workers?pageSize=1&cursor=$CURSOR"
\`\`\`

Send the same filters and the same \`sort\` with each cursor. An unknown parameter is an error, so that a misspelt filter
never returns everything. \`includeTotal=true\` counts the matching items, up to 10,000. \`page\` selects a page by number,
up to row 10,000. To copy a list, and later only its changes, use \`updatedAfter\` and \`sort=updatedAt:asc\`.
`
