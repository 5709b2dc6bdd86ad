import { ownerColumns } from "@wcs/domain/people/Owner"
import type { Keeping } from "@wcs/domain/screening/KeptComplianceStore"
import { Task, type TaskFields } from "@wcs/domain/screening/Task"
import { prefixes } from "@wcs/domain/shared/Id"
import type { SqlClient } from "effect/sql"
import { type BatchColumns, type BatchRow, insertInto, keepForBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { changes, type Script } from "../engine/Script.ts"
import { tableOf } from "../resource/ResourceTable.ts"

const taskColumns = {
  ...{ tenant_id: "TEXT", id: "TEXT", version: "BIGINT", created_at: "BIGINT", updated_at: "BIGINT" },
  ...{
    reason: "TEXT",
    worker_id: "TEXT",
    applicant_id: "TEXT",
    assignee_id: "TEXT",
    document: "TEXT",
    checksum: "BIGINT"
  }
} as const satisfies BatchColumns
type TaskRow = BatchRow<typeof taskColumns>

const taskRow = (tenantId: string, task: Keeping["tasks"][number]): TaskRow => {
  const { deleted_at: _, ...row } = tableOf<TaskFields>(Task).inserted(tenantId, task)
  return row as TaskRow
}

const makeStatements = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)

  /** The id of the task about a card, and of the card of a task (`taskIdOf`). */
  const taskOf = (card: string) =>
    sql.literal(`'${prefixes.task}' || substr(${card}, ${prefixes.credential.length + 1})`)
  /** The person whose task a card is (`askedOwner`). */
  const asked = sql.literal("CASE WHEN c.worker_id <> '' THEN c.worker_id ELSE c.applicant_id END")
  const cardOf = (task: string) =>
    sql.literal(`'${prefixes.credential}' || substr(${task}, ${prefixes.task.length + 1})`)

  return {
    /**
     * Ends the tasks about the cards of people, except some. The card says which person that is: a task can still name
     * the one who held the card before, and the evaluation of the person who holds the card now ends or keeps it.
     */
    endTasks: keep<{ tenantId: string; people: string; except: string }, object>(
      sql,
      (at) => sql`DELETE FROM task WHERE tenant_id = ${at("tenantId")} AND id IN (
          ${sql.join(
            " UNION ",
            false
          )(
            Object.values(ownerColumns).flatMap((column) => [
              sql`SELECT t.id FROM task AS t
                WHERE t.tenant_id = ${at("tenantId")} AND ${dialect.isAmong(`t.${column}`, at("people"))}
                  AND t.reason <> 'ANSWER_WAITING'`,
              sql`SELECT ${taskOf("c.id")} FROM credential AS c${dialect.indexedBy(`credential_held_by_${column}`)}
                WHERE c.tenant_id = ${at("tenantId")} AND ${dialect.isAmong(`c.${column}`, at("people"))}
                  AND c.deleted_at IS NULL AND c.${sql.literal(column)} <> ''`
            ])
          )}
        )
        AND id NOT IN (SELECT value FROM ${dialect.texts(at("except"))})
        AND (SELECT ${asked} <> '' AND ${asked} NOT IN (SELECT value FROM ${dialect.texts(at("people"))}) FROM credential AS c
          WHERE c.tenant_id = ${at("tenantId")} AND c.id = ${cardOf("task.id")} AND c.deleted_at IS NULL) IS NOT TRUE`
    ),

    /**
     * Opens tasks about bans, and about cards that the person still holds. One that is there keeps its assignee, and its begin while the
     * reason is the same.
     */
    openTasks: keepForBatches(
      sql,
      dialect,
      taskColumns,
      ({ rows: batch, fieldOf }) => sql<object>`${insertInto(
        sql,
        "task",
        taskColumns,
        sql`(${batch}) AS fresh ${dialect.lookUp(
          "credential",
          "c",
          sql`c.tenant_id = ${fieldOf("tenant_id", "fresh")} AND c.id = ${cardOf("fresh.id")}`
        )}`,
        sql`(fresh.reason = 'POSSIBLE_BAN' OR fresh.worker_id || fresh.applicant_id = ${asked})`,
        fieldOf("tenant_id", "fresh")
      )}
        ON CONFLICT (tenant_id, id) DO UPDATE SET version = task.version + 1, updated_at = excluded.updated_at,
          reason = excluded.reason, worker_id = excluded.worker_id, applicant_id = excluded.applicant_id,
          document = excluded.document, checksum = excluded.checksum,
          created_at = CASE WHEN task.reason = excluded.reason THEN task.created_at ELSE excluded.created_at END
        WHERE task.document <> excluded.document`
    )
  }
}

/** Stores the tasks of statuses, and ends the other tasks of their workers. */
export const makeTaskWriter = (sql: SqlClient.SqlClient) => {
  const statements = makeStatements(sql)
  return function* (tenantId: string, kept: ReadonlyArray<Keeping>): Script<void> {
    const tasks = kept.flatMap((keeping) => keeping.tasks)
    const people = JSON.stringify(kept.map(({ row }) => row.workerId))
    yield* changes(statements.endTasks({ tenantId, people, except: JSON.stringify(tasks.map(({ id }) => id)) }))
    const [first, ...others] = tasks.map((task) => taskRow(tenantId, task))
    if (first !== undefined) yield* changes(statements.openTasks([first, ...others]))
  }
}
