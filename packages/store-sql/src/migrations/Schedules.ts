import type { Migration } from "../engine/Migration.ts"

/**
 * Where the schedule of a verification source stands, or that of the deployment's register, whose `source_id` is empty.
 * The turn began at `turn`. `last_id` is the last credential of the turn that was looked at, or empty. `looked_at` is the
 * time of the last round that wrote the row. Times in milliseconds.
 */
export const schedules: Migration = {
  id: 21,
  name: "schedules",
  statements: ({ integer, tableEnd, text }) => [
    `CREATE TABLE schedule (
      tenant_id ${text} NOT NULL,
      source_id ${text} NOT NULL,
      turn ${integer} NOT NULL,
      last_id ${text} NOT NULL,
      looked_at ${integer} NOT NULL,
      PRIMARY KEY (tenant_id, source_id)
    )${tableEnd}`
  ]
}
