import type { Trigger } from "../engine/Dialect.ts"
import type { Migration } from "../engine/Migration.ts"
import { documentTable } from "./DocumentTable.ts"

const failed = "state IN ('REFUSED', 'AWAY', 'NOT_CONFIGURED')"

/** The task about a source, from a row of its table. */
const opened = (row: string) => `'tsk_' || substr(${row}.id, 5), 1, ${row}.updated_at, ${row}.updated_at, NULL,
  'SOURCE_FAILED', '', '', '{"reason":"SOURCE_FAILED","verificationSource":{"id":"' || ${row}.id || '"},"assignee":{}}', 0`

const insertInto = `INSERT INTO task (tenant_id, id, version, created_at, updated_at, deleted_at, reason, worker_id,
  assignee_id, document, checksum)`

const isFailed = `NEW.deleted_at IS NULL AND NEW.${failed}`
const changed = "UPDATE OF state, deleted_at"
const opening = `${insertInto} VALUES (NEW.tenant_id, ${opened("NEW")}) ON CONFLICT (tenant_id, id) DO NOTHING`

const triggers: ReadonlyArray<Trigger> = [
  { name: "source_began_failed", event: "INSERT", condition: isFailed, statement: opening },
  { name: "source_failed", event: changed, condition: isFailed, statement: opening },
  {
    name: "source_works",
    event: changed,
    condition: `NOT (${isFailed})`,
    statement: "DELETE FROM task WHERE tenant_id = NEW.tenant_id AND id = 'tsk_' || substr(NEW.id, 5)"
  }
].map((trigger) => ({ ...trigger, table: "verificationSource" }))

/**
 * What needs a person. The evaluation of a worker writes the tasks about the worker's cards, because they depend on the
 * day, on how the worker is engaged and on other cards. A trigger writes those about sources.
 */
export const tasks: Migration = {
  id: 28,
  name: "tasks",
  statements: (types) => [
    ...documentTable(types, {
      table: "task",
      columns: ["reason", "worker_id", "assignee_id"],
      by: [],
      of: ["reason", "worker_id", "assignee_id"]
    }),
    ...triggers.flatMap(types.trigger),
    `${insertInto} SELECT s.tenant_id, ${opened("s")} FROM verificationSource AS s WHERE s.deleted_at IS NULL AND s.${failed}`
  ]
}

/** The task about an answer. */
const openingAnswer = `${insertInto} VALUES (NEW.tenant_id, 'tsk_' || substr(NEW.id, 5), 1, NEW.updated_at, NEW.updated_at,
  NULL, 'ANSWER_WAITING', NEW.worker_id, '', '{"reason":"ANSWER_WAITING","answer":{"id":"' || NEW.id ||
  '"},"worker":{"id":"' || NEW.worker_id || '"},"assignee":{}}', 0) ON CONFLICT (tenant_id, id) DO NOTHING`

const isWaiting = "NEW.deleted_at IS NULL AND NEW.state IN ('WAITING', 'APPROVING')"
const answerTriggers: ReadonlyArray<Trigger> = [
  {
    name: "answer_began",
    event: "INSERT",
    condition: `${isWaiting} AND NEW.worker_id <> ''`,
    statement: openingAnswer
  },
  { name: "answer_waits", event: changed, condition: `${isWaiting} AND NEW.worker_id <> ''`, statement: openingAnswer },
  {
    name: "answer_decided",
    event: changed,
    condition: `NOT (${isWaiting})`,
    statement: "DELETE FROM task WHERE tenant_id = NEW.tenant_id AND id = 'tsk_' || substr(NEW.id, 5)"
  }
].map((trigger) => ({ ...trigger, table: "answer" }))

/**
 * What people answer to requests. `answer_access` has who may open the page of a request, as hashes, and `answer_link` its
 * open links. Triggers open and end the tasks about answers of workers. Those of
 * applicants came with their tasks.
 */
export const answers: Migration = {
  id: 46,
  name: "answers",
  statements: (types) => {
    const { integer, tableEnd, text } = types
    return [
      ...documentTable(types, {
        table: "answer",
        columns: ["worker_id", "applicant_id", "request_id", "state"],
        by: [],
        of: ["worker_id", "applicant_id", "request_id", "state"]
      }),
      `CREATE TABLE answer_access (
        tenant_id ${text} NOT NULL,
        request_id ${text} NOT NULL,
        version ${integer} NOT NULL,
        document ${text} NOT NULL,
        PRIMARY KEY (tenant_id, request_id)
      )${tableEnd}`,
      `CREATE TABLE answer_link (
        tenant_id ${text} NOT NULL,
        link_hash ${text} NOT NULL,
        request_id ${text} NOT NULL,
        PRIMARY KEY (tenant_id, link_hash)
      )${tableEnd}`,
      ...answerTriggers.flatMap(types.trigger)
    ]
  }
}

/** The task about an answer of an applicant. */
const openingForApplicant = (row: string) => `'tsk_' || substr(${row}.id, 5), 1, ${row}.updated_at, ${row}.updated_at,
  NULL, 'ANSWER_WAITING', '', ${row}.applicant_id, '', '{"reason":"ANSWER_WAITING","answer":{"id":"' || ${row}.id ||
  '"},"applicant":{"id":"' || ${row}.applicant_id || '"},"assignee":{}}', 0`

const insertForApplicant = insertInto.replace("worker_id,", "worker_id, applicant_id,")

/** Opens the tasks about answers of applicants. Another trigger ends them. */
export const applicantAnswers: ReadonlyArray<Trigger> = [
  { name: "answer_began_applicant", event: "INSERT" },
  { name: "answer_waits_applicant", event: changed }
].map((trigger) => ({
  ...{ ...trigger, table: "answer", condition: `${isWaiting} AND NEW.applicant_id <> ''` },
  statement: `${insertForApplicant} VALUES (NEW.tenant_id, ${openingForApplicant("NEW")}) ON CONFLICT (tenant_id, id) DO NOTHING`
}))

/** Opens the tasks about answers of applicants that wait already. */
export const openAnswersOfApplicants = `${insertForApplicant} SELECT a.tenant_id, ${openingForApplicant("a")}
  FROM answer AS a WHERE a.deleted_at IS NULL AND a.state IN ('WAITING', 'APPROVING') AND a.applicant_id <> ''`
