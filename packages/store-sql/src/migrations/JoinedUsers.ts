import type { Migration } from "../engine/Migration.ts"

/** Also run by each start, for users that an earlier version wrote. This version sets `joined_at` with a password. */
export const joinUsers = `UPDATE account SET joined_at = created_at, invite_hash = NULL, invite_expires_at = NULL
  WHERE joined_at IS NULL
    AND (password_hash IS NOT NULL OR (tenant_id, id) IN (SELECT tenant_id, account_id FROM sso_subject))`

/**
 * When a user joined, and who made the last invite link. Users with a password or with a login through an identity
 * provider have joined, and their open links end. The maker of older links is unknown, so only a Super Admin renews them.
 */
export const joinedUsers: Migration = {
  id: 3,
  name: "joined users",
  statements: ({ integer, text }) => [
    `ALTER TABLE account ADD COLUMN joined_at ${integer}`,
    `ALTER TABLE account ADD COLUMN invited_by ${text}`,
    joinUsers
  ]
}

/** The worker that a user is, who may not verify the own cards. */
export const linkedUsers: Migration = {
  id: 16,
  name: "linked users",
  statements: ({ text }) => [`ALTER TABLE account ADD COLUMN worker_id ${text}`]
}

/** The day from which everybody who logs in with a password needs an authenticator app; null: none is set. */
export const requiredFactors: Migration = {
  id: 40,
  name: "required factors",
  statements: ({ text }) => [`ALTER TABLE tenant ADD COLUMN second_factor_from ${text}`]
}
