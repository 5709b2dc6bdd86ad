import type { Migration } from "../../engine/Migration.ts"

/** Counts writes that affect tokens' validity, for processes that share the store. */
export const accessEpoch: Migration = {
  id: 15,
  name: "access_epoch",
  statements: ({ integer, tableEnd }) => [
    `CREATE TABLE access_epoch (id ${integer} NOT NULL PRIMARY KEY, writes ${integer} NOT NULL)${tableEnd}`,
    "INSERT INTO access_epoch (id, writes) VALUES (1, 0)"
  ]
}
