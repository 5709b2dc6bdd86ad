import type { Migration } from "../engine/Migration.ts"

/**
 * Documents of records, and their encrypted content in pieces, as base64. `bytes` counts in the space of the tenant while
 * a document is UPLOADING or STORED. `worker_id` and `applicant_id` are of the upload, '' for none. `deleted_at` is null
 * unless somebody deleted the document. `document` is JSON.
 */
export const documents: Migration = {
  id: 43,
  name: "documents",
  statements: ({ byTenant, integer, tableEnd, tenantPosition, text }) => [
    `CREATE TABLE document (
      ${tenantPosition},
      id ${text} NOT NULL,
      owner_type ${text} NOT NULL,
      owner_id ${text} NOT NULL,
      worker_id ${text} NOT NULL,
      applicant_id ${text} NOT NULL,
      status ${text} NOT NULL,
      bytes ${integer} NOT NULL,
      sealed_key ${text} NOT NULL,
      created_at ${integer} NOT NULL,
      deleted_at ${integer},
      document ${text} NOT NULL,
      UNIQUE (tenant_id, id)
    )${tableEnd}`,
    ...byTenant("document"),
    `CREATE INDEX document_of_owner ON document (tenant_id, owner_type, owner_id, position)
      WHERE status IN ('UPLOADING', 'STORED')`,
    `CREATE INDEX document_trace ON document (tenant_id, owner_type, owner_id, deleted_at)
      WHERE deleted_at IS NOT NULL`,
    "CREATE INDEX document_of_worker_id ON document (tenant_id, worker_id) WHERE worker_id <> ''",
    "CREATE INDEX document_of_applicant_id ON document (tenant_id, applicant_id) WHERE applicant_id <> ''",
    "CREATE INDEX document_kept ON document (tenant_id, bytes) WHERE status IN ('UPLOADING', 'STORED')",
    "CREATE INDEX document_ending ON document (created_at) WHERE status IN ('UPLOADING', 'DELETING', 'ENDED')",
    `CREATE TABLE document_piece (
      tenant_id ${text} NOT NULL,
      document_id ${text} NOT NULL,
      piece ${integer} NOT NULL,
      content ${text} NOT NULL,
      PRIMARY KEY (tenant_id, document_id, piece)
    )${tableEnd}`
  ]
}
