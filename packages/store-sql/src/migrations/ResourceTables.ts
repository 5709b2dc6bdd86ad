import type { ColumnTypes } from "../engine/Dialect.ts"
import { type DocumentTable, documentTable } from "./DocumentTable.ts"

const people: ReadonlyArray<DocumentTable> = [
  {
    table: "worker",
    columns: ["external_id", "source_system", "display_name", "last_name"],
    by: ["external_id", "display_name", "last_name"],
    of: ["source_system"]
  },
  {
    table: "applicant",
    columns: ["external_id", "source_system", "display_name", "last_name", "email_address", "status"],
    by: ["external_id", "display_name", "last_name", "email_address"],
    of: ["source_system", "status"]
  }
]

const holdings: ReadonlyArray<DocumentTable> = [
  {
    table: "credential",
    columns: [
      "worker_id",
      "applicant_id",
      "credential_type",
      "jurisdiction",
      "identifier",
      "eligibility",
      "expiry_date"
    ],
    by: ["credential_type", "expiry_date"],
    of: ["worker_id", "applicant_id", "credential_type", "jurisdiction", "identifier", "eligibility"]
  },
  {
    table: "exemption",
    columns: ["worker_id", "applicant_id", "exemption_type", "jurisdiction", "issue_date", "expiry_date"],
    by: ["issue_date", "expiry_date"],
    of: ["worker_id", "applicant_id", "exemption_type", "jurisdiction"]
  },
  {
    table: "ban",
    columns: ["worker_id", "register", "eligibility", "checked_at"],
    by: ["checked_at"],
    of: ["worker_id", "register", "eligibility"]
  }
]

/** Resources that are named by their code. */
const codes: ReadonlyArray<DocumentTable> = [
  { table: "screeningPackage", columns: ["name", "active"], by: ["name"], of: ["active"] },
  {
    table: "complianceCheck",
    columns: ["display_name", "severity", "enabled"],
    by: ["display_name"],
    of: ["severity", "enabled"]
  }
]

/** Requests with a deadline in days. */
const requests: ReadonlyArray<DocumentTable> = [
  {
    table: "credentialCheck",
    columns: ["applicant_id", "screening_package_code", "status", "expiry_date"],
    by: ["expiry_date"],
    of: ["applicant_id", "screening_package_code", "status"]
  },
  {
    table: "captureRequest",
    columns: ["worker_id", "status", "expiry_date"],
    by: ["expiry_date"],
    of: ["worker_id", "status"]
  }
]

/**
 * Indexes a person's open requests, which each change of the person's holdings looks up. The lookup costs nothing for a
 * person without open ones.
 */
const openRequests = (table: string, person: string): string =>
  `CREATE INDEX ${table}_open ON ${table} (tenant_id, ${person}, expiry_date, id)
    WHERE deleted_at IS NULL AND status IN ('INITIATED', 'SENT', 'IN_PROGRESS')`

/** Indexes a person's credentials by type, because a decision reads the newest ones of each type that it needs. */
const heldCredentials = (person: string): string =>
  `CREATE INDEX credential_held_by_${person} ON credential (tenant_id, ${person}, credential_type, created_at, id)
    WHERE deleted_at IS NULL AND ${person} <> ''`

export const resourceTables = (types: ColumnTypes): ReadonlyArray<string> => [
  ...[...people, ...holdings, ...codes, ...requests].flatMap((table) => documentTable(types, table)),
  heldCredentials("worker_id"),
  heldCredentials("applicant_id"),
  openRequests("credentialCheck", "applicant_id"),
  openRequests("captureRequest", "worker_id")
]
