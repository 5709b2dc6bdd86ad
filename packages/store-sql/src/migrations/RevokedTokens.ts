import type { Migration } from "../engine/Migration.ts"

/** Also run by each start, for users whom an earlier version deactivated. This version revokes their tokens itself. */
export const revokeTokens = `UPDATE personal_token SET revoked_at = a.deactivated_at FROM account AS a
  WHERE a.tenant_id = personal_token.tenant_id AND a.id = personal_token.account_id
    AND a.deactivated_at IS NOT NULL AND personal_token.revoked_at IS NULL`

/** Ends the personal tokens of deactivated users, which would otherwise work again once the users are activated. */
export const revokedTokens: Migration = {
  id: 13,
  name: "revoked tokens",
  statements: () => [revokeTokens]
}
