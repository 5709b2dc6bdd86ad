import type { Migration } from "../engine/Migration.ts"

/**
 * The versions that seals of the audit log name. The seals have their digests. Each digest also covers `salt`,
 * which ends with the text of the version: a trigger empties both, so that no erasure can forget it.
 */
export const recordSeals: Migration = {
  id: 29,
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

/** The seals by the last position of their entries: to find the seal of an entry. */
export const sealsByPosition: Migration = {
  id: 30,
  name: "seals by position",
  statements: () => ["CREATE INDEX audit_seal_by_position ON audit_seal (tenant_id, last_position, number)"]
}
