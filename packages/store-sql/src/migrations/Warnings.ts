import type { Migration } from "../engine/Migration.ts"

/**
 * How far each tenant was warned of cards that expire. `round_up_to`, `last_date` and `last_id` are null, or say where a
 * round stands that has not ended.
 */
export const warnings: Migration = {
  id: 17,
  name: "warnings",
  statements: ({ tableEnd, text }) => [
    `CREATE TABLE warned_tenant (
      tenant_id ${text} NOT NULL PRIMARY KEY,
      through ${text} NOT NULL,
      round_up_to ${text},
      last_date ${text},
      last_id ${text}
    )${tableEnd}`
  ]
}
