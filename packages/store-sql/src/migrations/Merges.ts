import type { Migration } from "../engine/Migration.ts"

/**
 * Merges of workers, and pairs of workers who are not the same person, the lower id first. `moved` is JSON: the rows that
 * the merge has moved.
 *
 * `name_key` is the key by which people with the same name and birth date are found. A migration cannot compute it, so it
 * marks the search words of all workers as out of date, and `SearchFill.ts` computes both.
 */
export const merges: Migration = {
  id: 29,
  name: "merges",
  statements: ({ byTenant, integer, tableEnd, tenantPosition, text }) => [
    `CREATE TABLE worker_merge (
      ${tenantPosition},
      id ${text} NOT NULL,
      worker_id ${text} NOT NULL,
      from_id ${text} NOT NULL,
      status ${text} NOT NULL,
      account ${text} NOT NULL,
      request_id ${text} NOT NULL,
      merged_at ${integer} NOT NULL,
      undone_at ${integer},
      moved ${text} NOT NULL,
      UNIQUE (tenant_id, id)
    )${tableEnd}`,
    ...byTenant("worker_merge"),
    ...["worker_id", "from_id", "status"].map(
      (column) => `CREATE INDEX worker_merge_of_${column} ON worker_merge (tenant_id, ${column}, position)`
    ),
    `CREATE TABLE distinct_worker (
      tenant_id ${text} NOT NULL,
      worker_id ${text} NOT NULL,
      other_id ${text} NOT NULL,
      PRIMARY KEY (tenant_id, worker_id, other_id)
    )${tableEnd}`,
    `ALTER TABLE worker ADD COLUMN name_key ${text} NOT NULL DEFAULT ''`,
    "UPDATE worker SET words_of = NULL"
  ]
}

/** The workers by name and birth date. */
export const workersByName: Migration = {
  id: 30,
  name: "workers by name",
  statements: () => ["CREATE INDEX worker_of_name_key ON worker (tenant_id, name_key, created_at, id)"]
}

/** The users of a worker. */
export const usersOfWorkers: Migration = {
  id: 36,
  name: "users of workers",
  statements: () => ["CREATE INDEX account_of_worker ON account (tenant_id, worker_id) WHERE worker_id IS NOT NULL"]
}
