import type { Migration } from "../../engine/Migration.ts"

/**
 * A change of what a person holds looks for the person's open recruitment checks and fetch requests. These indexes hold
 * only open ones, so the lookup costs nothing for a person who has none.
 */
export const openInvitation: Migration = {
  id: 24,
  name: "open_invitation",
  statements: () =>
    [
      ["credentialCheck", "applicant_id"],
      ["captureRequest", "worker_id"]
    ].map(
      ([table, person]) => `CREATE INDEX ${table}_open ON ${table} (tenant_id, ${person}, expiry_date, id)
        WHERE deleted_at IS NULL AND status IN ('INITIATED', 'SENT', 'IN_PROGRESS')`
    )
}
