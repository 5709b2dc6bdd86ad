import type { Migration } from "../engine/Migration.ts"

/** The tables whose rows are searched by words. */
export const searchedTables = [
  "worker",
  "applicant",
  "credential",
  "webhook",
  "screeningPackage",
  "complianceCheck",
  "account"
] as const

/**
 * The words by which rows are found. `words` of a row has them all, each after a space. It is null until they are
 * computed: `SearchFill.ts` fills rows of earlier versions, and an earlier version that still runs leaves it null. The
 * same holds for `card` of a scan, the form by which card numbers are compared.
 */
export const searchTables: Migration = {
  id: 4,
  name: "search words",
  statements: ({ tableEnd, text }) => [
    `CREATE TABLE search_word (
      tenant_id ${text} NOT NULL,
      kind ${text} NOT NULL,
      word ${text} NOT NULL,
      id ${text} NOT NULL,
      PRIMARY KEY (tenant_id, kind, word, id)
    )${tableEnd}`,
    `ALTER TABLE scan ADD COLUMN card ${text}`,
    "CREATE INDEX scan_of_card ON scan (tenant_id, card, position)",
    "CREATE INDEX scan_unsearched ON scan (tenant_id, position) WHERE card IS NULL",
    ...searchedTables.flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN words ${text}`,
      `CREATE INDEX ${table}_unsearched ON ${table} (tenant_id, id) WHERE words IS NULL`
    ])
  ]
}
