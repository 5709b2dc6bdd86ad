import type { Trigger } from "../engine/Dialect.ts"
import type { Migration } from "../engine/Migration.ts"
import { applicantAnswers, openAnswersOfApplicants } from "./Tasks.ts"

/** The causes of marks by the tables whose rows are held by a worker. */
const heldTables = { credential: "CREDENTIAL", exemption: "EXEMPTION", ban: "BAN" } as const

/** Marks the workers that a SELECT returns. */
const markWorkers = (cause: string, from: string): string =>
  `INSERT INTO compliance_mark (tenant_id, worker_id, cause) SELECT w.tenant_id, w.id, '${cause}' FROM ${from}`

const markOf = (row: "OLD" | "NEW", column: string, cause: string): string =>
  `INSERT INTO compliance_mark (tenant_id, worker_id, cause) VALUES (${row}.tenant_id, ${row}.${column}, '${cause}')`

const isChanged = (columns: ReadonlyArray<string>): string =>
  columns.map((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`).join(" OR ")

/** The marks of the worker that holds a row, and of the one that held it before. */
const heldMarkings = (table: keyof typeof heldTables): ReadonlyArray<Trigger> => {
  const columns = ["worker_id", "document", "deleted_at"]
  const cause = heldTables[table]
  const event = `UPDATE OF ${columns.join(", ")}`
  const holder = markOf("NEW", "worker_id", cause)
  return [
    { name: `${table}_inserted`, table, event: "INSERT", condition: "NEW.worker_id <> ''", statement: holder },
    {
      name: `${table}_changed`,
      table,
      event,
      condition: `NEW.worker_id <> '' AND (${isChanged(columns)})`,
      statement: holder
    },
    {
      name: `${table}_left`,
      table,
      event: "UPDATE OF worker_id",
      condition: "OLD.worker_id <> '' AND OLD.worker_id <> NEW.worker_id",
      statement: markOf("OLD", "worker_id", cause)
    }
  ]
}

const markings: ReadonlyArray<Trigger> = [
  ...heldMarkings("credential"),
  ...heldMarkings("exemption"),
  ...heldMarkings("ban"),
  {
    name: "worker_inserted",
    table: "worker",
    event: "INSERT",
    condition: "true",
    statement: markOf("NEW", "id", "WORKER")
  },
  {
    name: "worker_changed",
    table: "worker",
    event: "UPDATE OF document, deleted_at",
    condition: isChanged(["document", "deleted_at"]),
    statement: markOf("NEW", "id", "WORKER")
  },
  {
    name: "zone_changed",
    table: "tenant",
    event: "UPDATE OF time_zone",
    condition: isChanged(["time_zone"]),
    statement: markWorkers("DAY", "worker AS w WHERE w.tenant_id = NEW.id AND w.deleted_at IS NULL")
  }
]

/**
 * The status of each worker in the compliance checks, its result in the row of the worker, and marks of workers whose
 * inputs have changed since. Triggers write the marks, so that no write can forget them: neither a server of an earlier
 * version, nor a repair by hand. Marks are only inserted, so concurrent writes about one worker never wait for each other.
 */
export const keptCompliance: Migration = {
  id: 22,
  name: "kept compliance",
  statements: ({ integer, tableEnd, tenantPosition, text, trigger }) => [
    `CREATE TABLE compliance (
      tenant_id ${text} NOT NULL,
      worker_id ${text} NOT NULL,
      version ${integer} NOT NULL,
      rules_version ${integer} NOT NULL,
      generation ${integer} NOT NULL,
      through ${text} NOT NULL,
      document ${text} NOT NULL,
      PRIMARY KEY (tenant_id, worker_id)
    )${tableEnd}`,
    "CREATE INDEX compliance_by_through ON compliance (tenant_id, through, worker_id)",
    "CREATE INDEX compliance_by_generation ON compliance (tenant_id, rules_version, generation, worker_id)",
    `CREATE TABLE compliance_mark (${tenantPosition}, worker_id ${text} NOT NULL, cause ${text} NOT NULL)${tableEnd}`,
    "CREATE INDEX compliance_mark_of_worker ON compliance_mark (tenant_id, worker_id, position)",
    `ALTER TABLE worker ADD COLUMN compliance ${text} NOT NULL DEFAULT ''`,
    ...markings.flatMap(trigger)
  ]
}

/** The workers by their result in all checks together, in the order of creation. */
export const workersByCompliance: Migration = {
  id: 23,
  name: "workers by compliance",
  statements: () => ["CREATE INDEX worker_of_compliance ON worker (tenant_id, compliance, created_at, id)"]
}

/** Marks all workers, apart from the triggers: they lock their tables until their migration ends. */
export const markedWorkers: Migration = {
  id: 24,
  name: "marked workers",
  statements: () => [markWorkers("WORKER", "worker AS w WHERE w.deleted_at IS NULL")]
}

/** The checks that each worker fails, as kept in its status: to list the workers of a check. */
export const failedChecks: Migration = {
  id: 27,
  name: "failed checks",
  statements: ({ tableEnd, text }) => [
    `CREATE TABLE compliance_failure (
      tenant_id ${text} NOT NULL,
      check_id ${text} NOT NULL,
      worker_id ${text} NOT NULL,
      PRIMARY KEY (tenant_id, check_id, worker_id)
    )${tableEnd}`,
    "CREATE INDEX compliance_failure_of_worker ON compliance_failure (tenant_id, worker_id)"
  ]
}

/** The columns of a card on which the tasks of its applicant depend. */
const applicantColumns = ["applicant_id", "worker_id", "document", "deleted_at"]

const applicantMarkings: ReadonlyArray<Trigger> = [
  {
    name: "credential_applied",
    table: "credential",
    event: "INSERT",
    condition: "NEW.applicant_id <> ''",
    statement: markOf("NEW", "applicant_id", "CREDENTIAL")
  },
  {
    name: "credential_of_applicant",
    table: "credential",
    event: `UPDATE OF ${applicantColumns.join(", ")}`,
    condition: `NEW.applicant_id <> '' AND (${isChanged(applicantColumns)})`,
    statement: markOf("NEW", "applicant_id", "CREDENTIAL")
  },
  {
    name: "credential_left_applicant",
    table: "credential",
    event: "UPDATE OF applicant_id",
    condition: "OLD.applicant_id <> '' AND OLD.applicant_id <> NEW.applicant_id",
    statement: markOf("OLD", "applicant_id", "CREDENTIAL")
  },
  {
    name: "applicant_changed",
    table: "applicant",
    event: "UPDATE OF status, deleted_at",
    condition: isChanged(["status", "deleted_at"]),
    statement: markOf("NEW", "id", "WORKER")
  },
  {
    name: "zone_changed_applicants",
    table: "tenant",
    event: "UPDATE OF time_zone",
    condition: isChanged(["time_zone"]),
    statement: markWorkers("DAY", "applicant AS w WHERE w.tenant_id = NEW.id AND w.deleted_at IS NULL")
  }
]

/**
 * Tasks about cards of applicants. An applicant with cards is marked, evaluated and has a row in `compliance` as a worker
 * has, without a result: the row has the last day on which the tasks stay. So `worker_id` of these tables is the id of a
 * person.
 */
export const applicantTasks: Migration = {
  id: 48,
  name: "tasks of applicants",
  statements: ({ text, trigger }) => [
    `ALTER TABLE task ADD COLUMN applicant_id ${text} NOT NULL DEFAULT ''`,
    ...[...applicantMarkings, ...applicantAnswers].flatMap(trigger)
  ]
}

/** The tasks of each applicant, in the order of creation. */
export const tasksByApplicant: Migration = {
  id: 49,
  name: "tasks by applicant",
  statements: () => ["CREATE INDEX task_of_applicant_id ON task (tenant_id, applicant_id, created_at, id)"]
}

/**
 * Marks the applicants with cards, and opens the tasks about their answers, apart from the triggers: they lock their tables
 * until their migration ends.
 */
export const markedApplicants: Migration = {
  id: 50,
  name: "marked applicants",
  statements: () => [
    `INSERT INTO compliance_mark (tenant_id, worker_id, cause) SELECT DISTINCT c.tenant_id, c.applicant_id, 'CREDENTIAL'
      FROM credential AS c WHERE c.applicant_id <> '' AND c.deleted_at IS NULL`,
    openAnswersOfApplicants
  ]
}
