import { bigint, pgTable, text } from "drizzle-orm/pg-core"

const integer = () => bigint({ mode: "number" })

// The columns that the peer reads or writes. Names are those of the database, as in all peers.

export const tenantHost = pgTable("tenant_host", {
  host: text().primaryKey(),
  tenant_id: text().notNull()
})

export const account = pgTable("account", {
  tenant_id: text().notNull(),
  id: text().notNull(),
  role: text().notNull(),
  deactivated_at: integer()
})

export const personalToken = pgTable("personal_token", {
  tenant_id: text().notNull(),
  id: text().notNull(),
  account_id: text().notNull(),
  token_hash: text().notNull(),
  expires_at: integer(),
  revoked_at: integer(),
  last_used_at: integer()
})

export const credential = pgTable("credential", {
  tenant_id: text().notNull(),
  id: text().notNull(),
  version: integer().notNull(),
  created_at: integer().notNull(),
  updated_at: integer().notNull(),
  deleted_at: integer(),
  document: text().notNull(),
  worker_id: text().notNull(),
  applicant_id: text().notNull(),
  credential_type: text().notNull(),
  jurisdiction: text().notNull()
})

const owner = { tenant_id: text().notNull(), id: text().notNull(), deleted_at: integer() }

/** The tables of owners. */
export const owners = { worker: pgTable("worker", owner), applicant: pgTable("applicant", owner) }

export const auditEvent = pgTable("audit_event", {
  tenant_id: text().notNull(),
  id: text().notNull(),
  account: text().notNull(),
  bearer_kind: text(),
  bearer_id: text(),
  operation: text().notNull(),
  action: text().notNull(),
  entity_type: text().notNull(),
  entity_id: text().notNull(),
  request_id: text().notNull(),
  at: integer().notNull()
})

export const subscription = pgTable("subscription", {
  tenant_id: text().notNull(),
  kind: text().notNull(),
  subscriber_id: text().notNull()
})

export const event = pgTable("event", {
  tenant_id: text().notNull(),
  id: text().notNull(),
  kind: text().notNull(),
  subject_id: text().notNull(),
  sequence: integer().notNull(),
  data: text().notNull(),
  credential_type: text(),
  jurisdiction: text(),
  at: integer().notNull(),
  state: text().notNull()
})
