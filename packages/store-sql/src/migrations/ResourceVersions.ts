import type { Trigger } from "../engine/Dialect.ts"
import type { Migration } from "../engine/Migration.ts"

const base = ["tenant_id", "id", "version", "created_at", "updated_at", "deleted_at", "document"]

/** The columns of the owners of a version, each as an expression on a row of the table. */
interface Owners {
  readonly worker_id: string
  readonly applicant_id: string
}

/** The tables with a history, and the owners of their rows. */
const tables: Readonly<Record<string, Owners>> = {
  worker: { worker_id: "id", applicant_id: "" },
  credential: { worker_id: "worker_id", applicant_id: "applicant_id" },
  exemption: { worker_id: "worker_id", applicant_id: "applicant_id" },
  ban: { worker_id: "worker_id", applicant_id: "" },
  complianceCheck: { worker_id: "", applicant_id: "" }
}

const columns = ["kind", "worker_id", "applicant_id", ...base]

/** The values of `columns` for a row of a table. */
const valuesOf = (table: string, { applicant_id, worker_id }: Owners, row: string): string => {
  const owner = (column: string) => (column === "" ? "''" : `${row}.${column}`)
  return [`'${table}'`, owner(worker_id), owner(applicant_id), ...base.map((column) => `${row}.${column}`)].join(", ")
}

const insertInto = `INSERT INTO resource_version (${columns.join(", ")})`

const key = ["tenant_id", "kind", "id", "version"]

/** A row that is changed without a new version, as a repair by hand does, replaces its version. */
const replacing = `ON CONFLICT (${key.join(", ")}) DO UPDATE SET ${columns
  .filter((column) => !key.includes(column))
  .map((column) => `${column} = excluded.${column}`)
  .join(", ")}`

/**
 * The triggers of a table. A version that is only raised, as a lock, is no change. `document` is written with each
 * change, but owners have columns of their own.
 */
const triggersOf = (table: string, owners: Owners): ReadonlyArray<Trigger> => {
  const watched = [
    "document",
    "updated_at",
    "deleted_at",
    ...Object.values(owners).filter((column) => column.endsWith("_id"))
  ]
  const statement = `${insertInto} VALUES (${valuesOf(table, owners, "NEW")}) ${replacing}`
  return [
    { name: `${table}_version_inserted`, table, event: "INSERT", condition: "true", statement },
    {
      name: `${table}_version_changed`,
      table,
      event: `UPDATE OF ${watched.join(", ")}`,
      condition: watched.map((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`).join(" OR "),
      statement
    }
  ]
}

/**
 * Each version of the resources that decide who may work. Triggers write them, so that no write can forget it: neither a
 * server of an earlier version, nor a repair by hand. `history_start` has the time from which the versions of a tenant
 * are complete: its last change before this migration. Tenants without a row have all versions.
 */
export const resourceVersions: Migration = {
  id: 20,
  name: "resource versions",
  statements: ({ integer, tableEnd, text, trigger }) => [
    `CREATE TABLE resource_version (
      tenant_id ${text} NOT NULL,
      kind ${text} NOT NULL,
      id ${text} NOT NULL,
      version ${integer} NOT NULL,
      worker_id ${text} NOT NULL,
      applicant_id ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      updated_at ${integer} NOT NULL,
      deleted_at ${integer},
      document ${text} NOT NULL,
      PRIMARY KEY (${key.join(", ")})
    )${tableEnd}`,
    `CREATE INDEX resource_version_of_worker ON resource_version (tenant_id, worker_id, kind, created_at, id, version)
      WHERE worker_id <> ''`,
    `CREATE INDEX resource_version_of_applicant ON resource_version (tenant_id, applicant_id)
      WHERE applicant_id <> '' AND worker_id = ''`,
    `CREATE TABLE history_start (tenant_id ${text} NOT NULL PRIMARY KEY, known_since ${integer} NOT NULL)${tableEnd}`,
    ...Object.entries(tables).flatMap(([table, owners]) => triggersOf(table, owners).flatMap(trigger)),
    ...Object.entries(tables).map(
      ([table, owners]) => `${insertInto} SELECT ${valuesOf(table, owners, "r")} FROM ${table} AS r`
    ),
    `INSERT INTO history_start (tenant_id, known_since)
      SELECT tenant_id, max(updated_at) FROM resource_version GROUP BY tenant_id`
  ]
}

/**
 * The versions that seals of the audit log name. The seals have their digests. Each digest also covers `salt`,
 * which ends with the text of the version: a trigger empties both, so that no erasure can forget it.
 */
export const recordSeals: Migration = {
  id: 31,
  name: "record seals",
  statements: ({ integer, tableEnd, text, trigger }) => [
    `CREATE TABLE record_seal (
      tenant_id ${text} NOT NULL,
      kind ${text} NOT NULL,
      id ${text} NOT NULL,
      version ${integer} NOT NULL,
      number ${integer} NOT NULL,
      salt ${text} NOT NULL,
      PRIMARY KEY (tenant_id, kind, id, version)
    )${tableEnd}`,
    ...trigger({
      name: "record_seal_erased",
      table: "resource_version",
      event: "UPDATE OF document",
      condition: "NEW.document = ''",
      statement: `UPDATE record_seal SET salt = '' WHERE tenant_id = NEW.tenant_id AND kind = NEW.kind
        AND id = NEW.id AND version = NEW.version`
    })
  ]
}

/**
 * Tables whose versions only the audit log reads, for the fields that a change changed. Nothing about people: there is no
 * erasure of an applicant alone.
 */
const audited: Readonly<Record<string, Owners>> = {
  screeningPackage: { worker_id: "", applicant_id: "" },
  unit: { worker_id: "", applicant_id: "" }
}

/** Versions of further tables. No seal has them, and `history_start` does not tell of them. */
export const auditedVersions: Migration = {
  id: 39,
  name: "audited versions",
  statements: ({ trigger }) => [
    ...Object.entries(audited).flatMap(([table, owners]) => triggersOf(table, owners).flatMap(trigger)),
    ...Object.entries(audited).map(
      ([table, owners]) => `${insertInto} SELECT ${valuesOf(table, owners, "r")} FROM ${table} AS r`
    )
  ]
}

/** The seals by the last position of their entries: to find the seal of an entry. */
export const sealsByPosition: Migration = {
  id: 32,
  name: "seals by position",
  statements: () => ["CREATE INDEX audit_seal_by_position ON audit_seal (tenant_id, last_position, number)"]
}

/** The versions of a record by the time of their change: to find what an audit entry changed. */
export const versionsByTime: Migration = {
  id: 41,
  name: "versions by time",
  statements: () => ["CREATE INDEX resource_version_by_time ON resource_version (tenant_id, kind, id, updated_at)"]
}
