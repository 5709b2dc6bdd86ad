import type { Transition } from "@wcs/domain/credential/OwnershipStore"
import { type OwnerReference, type Owners, type OwnerType, ownerTypes, perOwner } from "@wcs/domain/ownership/Ownership"
import { ownerColumns } from "@wcs/domain/people/Owner"
import { Effect } from "effect"
import type { SqlClient, Statement } from "effect/sql"
import { auditColumns, auditRow, eventColumns, eventRow, insertAudit, insertEvents } from "../audit/RecordsWriter.ts"
import { keepForSeveralBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { keep } from "../engine/Query.ts"
import { assignmentsOf, isHeard, type SlotsRow, sequenceIn, slotsOf } from "./OwnershipRows.ts"
import { recordset } from "./Recordset.ts"

/** The writes of a transition. All of them happen, or none if a row that was read has changed. */
export interface Plan {
  readonly tenantId: string
  /** The credentials as they were read. The decision also depends on those that do not change. */
  readonly found: ReadonlyMap<string, SlotsRow>
  readonly entering: OwnerReference | undefined
  readonly transition: Transition<unknown>
  /** The trace of the caller. */
  readonly traceparent: string | null
}

/** The columns of each table that a write sends. `plan` is the number of the plan of a row; `nth` orders records. */
const sent = {
  n: {
    plan: "BIGINT",
    credential: "TEXT",
    version: "BIGINT",
    moves: "BOOLEAN",
    ...perOwner(() => "TEXT"),
    at: "BIGINT"
  },
  entering: { plan: "BIGINT", ...perOwner(() => "TEXT"), version: "BIGINT" },
  audit: { plan: "BIGINT", nth: "BIGINT", ...auditColumns },
  event: { plan: "BIGINT", nth: "BIGINT", ...eventColumns }
} as const

const credentialRows = ({ found, transition: { at, changes } }: Plan, plan: number) =>
  Array.from(found.values(), (row) => {
    const next = changes.get(row.id)
    const { applicant, worker } = next ?? slotsOf(row).owners
    const owners: Readonly<Record<OwnerType, string>> = { worker: worker ?? "", applicant: applicant ?? "" }
    return { plan, credential: row.id, version: Number(row["version"]), moves: next !== undefined, ...owners, at }
  })

const nobody = perOwner(() => "")

const enteringRows = ({ entering, found }: Plan, plan: number) => {
  const [first] = found.values()
  if (entering === undefined || first === undefined) return []
  return [{ plan, ...nobody, [entering.type]: entering.id, version: Number(first.entering_version ?? 0) }]
}

const auditRows = ({ tenantId, transition }: Plan, plan: number) =>
  transition.records.audit.map((entry, nth) => ({ plan, nth, ...auditRow(tenantId, entry) }))

const eventRows = ({ found, tenantId, traceparent, transition }: Plan, plan: number) => {
  if (!isHeard([...found.values()])) return []
  const sequenceOf = sequenceIn(found, transition.changes)
  return transition.records.events.map((event, nth) => ({
    plan,
    nth,
    ...eventRow(tenantId, event, sequenceOf(event.subjectId), traceparent)
  }))
}

/** Writes a plan that changes its only credential. Every value is a parameter, so no JSON is read and nothing joined. */
const makeWriteOne = (sql: SqlClient.SqlClient, skip: Statement.Fragment) => {
  const dialect = dialectOf(sql)
  type Values = Readonly<Record<"tenantId" | "id" | "entering" | OwnerType, string>> &
    Readonly<Record<"version" | "at" | "enteringVersion", number>>
  const batches = { audit: auditColumns, event: eventColumns }

  const make = (entering: OwnerType | undefined) =>
    keepForSeveralBatches<typeof batches, Values, { readonly stands: boolean }>(
      sql,
      dialect,
      batches,
      (batchOf, at) => {
        const present =
          entering === undefined
            ? { table: sql.literal(""), test: sql.literal("") }
            : {
                table: sql`entering AS MATERIALIZED (SELECT 1 FROM ${sql.literal(entering)} AS r
                WHERE r.tenant_id = ${at("tenantId")} AND r.id = ${at("entering")}
                AND r.version = ${at("enteringVersion")}${dialect.forShare}${skip}),`,
                test: sql.literal(" AND EXISTS (SELECT 1 FROM entering)")
              }
        const slots = ownerTypes.map((type) => sql`${sql.literal(ownerColumns[type])} = ${at(type)}`)
        const stands = sql.literal("EXISTS (SELECT 1 FROM written)")
        const [audit, event] = [batchOf("audit"), batchOf("event")]
        return sql`WITH locked AS MATERIALIZED (SELECT 1 FROM credential AS r WHERE r.tenant_id = ${at("tenantId")}
          AND r.id = ${at("id")} AND r.version = ${at("version")}${dialect.forUpdate}${skip}), ${present.table}
        written AS (UPDATE credential SET ${sql.csv(slots)}, version = version + 1, updated_at = ${at("at")}
          WHERE tenant_id = ${at("tenantId")} AND id = ${at("id")} AND EXISTS (SELECT 1 FROM locked)${present.test}
          RETURNING 1)
        ${audit === undefined ? sql.literal("") : sql`, audited AS (${insertAudit(sql, { rows: audit.rows, tenantId: sql`${at("tenantId")}` }, stands)})`}
        ${event === undefined ? sql.literal("") : sql`, told AS (${insertEvents(sql, { rows: event.rows, tenantId: sql`${at("tenantId")}` }, stands)})`}
        SELECT ${stands} AS stands`
      }
    )
  const statements = { none: make(undefined), ...perOwner(make) }

  return (plan: Plan, { id, ...row }: SlotsRow, { applicant, worker }: Owners) => {
    const { entering, tenantId, traceparent, transition } = plan
    const sequenceOf = sequenceIn(plan.found, transition.changes)
    const audit = transition.records.audit.map((entry) => auditRow(tenantId, entry))
    const event = row.is_heard
      ? transition.records.events.map((each) => eventRow(tenantId, each, sequenceOf(each.subjectId), traceparent))
      : []
    return statements[entering?.type ?? "none"](
      { audit, event },
      {
        tenantId,
        id,
        worker: worker ?? "",
        applicant: applicant ?? "",
        version: Number(row["version"]),
        at: transition.at,
        entering: entering?.id ?? "",
        enteringVersion: Number(row.entering_version ?? 0)
      }
    )
  }
}

/**
 * Writes any number of plans of a tenant in one statement. Each plan is written whole or not at all, independent of the
 * others. Returns the written plans.
 *
 * All rows are locked and compared with their versions before any is written. A lock returns the last committed version,
 * even if the statement's snapshot is older. The new owner's version is compared too: a deletion, or a recruitment
 * check or fetch request created meanwhile, has raised it. A plan with a row that another transaction has locked is not
 * written. So a write never waits for a lock, and cannot deadlock.
 */
export const makeWrite = (sql: SqlClient.SqlClient) => {
  const { forShare, forUpdate } = dialectOf(sql)
  const skip = sql.literal(" SKIP LOCKED")

  const statement = keep<Record<keyof typeof sent, string> & { tenantId: string }, { readonly standing: unknown }>(
    sql,
    (at) => {
      const owner = (type: OwnerType) => {
        const table = sql.literal(type)
        return sql`${table}s AS MATERIALIZED (SELECT r.id, r.version FROM ${table} AS r
          WHERE r.tenant_id = ${at("tenantId")} AND r.id = ANY (ARRAY(SELECT ${table} FROM entering))${forShare}${skip})`
      }
      const owners = sql.literal(ownerTypes.map((type) => `TABLE ${type}s`).join(" UNION ALL "))
      const entered = sql.literal(ownerTypes.map((type) => `e.${type}`).join(", "))
      const isStanding = (row: string) => sql.literal(`${row}.plan = ANY (ARRAY(SELECT plan FROM standing))`)
      const inOrder = sql`${isStanding("fresh")} ORDER BY fresh.plan, fresh.nth`
      const tenantId = sql`${at("tenantId")}`
      const rowsOf = (table: "audit" | "event") => ({
        tenantId,
        rows: sql`SELECT * FROM ${recordset(sql, "x", sent[table], at(table))}`
      })
      // Arrays, because the planner takes a joined recordset for a hundred rows and would read a small table to its end.
      return sql`WITH n AS MATERIALIZED (SELECT * FROM ${recordset(sql, "x", sent.n, at("n"))}),
        entering AS MATERIALIZED (SELECT * FROM ${recordset(sql, "x", sent.entering, at("entering"))}),
        locked AS MATERIALIZED (SELECT r.id, r.version FROM credential AS r
          WHERE r.tenant_id = ${at("tenantId")} AND r.id = ANY (ARRAY(SELECT credential FROM n))${forUpdate}${skip}),
        ${sql.csv(ownerTypes.map(owner))},
        standing AS MATERIALIZED (
          SELECT n.plan FROM n LEFT JOIN locked ON locked.id = n.credential AND locked.version = n.version
          GROUP BY n.plan HAVING count(*) = count(locked.id)
          EXCEPT SELECT e.plan FROM entering AS e
          LEFT JOIN (${owners}) AS o ON o.id IN (${entered}) AND o.version = e.version
          WHERE o.id IS NULL),
        written AS (UPDATE credential SET ${sql.literal(assignmentsOf(ownerTypes))} FROM n
          WHERE credential.tenant_id = ${at("tenantId")} AND credential.id = n.credential
          AND credential.id = ANY (ARRAY(SELECT n.credential FROM n WHERE n.moves AND ${isStanding("n")}))),
        audited AS (${insertAudit(sql, rowsOf("audit"), inOrder)}),
        told AS (${insertEvents(sql, rowsOf("event"), inOrder)})
        SELECT plan AS standing FROM standing`
    }
  )

  const writeOne = makeWriteOne(sql, skip)

  return Effect.fnUntraced(function* (tenantId: string, plans: ReadonlyArray<Plan>) {
    const [first, ...others] = plans
    const [row, ...rows] = first?.found.values() ?? []
    const next = row && first?.transition.changes.get(row.id)
    if (others.length + rows.length === 0 && first && row && next) {
      const [verdict] = yield* writeOne(first, row, next)
      return verdict?.stands === true ? plans : []
    }
    const json = (rowsOf: (plan: Plan, index: number) => ReadonlyArray<object>) => JSON.stringify(plans.flatMap(rowsOf))
    const found = yield* statement({
      tenantId,
      n: json(credentialRows),
      entering: json(enteringRows),
      audit: json(auditRows),
      event: json(eventRows)
    })
    const standing = new Set(found.map((row) => Number(row.standing)))
    return plans.filter((_, index) => standing.has(index))
  })
}
