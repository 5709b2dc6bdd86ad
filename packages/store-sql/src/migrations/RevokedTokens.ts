import type { Migration } from "../engine/Migration.ts"

/** Ends the personal tokens of deactivated users, which would otherwise work again once the users are activated. */
export const revokedTokens: Migration = {
  id: 5,
  name: "revoked tokens",
  statements: () => [
    `UPDATE personal_token SET revoked_at = (SELECT a.deactivated_at FROM account AS a
        WHERE a.tenant_id = personal_token.tenant_id AND a.id = personal_token.account_id)
      WHERE revoked_at IS NULL AND EXISTS (SELECT 1 FROM account AS a
        WHERE a.tenant_id = personal_token.tenant_id AND a.id = personal_token.account_id
        AND a.deactivated_at IS NOT NULL)`
  ]
}
