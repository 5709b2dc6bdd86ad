/**
 * What a move of a tenant does with the rows of a table.
 *
 * - `tenant`: moved. The column `tenant_id` names the tenant.
 * - `directory`: moved, and kept in the first database, where the directory of all hosts is.
 * - `derived`: not moved. The target makes these rows anew.
 * - `shared`: not moved. The rows belong to the database and its processes.
 */
export type TableClass = "tenant" | "directory" | "derived" | "shared"

/** The class of each table by its name in lower case. A test fails if a table of the schema is missing. */
export const tableClasses: Readonly<Record<string, TableClass>> = {
  access_epoch: "derived",
  account: "tenant",
  answer: "tenant",
  answer_access: "tenant",
  answer_link: "tenant",
  applicant: "tenant",
  audit_event: "tenant",
  audit_seal: "tenant",
  ban: "tenant",
  capturerequest: "tenant",
  caretaker: "tenant",
  compliance: "tenant",
  compliance_failure: "tenant",
  compliance_mark: "derived",
  compliancecheck: "tenant",
  credential: "tenant",
  credentialcheck: "tenant",
  delivery: "tenant",
  delivery_exchange: "tenant",
  distinct_worker: "tenant",
  document: "tenant",
  document_piece: "tenant",
  erasure: "tenant",
  event: "tenant",
  exemption: "tenant",
  history_start: "tenant",
  identityprovider: "tenant",
  import: "tenant",
  import_row: "tenant",
  lease: "shared",
  lease_holder: "shared",
  legacy_token: "tenant",
  message: "tenant",
  message_declined: "tenant",
  message_queue: "tenant",
  message_tenant: "tenant",
  migration: "shared",
  note: "tenant",
  note_mention: "tenant",
  oauth_client: "tenant",
  personal_token: "tenant",
  rate_window: "shared",
  receiver: "tenant",
  record_seal: "tenant",
  red_worker: "tenant",
  resource_version: "tenant",
  scan: "tenant",
  schedule: "tenant",
  screeningpackage: "tenant",
  search_word: "tenant",
  second_factor: "tenant",
  session: "tenant",
  signing_key: "shared",
  sso_subject: "tenant",
  sso_ticket: "tenant",
  subscription: "tenant",
  task: "tenant",
  tenant: "directory",
  tenant_fence: "shared",
  tenant_host: "directory",
  tenant_place: "shared",
  unit: "tenant",
  verification: "tenant",
  verification_run: "tenant",
  verificationsource: "tenant",
  warned_tenant: "tenant",
  webhook: "tenant",
  worker: "tenant",
  worker_merge: "tenant"
}

/** The column that names the tenant of a row. */
export const tenantColumnOf = (table: string): "id" | "tenant_id" => (table === "tenant" ? "id" : "tenant_id")

/**
 * Tables without a fence. Workers note their progress in `warned_tenant` for each tenant of the directory, also after the
 * tenant has moved. Every change of the others also writes to a table with a fence.
 */
const unfenced = ["tenant", "tenant_host", "warned_tenant"]

/** Whether writes to a table are refused while its tenant moves. */
export const isFenced = (table: string): boolean => tableClasses[table] === "tenant" && !unfenced.includes(table)
