import type { Migration } from "../engine/Migration.ts"

/** The tables whose rows are searched by words. */
const searchedTables = [
  "worker",
  "applicant",
  "credential",
  "webhook",
  "screeningPackage",
  "complianceCheck",
  "account"
] as const

/**
 * What the words of a row were computed from, which `words_of` repeats: the checksum of the document, or a user's names
 * (an email never changes). `row` is the prefix of the columns.
 */
export const wordsSource = (table: string, row = ""): string =>
  table === "account" ? `(${row}first_name || ' ' || ${row}surname)` : `${row}checksum`

/** Whether the words of a row are missing or out of date. Must match the predicate of the index `<table>_unsearched`. */
export const isUnsearched = (table: string, row = ""): string =>
  `${row}words_of IS DISTINCT FROM ${wordsSource(table, row)}`

/**
 * The words by which rows are found. `words` of a row has them all, each after a space. A migration cannot compute
 * them, and an earlier version that still runs changes rows without them. Such rows differ in `words_of`, and
 * `SearchFill.ts` fills them. `card` of a scan, the form by which card numbers are compared, is null until then: a
 * scan's number never changes.
 */
export const searchTables: Migration = {
  id: 4,
  name: "search words",
  statements: ({ integer, tableEnd, text }) => [
    `CREATE TABLE search_word (
      tenant_id ${text} NOT NULL,
      kind ${text} NOT NULL,
      word ${text} NOT NULL,
      id ${text} NOT NULL,
      PRIMARY KEY (tenant_id, kind, word, id)
    )${tableEnd}`,
    `ALTER TABLE scan ADD COLUMN card ${text}`,
    ...searchedTables.flatMap((table) => [
      `ALTER TABLE ${table} ADD COLUMN words ${text}`,
      `ALTER TABLE ${table} ADD COLUMN words_of ${table === "account" ? text : integer}`
    ])
  ]
}

/** One migration for each table, since an index blocks the writes to its table until the migration ends. */
export const searchIndexes: ReadonlyArray<Migration> = [
  ...searchedTables.map((table) => ({
    name: `unsearched rows of ${table}`,
    statements: () => [`CREATE INDEX ${table}_unsearched ON ${table} (tenant_id, id) WHERE ${isUnsearched(table)}`]
  })),
  {
    name: "card numbers of scan",
    statements: () => [
      "CREATE INDEX scan_of_card ON scan (tenant_id, card, position)",
      "CREATE INDEX scan_unsearched ON scan (tenant_id, position) WHERE card IS NULL"
    ]
  }
].map((index, n) => ({ ...index, id: searchTables.id + 1 + n }))
