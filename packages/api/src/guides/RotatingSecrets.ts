/** Guide: replacing secrets without an interruption. */
export const rotatingSecrets = `# Rotating secrets

**Signing secret of a webhook.** Rotate the secret, then give the new one to your receiver. For 24 hours, deliveries
have a signature by each of the two secrets, so the receiver can change at any time in between:

\`\`\`sh
call POST /webhooks/$WEBHOOK/rotate
\`\`\`

**Personal token.** Create a new token with \`POST /access-tokens\`, switch your programs, then delete the old token.
Both work until then.

**Client secret.** A client has one secret for its whole life. Create a new client in the console, switch your programs,
then delete the old client. Its tokens end within a second. A lost secret cannot be shown again.

\`cascade=true\` on the deletion of a token or client also revokes everything that was created with it. Use it after a
leak.
`
