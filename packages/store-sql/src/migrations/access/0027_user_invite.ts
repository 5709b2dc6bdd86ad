import type { Migration } from "../../engine/Migration.ts"

/** Invite links of users, and an index of active Super Admins. */
export const userInvite: Migration = {
  id: 27,
  name: "user_invite",
  statements: ({ integer, text }) => [
    `ALTER TABLE account ADD COLUMN invite_hash ${text}`,
    `ALTER TABLE account ADD COLUMN invite_expires_at ${integer}`,
    "CREATE INDEX account_of_invite ON account (tenant_id, invite_hash) WHERE invite_hash IS NOT NULL",
    `CREATE INDEX account_super_admin ON account (tenant_id, position)
      WHERE role = '"Super Admin"' AND kind = 'user' AND deactivated_at IS NULL`
  ]
}
