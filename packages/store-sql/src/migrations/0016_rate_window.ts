import type { Migration } from "../engine/Migration.ts"

/** Rate-limit windows of processes that share the store. A crash may lose counts. */
export const rateWindow: Migration = {
  id: 16,
  name: "rate_window",
  statements: ({ createPassingTable, integer, tableEnd, text }) => [
    `${createPassingTable} rate_window (
      tier ${text} NOT NULL,
      key ${text} NOT NULL,
      started_at ${integer} NOT NULL,
      ends_at ${integer} NOT NULL,
      used ${integer} NOT NULL,
      granted ${integer} NOT NULL,
      PRIMARY KEY (tier, key)
    )${tableEnd}`,
    "CREATE INDEX rate_window_by_end ON rate_window (ends_at)"
  ]
}
