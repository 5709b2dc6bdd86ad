import type { Migration } from "@wcs/store-sql/engine/Migration"
import { migrations } from "@wcs/store-sql/engine/Migrations"

/** A migration of a later program. */
export const named = (name: string, ...statements: ReadonlyArray<string>): Migration => ({
  id: migrations.length + 1,
  name,
  statements: () => statements
})

/** The migrations of a later program: one more, which changes and fills tables on either engine. */
export const withLater: ReadonlyArray<Migration> = [
  ...migrations,
  {
    ...named("later"),
    statements: ({ integer, tableEnd, text }) => [
      `CREATE TABLE extra (id ${text} NOT NULL PRIMARY KEY)${tableEnd}`,
      "INSERT INTO extra (id) VALUES ('one'), ('two')",
      `ALTER TABLE worker ADD COLUMN extra ${integer}`,
      "CREATE INDEX worker_of_extra ON worker (tenant_id, extra, id)"
    ]
  }
]
