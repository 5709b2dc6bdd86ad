import type { Migration } from "../../engine/Migration.ts"

/**
 * Queues of runs by tenant and kind of credential, in one column: one index step finds the next queue. Rows that an
 * older server still writes form a queue of their own.
 */
export const verificationTurn: Migration = {
  id: 21,
  name: "verification_turn",
  statements: ({ text }) => [
    `ALTER TABLE verification_run ADD COLUMN queue ${text} NOT NULL DEFAULT ''`,
    `UPDATE verification_run SET queue = tenant_id || ' ' || coalesce((SELECT c.credential_type FROM credential AS c
      WHERE c.tenant_id = verification_run.tenant_id AND c.id = verification_run.credential_id), '')`,
    "DROP INDEX verification_run_due",
    "CREATE INDEX verification_run_waiting ON verification_run (queue, due_at) WHERE due_at IS NOT NULL",
    "CREATE INDEX verification_run_claimed ON verification_run (queue, due_at) WHERE lease IS NOT NULL"
  ]
}
