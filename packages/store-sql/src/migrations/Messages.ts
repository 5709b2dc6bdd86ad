import type { Migration } from "../engine/Migration.ts"
import { documentTable } from "./DocumentTable.ts"

/**
 * The outbox. `message_queue` has the messages that have not ended: `due_at` is when the next attempt is due, or when a
 * running one counts as lost. `red_worker` has the workers whose kept compliance
 * went from PASS to FAIL: since the last round of their tenant (`day` is ''), or before the round of a day. The trigger
 * writes nothing for a tenant without messages.
 */
export const messages: Migration = {
  id: 42,
  name: "messages",
  statements: (types) => {
    const { integer, tableEnd, text, trigger } = types
    return [
      ...documentTable(types, {
        table: "message",
        columns: ["kind", "state", "recipient_id"],
        by: [],
        of: ["kind", "state", "recipient_id"]
      }),
      `CREATE TABLE message_queue (
        tenant_id ${text} NOT NULL,
        id ${text} NOT NULL,
        due_at ${integer} NOT NULL,
        PRIMARY KEY (tenant_id, id)
      )${tableEnd}`,
      "CREATE INDEX message_queue_by_due_at ON message_queue (due_at)",
      `CREATE TABLE message_tenant (
        tenant_id ${text} NOT NULL PRIMARY KEY,
        enabled ${integer} NOT NULL,
        last_day ${text} NOT NULL,
        document ${text} NOT NULL
      )${tableEnd}`,
      `CREATE TABLE message_declined (
        tenant_id ${text} NOT NULL,
        account_id ${text} NOT NULL,
        kind ${text} NOT NULL,
        PRIMARY KEY (tenant_id, account_id, kind)
      )${tableEnd}`,
      `CREATE TABLE red_worker (
        tenant_id ${text} NOT NULL,
        day ${text} NOT NULL,
        worker_id ${text} NOT NULL,
        PRIMARY KEY (tenant_id, day, worker_id)
      )${tableEnd}`,
      ...trigger({
        name: "worker_became_red",
        table: "worker",
        event: "UPDATE OF compliance",
        condition: "OLD.compliance = 'PASS' AND NEW.compliance = 'FAIL'",
        statement: `INSERT INTO red_worker (tenant_id, day, worker_id) SELECT m.tenant_id, '', NEW.id
          FROM message_tenant AS m WHERE m.tenant_id = NEW.tenant_id AND m.enabled = 1 ON CONFLICT DO NOTHING`
      })
    ]
  }
}

/**
 * Messages to workers and applicants: what each is about, and its cause, of which a recipient has one of each kind. No
 * release has stored messages before.
 */
export const personalMessages: Migration = {
  id: 44,
  name: "personal_messages",
  statements: ({ text }) => [
    "DELETE FROM message_queue",
    "DELETE FROM message",
    `ALTER TABLE message ADD COLUMN about_id ${text} NOT NULL DEFAULT ''`,
    `ALTER TABLE message ADD COLUMN cause ${text} NOT NULL DEFAULT ''`,
    "CREATE UNIQUE INDEX message_once ON message (tenant_id, (recipient_id || ' ' || kind || ' ' || cause))"
  ]
}

/** Codes and requests go first, and tenants in turn. A server of the release before queues all with the last priority. */
export const messagePriorities: Migration = {
  id: 54,
  name: "message_priorities",
  statements: ({ integer }) => [
    `ALTER TABLE message_queue ADD COLUMN priority ${integer} NOT NULL DEFAULT 2`,
    ...["REQUEST_CODE", "REQUEST"].map(
      (kind, priority) => `UPDATE message_queue SET priority = ${priority} WHERE EXISTS (SELECT 1 FROM message AS r
        WHERE r.tenant_id = message_queue.tenant_id AND r.id = message_queue.id AND r.kind = '${kind}')`
    )
  ]
}

export const messagesByPriority: Migration = {
  id: 55,
  name: "messages_by_priority",
  statements: () => ["CREATE INDEX message_queue_waiting ON message_queue (tenant_id, priority, due_at, id)"]
}

/** People whom no message reaches: `true`, otherwise null, so that the indexes have only these people. */
export const unreachablePeople: Migration = {
  id: 56,
  name: "unreachable_people",
  statements: ({ text }) =>
    ["worker", "applicant"].map((table) => `ALTER TABLE ${table} ADD COLUMN unreachable ${text}`)
}

const reachIndex = (table: string): string =>
  `CREATE INDEX ${table}_of_unreachable ON ${table} (tenant_id, unreachable, created_at, id) WHERE unreachable IS NOT NULL`

export const workersByReach: Migration = {
  id: 57,
  name: "workers_by_reach",
  statements: () => [reachIndex("worker")]
}

export const applicantsByReach: Migration = {
  id: 58,
  name: "applicants_by_reach",
  statements: () => [reachIndex("applicant")]
}

export const indexesOfPersonalMessages: Migration = {
  id: 45,
  name: "indexes_of_personal_messages",
  statements: () => [
    "CREATE INDEX message_of_about_id ON message (tenant_id, about_id, created_at, id)",
    "CREATE INDEX message_of_cause ON message (tenant_id, cause, created_at, id)"
  ]
}
