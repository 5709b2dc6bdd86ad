import type { AuditEntry, OwnershipChange } from "@wcs/domain/audit/AuditEntry"
import type { ChangeRecords, Recheck, Rerun } from "@wcs/domain/crud/ChangeRecords"
import type { Advance } from "@wcs/domain/crud/Progression"
import type { EventDraft } from "@wcs/domain/event/EventDraft"
import type { EventKind } from "@wcs/domain/event/EventKind"
import type { Holdings } from "@wcs/domain/holding/Holdings"
import type { VerificationDraft } from "@wcs/domain/holding/VerificationRecord"
import { partitionOf } from "@wcs/domain/lease/Partition"
import type { OwnerType } from "@wcs/domain/ownership/Ownership"
import type { SqlClient, Statement } from "effect/sql"
import { type BatchColumns, insertAll, insertInto, keepForBatches, keepInsert } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, type Script } from "../engine/Script.ts"
import { scanColumns, scanRow } from "../legacy/ScanRows.ts"
import { makeOutbox } from "../message/MessageRows.ts"
import { makeHoldings } from "../resource/HoldingsRows.ts"
import { makeProgress } from "../resource/ProgressionRows.ts"
import { currentQueueOf, queueOf, verificationColumns, verificationRow } from "../verification/VerificationRows.ts"

/**
 * Writes the records of a change in the change's transaction. Audit entries, events, reruns and scans take one
 * statement each, verifications two.
 */
export interface RecordsWriter {
  readonly audit: (tenantId: string, entries: ReadonlyArray<AuditEntry>) => Script<void>
  /**
   * Writes all records. Messages are queued if the tenant sends those of their kinds. Events are written only if the tenant has a subscriber for their kind. An open verification
   * gets a run of its credential, due immediately, unless one exists. Progressions and rechecks are carried out and
   * their own records added. Events and runs keep the `traceparent` of the change.
   */
  readonly all: (
    tenantId: string,
    records: ChangeRecords,
    sequenceOf: (subjectId: string) => number,
    traceparent: string | null
  ) => Script<void>
  /** Replaces the kinds of event that a subscriber of the tenant receives. */
  readonly subscription: (tenantId: string, subscriberId: string, kinds: ReadonlyArray<EventKind>) => Script<void>
}

type SlotColumn = `${OwnerType}_${"before" | "after"}`

const slotColumns = {
  worker_before: "TEXT",
  applicant_before: "TEXT",
  worker_after: "TEXT",
  applicant_after: "TEXT"
} as const satisfies Record<SlotColumn, "TEXT">

/** The columns of an audit entry. */
export const auditColumns = {
  tenant_id: "TEXT",
  id: "TEXT",
  account: "TEXT",
  bearer_kind: "TEXT",
  bearer_id: "TEXT",
  operation: "TEXT",
  action: "TEXT",
  entity_type: "TEXT",
  entity_id: "TEXT",
  request_id: "TEXT",
  at: "BIGINT",
  ...slotColumns
} as const satisfies BatchColumns

/** An empty slot is '', as in the credential's table. An entry that changes no owners has NULL in all of them. */
const ownershipRow = (ownership: OwnershipChange | undefined): Readonly<Record<SlotColumn, string | null>> => ({
  worker_before: ownership === undefined ? null : (ownership.before.worker ?? ""),
  applicant_before: ownership === undefined ? null : (ownership.before.applicant ?? ""),
  worker_after: ownership === undefined ? null : (ownership.after.worker ?? ""),
  applicant_after: ownership === undefined ? null : (ownership.after.applicant ?? "")
})

export const auditRow = (tenantId: string, entry: AuditEntry) => ({
  tenant_id: tenantId,
  id: entry.id,
  account: entry.account,
  bearer_kind: entry.bearer?.kind ?? null,
  bearer_id: entry.bearer?.id ?? null,
  operation: entry.operation,
  action: entry.action,
  entity_type: entry.entityType,
  entity_id: entry.entityId,
  request_id: entry.requestId,
  at: entry.at,
  ...ownershipRow(entry.ownership)
})

/** The columns of an event. */
export const eventColumns = {
  tenant_id: "TEXT",
  id: "TEXT",
  kind: "TEXT",
  subject_id: "TEXT",
  sequence: "BIGINT",
  correlation_id: "TEXT",
  data: "TEXT",
  credential_type: "TEXT",
  jurisdiction: "TEXT",
  at: "BIGINT",
  state: "TEXT",
  traceparent: "TEXT"
} as const satisfies BatchColumns

/** The row of an event. `sequence` is used if the event has none. */
export const eventRow = (tenantId: string, event: EventDraft, sequence: number, traceparent: string | null) => ({
  tenant_id: tenantId,
  id: event.id,
  kind: event.kind,
  subject_id: event.subjectId,
  sequence: event.sequence ?? sequence,
  correlation_id: event.correlationId,
  data: JSON.stringify(event.data), // text, since Postgres's JSONB reorders keys
  credential_type: event.about.credentialType,
  jurisdiction: event.about.jurisdiction,
  at: event.at,
  state: "pending",
  traceparent
})

/** The rows of one tenant. */
interface Rows {
  readonly tenantId: Statement.Fragment
  /** A SELECT of the rows. */
  readonly rows: Statement.Fragment
}

/** Inserts audit entries of a tenant if a condition holds. */
export const insertAudit = (sql: SqlClient.SqlClient, { rows, tenantId }: Rows, condition: Statement.Fragment) =>
  insertInto(sql, "audit_event", auditColumns, sql`(${rows}) AS fresh`, condition, tenantId)

/** Inserts events of a tenant that have a subscriber, if a condition holds. */
export const insertEvents = (sql: SqlClient.SqlClient, { rows, tenantId }: Rows, condition: Statement.Fragment) => {
  const subscribed = dialectOf(sql).ifAny(
    sql`SELECT 1 FROM subscription AS s WHERE s.tenant_id = ${tenantId} AND s.kind = fresh.kind`
  )
  const from = sql`(${rows}) AS fresh ${subscribed.join}`
  return insertInto(sql, "event", eventColumns, from, sql`${subscribed.condition} AND ${condition}`, tenantId)
}

const runColumns = {
  tenant_id: "TEXT",
  credential_id: "TEXT",
  partition: "BIGINT",
  due_at: "BIGINT",
  attempts: "BIGINT",
  traceparent: "TEXT"
} as const satisfies BatchColumns

const runRow = (tenantId: string, { credentialId, requestedAt }: VerificationDraft, traceparent: string | null) => ({
  tenant_id: tenantId,
  credential_id: credentialId,
  partition: partitionOf(credentialId),
  due_at: requestedAt,
  attempts: 0,
  traceparent
})

const rerunColumns = {
  tenant: "TEXT",
  credential: "TEXT",
  due_at: "BIGINT",
  trace: "TEXT"
} as const satisfies BatchColumns

const rerunRow = (tenantId: string, { credentialId, dueAt }: Rerun, traceparent: string | null) => ({
  tenant: tenantId,
  credential: credentialId,
  due_at: dueAt,
  trace: traceparent
})

const makeSubscribe = (sql: SqlClient.SqlClient): RecordsWriter["subscription"] =>
  function* (tenantId, subscriberId, kinds) {
    yield* changes(sql`DELETE FROM subscription WHERE tenant_id = ${tenantId} AND subscriber_id = ${subscriberId}`)
    if (kinds.length === 0) return
    yield* changes(sql`INSERT INTO subscription (tenant_id, kind, subscriber_id)
      SELECT DISTINCT CAST(${tenantId} AS TEXT), value, CAST(${subscriberId} AS TEXT)
      FROM ${dialectOf(sql).texts(JSON.stringify(kinds))}`)
  }

export const makeRecordsWriter = (sql: SqlClient.SqlClient): RecordsWriter => {
  const writeAudit = keepInsert(sql, auditColumns, (batch) => insertAll(sql, "audit_event", auditColumns, batch))
  const writeEvents = keepInsert(sql, eventColumns, ({ rows, fieldOf }) =>
    insertEvents(sql, { rows, tenantId: fieldOf("tenant_id", "fresh") }, sql.literal("true"))
  )
  const writeVerifications = keepInsert(sql, verificationColumns, (batch) =>
    insertAll(sql, "verification", verificationColumns, batch)
  )
  const writeRuns = keepInsert(
    sql,
    runColumns,
    ({
      rows,
      fieldOf
    }) => sql`INSERT INTO verification_run (tenant_id, credential_id, partition, due_at, attempts, traceparent, queue)
      SELECT CAST(${fieldOf("tenant_id", "fresh")} AS TEXT), fresh.credential_id, fresh.partition, fresh.due_at, fresh.attempts,
        fresh.traceparent, ${queueOf(sql, fieldOf("tenant_id", "fresh"), "c")}
      FROM (${rows}) AS fresh ${dialectOf(sql).lookUp(
        "credential",
        "c",
        sql`c.tenant_id = ${fieldOf("tenant_id", "fresh")} AND c.id = fresh.credential_id`
      )} WHERE true ON CONFLICT (tenant_id, credential_id) DO NOTHING`
  )
  const updateRuns = keepForBatches(
    sql,
    dialectOf(sql),
    rerunColumns,
    ({ rows, fieldOf }) => sql`WITH n AS MATERIALIZED (${rows})
      UPDATE verification_run SET due_at = n.due_at, attempts = 0, traceparent = n.trace,
        queue = ${currentQueueOf(sql, fieldOf("tenant"), "n.credential")}
      FROM n
      WHERE verification_run.tenant_id = ${fieldOf("tenant")} AND verification_run.credential_id = n.credential
      AND (verification_run.due_at IS NULL OR verification_run.due_at > n.due_at)`
  )
  const progress = makeProgress(sql)
  const holdings = makeHoldings(sql)

  /** The verifications of the other credentials of people. */
  function* rechecked(tenantId: string, recheck: Recheck | undefined): Script<ReadonlyArray<VerificationDraft>> {
    if (recheck === undefined) return []
    const held = new Map<string, Holdings["credentials"][number]>()
    for (const person of recheck.people) {
      const { credentials } = yield* holdings.read(tenantId, { person, isLocked: false }, recheck.credentialTypes)
      for (const credential of credentials) held.set(credential.id, credential)
    }
    return recheck.decide([...held.values()])
  }

  const { tell } = makeOutbox(sql)
  const writeScans = keepInsert(sql, scanColumns, (batch) => insertAll(sql, "scan", scanColumns, batch))

  const audit: RecordsWriter["audit"] = (tenantId, entries) =>
    writeAudit(entries.map((entry) => auditRow(tenantId, entry)))

  return {
    audit,
    all: function* (tenantId, records, sequenceOf, traceparent) {
      const { messages = [], progressions = [], recheck, reruns = [], scans = [] } = records
      const verifications = [...(records.verifications ?? []), ...(yield* rechecked(tenantId, recheck))]
      const advances: Array<Advance> = []
      for (const progression of progressions) advances.push(...(yield* progress(tenantId, progression)))
      const events = [...records.events, ...advances.flatMap((advance) => advance.events)]
      yield* audit(tenantId, [...records.audit, ...advances.map((advance) => advance.audit)])
      yield* writeEvents(events.map((event) => eventRow(tenantId, event, sequenceOf(event.subjectId), traceparent)))
      yield* writeVerifications(verifications.map((verification) => verificationRow(tenantId, verification)))
      const open = verifications.filter(({ outcome }) => outcome === null)
      yield* writeRuns(open.map((verification) => runRow(tenantId, verification, traceparent)))
      const [rerun, ...others] = reruns.map((each) => rerunRow(tenantId, each, traceparent))
      if (rerun !== undefined) yield* changes(updateRuns([rerun, ...others]))
      yield* writeScans(scans.map(scanRow))
      if (messages.length > 0) yield* tell(tenantId, messages)
    },
    subscription: makeSubscribe(sql)
  }
}
