import type { Migration } from "../engine/Migration.ts"

/**
 * Where the schedule of a verification source stands. The turn began at `turn`, in milliseconds. `last_id` is the last
 * credential of the turn that was looked at, or empty.
 */
export const schedules: Migration = {
  id: 19,
  name: "schedules",
  statements: ({ integer, tableEnd, text }) => [
    `CREATE TABLE schedule (
      tenant_id ${text} NOT NULL,
      source_id ${text} NOT NULL,
      turn ${integer} NOT NULL,
      last_id ${text} NOT NULL,
      PRIMARY KEY (tenant_id, source_id)
    )${tableEnd}`
  ]
}
