/** The columns of text that an erasure removes a person's words from. The names of tables are in lower case. */
export const erasedColumns: Readonly<Record<string, ReadonlyArray<string>>> = {
  answer: ["document"],
  applicant: ["external_id", "source_system", "display_name", "last_name", "email_address", "document", "words"],
  ban: ["document"],
  capturerequest: ["document"],
  credential: ["identifier", "document", "words"],
  credentialcheck: ["document"],
  delivery: ["last_response"],
  document: ["sealed_key", "document"],
  document_piece: ["content"],
  delivery_exchange: ["response_headers", "response_body"],
  exemption: ["document"],
  import: ["document"],
  import_row: ["cells", "fault", "before", "id_key", "name_key"],
  message: ["document"],
  note: ["text"],
  record_seal: ["salt"],
  resource_version: ["document"],
  scan: ["identifier", "first_name", "surname", "card"],
  search_word: ["word"],
  verification: ["notice_reference"],
  worker: ["external_id", "source_system", "display_name", "last_name", "name_key", "document", "words"]
}

/** Columns of ids, codes and days, in any table. */
const codes: ReadonlyArray<string> = [
  ...["tenant_id", "id", "worker_id", "applicant_id", "credential_id", "account_id", "webhook_id", "event_id"],
  ...[
    "subject_id",
    "provider_id",
    "subscriber_id",
    "source_id",
    "client_id",
    "last_id",
    "assignee_id",
    "first_id",
    "unit_id",
    "parent_id",
    "request_id",
    "correlation_id"
  ],
  ...["account", "kind", "status", "state", "reason", "credential_type", "jurisdiction", "eligibility", "expiry_date"],
  ...["traceparent", "created_by_account", "created_by_bearer_kind", "created_by_bearer_id"]
]

/** Other columns that an erasure keeps: verdicts, events of ids, and what is not about workers and applicants. */
const kept: Readonly<Record<string, ReadonlyArray<string>>> = {
  account: [
    ...["email", "role", "rate_limit", "first_name", "surname", "password_hash", "invite_hash", "invited_by", "words"],
    "words_of"
  ],
  answer_access: ["request_id", "document"],
  answer_link: ["link_hash"],
  audit_event: [
    ...["bearer_kind", "bearer_id", "operation", "action", "entity_type", "entity_id"],
    ...["worker_before", "applicant_before", "worker_after", "applicant_after"]
  ],
  audit_seal: ["entries_hash", "contents", "previous_hash", "signature"],
  applicant: ["unreachable"],
  ban: ["register", "checked_at"],
  compliance: ["through", "document"],
  compliance_failure: ["check_id"],
  compliance_mark: ["cause"],
  compliancecheck: ["display_name", "severity", "enabled", "document", "words"],
  credentialcheck: ["screening_package_code"],
  delivery: ["attempts", "body"],
  document: ["owner_type", "owner_id"],
  document_piece: ["document_id"],
  delivery_exchange: ["delivery_id", "request_headers"],
  distinct_worker: ["other_id"],
  erasure: ["due_on"],
  event: ["data"],
  exemption: ["exemption_type", "issue_date"],
  identityprovider: ["name", "active", "document"],
  import_row: ["import_id", "outcome", "tag"],
  lease: ["held_by"],
  message: ["recipient_id", "about_id", "cause"],
  message_tenant: ["last_day", "document"],
  migration: ["name"],
  caretaker: ["person_id"],
  note: ["about_id", "person_id", "mentions"],
  note_mention: ["note_id"],
  oauth_client: ["name", "secret_hash", "secret_last_four"],
  personal_token: ["name", "token_hash", "last_four"],
  rate_window: ["tier", "key"],
  receiver: ["last_failure"],
  red_worker: ["day"],
  scan: ["outcome"],
  screeningpackage: ["name", "active", "document", "words"],
  second_factor: ["sealed_seed", "recovery_hashes", "failures"],
  session: ["token_hash", "method", "user_agent"],
  signing_key: ["kid", "use", "sealed_private_key"],
  sso_subject: ["subject"],
  sso_ticket: ["ticket_key"],
  task: ["document"],
  tenant: ["name", "abn", "time_zone", "second_factor_from"],
  tenant_fence: ["claim"],
  tenant_host: ["host"],
  tenant_place: ["cell", "other", "step", "claim"],
  unit: ["name", "external_id", "document"],
  verification: ["triggered_by", "status_detail", "error_message", "notice_issued_on"],
  verification_run: ["queue"],
  verificationsource: ["document"],
  warned_tenant: ["through", "round_up_to", "last_date"],
  webhook: ["name", "document", "words"],
  worker: ["compliance", "unreachable"],
  worker_merge: ["from_id", "moved"]
}

/** A column of a table that is not of numbers. */
export interface TextColumn {
  readonly table: string
  readonly column: string
}

const isIn = (lists: Readonly<Record<string, ReadonlyArray<string>>>, { column, table }: TextColumn): boolean =>
  lists[table]?.includes(column) === true

/** The columns for which nobody has decided whether an erasure removes them, or that have gone. */
export const undecided = (columns: ReadonlyArray<TextColumn>): ReadonlyArray<string> => {
  const listed = [erasedColumns, kept].flatMap((lists) =>
    Object.entries(lists).flatMap(([table, names]) => names.map((column) => ({ table, column })))
  )
  const gone = listed.filter(
    (one) => !columns.some(({ column, table }) => column === one.column && table === one.table)
  )
  const unknown = columns.filter((one) => !isIn(erasedColumns, one) && !isIn(kept, one) && !codes.includes(one.column))
  return [...unknown, ...gone].map(({ column, table }) => `${table}.${column}`)
}
