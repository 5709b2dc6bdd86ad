import type { Migration } from "../../engine/Migration.ts"

/**
 * Indexes a person's open recruitment checks and fetch requests, which each change of the person's holdings looks up.
 * The lookup costs nothing for a person without open ones.
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
