import type { Slots } from "@wcs/domain/credential/Credential"
import type { OwnerReference, OwnerType } from "@wcs/domain/ownership/Ownership"
import type { Chosen, Transition, Transitioned } from "@wcs/domain/ownership/OwnershipStore"
import { Effect, Result } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { auditColumns, auditRow, eventColumns, eventRow, insertAudit, insertEvents } from "../audit/RecordsWriter.ts"
import { LostRace } from "../engine/Atomic.ts"
import { type Batch, type BatchOf, keepForSeveralBatches } from "../engine/Batch.ts"
import { dialectOf } from "../engine/Dialect.ts"
import type { At } from "../engine/Query.ts"
import { run } from "../engine/Script.ts"
import {
  assignmentsOf,
  changedRows,
  isAsked,
  isHeard,
  makeChoices,
  makeIsPresent,
  movedOf,
  type SlotsRow,
  sequenceIn,
  slotsOf,
  transitioned,
  writtenColumns,
  writtenRow
} from "./OwnershipRows.ts"

// A transition in two statements, for an engine whose statements can write several tables. The first reads. The second
// writes everything if the rows are unchanged. Neither needs a transaction, and no lock is held between them.

const batches = {
  /** Every credential that was read: the result also depends on unchanged ones. */
  n: { ...writtenColumns, moves: "BIGINT" },
  audit: auditColumns,
  event: eventColumns
} as const

/** The new owner, with the version that was read. */
type Owner = { readonly tenantId: string; readonly entering: string; readonly enteringVersion: number }

interface Verdict {
  readonly stands: boolean
}

/** Builds the statement that fills these slots. */
type Write = (
  moved: ReadonlyArray<OwnerType>,
  entering: OwnerType | undefined,
  n: Batch,
  batchOf: BatchOf<typeof batches>,
  at: At<Owner>
) => Statement.Statement<Verdict>

/** Checks that all rows are unchanged and, if so, writes slots, audit entries and events. */
const makeWrite = (sql: SqlClient.SqlClient) => {
  const dialect = dialectOf(sql)

  /**
   * Locks the new owner until the end if unchanged. The version is compared too: a recruitment check or fetch request
   * created meanwhile has raised it.
   */
  const presence = (type: OwnerType | undefined, at: At<Owner>) =>
    type === undefined
      ? { table: sql.literal(""), test: sql.literal("") }
      : {
          table: sql`entering AS MATERIALIZED (SELECT 1 FROM ${sql.literal(type)} AS r WHERE r.tenant_id = ${at("tenantId")}
            AND r.id = ${at("entering")} AND r.version = ${at("enteringVersion")}
            AND r.deleted_at IS NULL${dialect.forShare}),`,
          test: sql.literal(" AND EXISTS (SELECT 1 FROM entering)")
        }

  /** The remaining writes, if the check succeeds, and its result. */
  const rest = (batchOf: BatchOf<typeof batches>, stands: Statement.Fragment) => {
    const [audit, event] = [batchOf("audit"), batchOf("event")]
    return sql<Verdict>`${audit === undefined ? sql.literal("") : sql`, audited AS (${insertAudit(sql, audit.rows, stands)})`}
      ${event === undefined ? sql.literal("") : sql`, told AS (${insertEvents(sql, event.rows, stands)})`}
      SELECT ${stands} AS stands`
  }

  /** For one changed credential: its UPDATE also checks that it is unchanged. */
  const changeOne: Write = (moved, entering, n, batchOf, at) => {
    const present = presence(entering, at)
    return sql<Verdict>`WITH ${present.table}
      written AS (UPDATE credential SET ${sql.literal(assignmentsOf(moved))} FROM (${n.rows}) AS n
        WHERE credential.tenant_id = n.tenant AND credential.id = n.credential AND credential.version = n.version
        ${present.test} RETURNING 1)
      ${rest(batchOf, sql`EXISTS (SELECT 1 FROM written)`)}`
  }

  /**
   * For several: all are locked and checked before any is changed. A lock returns the last committed version, even if
   * the statement's snapshot is older.
   */
  const changeSeveral: Write = (moved, entering, n, batchOf, at) => {
    const present = presence(entering, at)
    const stands = sql`(SELECT verdict.stands FROM verdict)`
    return sql<Verdict>`WITH n AS MATERIALIZED (${n.rows}),
      locked AS MATERIALIZED (SELECT r.id, r.version FROM credential AS r
        WHERE r.tenant_id = ${at("tenantId")} AND r.id IN (SELECT credential FROM n) ORDER BY r.id${dialect.forUpdate}),
      ${present.table}
      verdict AS MATERIALIZED (SELECT count(*) = (SELECT count(*) FROM n)${present.test} AS stands
        FROM n JOIN locked ON locked.id = n.credential AND locked.version = n.version),
      written AS (UPDATE credential SET ${sql.literal(assignmentsOf(moved))} FROM n
        WHERE credential.tenant_id = n.tenant AND credential.id = n.credential AND n.moves = 1 AND ${stands})
      ${rest(batchOf, stands)}`
  }

  const make = (write: Write, moved: ReadonlyArray<OwnerType>, entering: OwnerType | undefined) =>
    keepForSeveralBatches<typeof batches, Owner, Verdict>(sql, dialect, batches, (batchOf, at) => {
      const n = batchOf("n")
      if (n === undefined) throw new Error("no credential was chosen")
      return write(moved, entering, n, batchOf, at)
    })

  const kept = new Map<string, ReturnType<typeof make>>()
  return (changesOne: boolean, moved: ReadonlyArray<OwnerType>, entering: OwnerType | undefined) => {
    const key = `${changesOne} ${moved} ${entering}`
    const statement = kept.get(key) ?? make(changesOne ? changeOne : changeSeveral, moved, entering)
    kept.set(key, statement)
    return statement
  }
}

/** Fails with `LostRace` if a row changed between the two statements; then nothing was written. */
export const make = (sql: SqlClient.SqlClient) => {
  const lock = sql.literal("")
  const choose = makeChoices(sql, lock, true)
  const isPresent = makeIsPresent(sql, lock)
  const write = makeWrite(sql)

  /** One read; a second one if no row is there to show whether the owner exists. */
  const read = Effect.fnUntraced(function* (tenantId: string, chosen: Chosen, entering: OwnerReference | undefined) {
    const found = yield* choose[entering?.type ?? "none"](tenantId, chosen, entering?.id)
    const [first] = found
    if (entering === undefined) return { found, isPresent: true }
    if (first !== undefined) return { found, isPresent: first.entering_version !== null }
    return { found, isPresent: yield* run(isPresent(tenantId, entering)) }
  })

  const writeAll = <Answer>(
    tenantId: string,
    entering: OwnerReference | undefined,
    found: ReadonlyArray<SlotsRow>,
    byId: ReadonlyMap<string, SlotsRow>,
    { at, changes: owners, records }: Transition<Answer>
  ) => {
    const moved = movedOf(changedRows(byId, owners))
    const sequenceOf = sequenceIn(byId, owners)
    const n = found.map((row) => {
      const next = owners.get(row.id)
      return { ...writtenRow(tenantId, row, next ?? slotsOf(row).owners, moved, at), moves: next === undefined ? 0 : 1 }
    })
    const audit = records.audit.map((entry) => auditRow(tenantId, entry))
    const event = isHeard(found)
      ? records.events.map((event) => eventRow(tenantId, event, sequenceOf(event.subjectId)))
      : []
    const changesOne = found.length === 1 && owners.size === 1
    const owner = { tenantId, entering: entering?.id ?? "", enteringVersion: Number(found[0]?.entering_version ?? 0) }
    return write(changesOne, moved, entering?.type)({ n, audit, event }, owner)
  }

  const attempt = Effect.fnUntraced(function* <Answer, E>(
    tenantId: string,
    chosen: Chosen,
    entering: OwnerReference | undefined,
    decide: (found: ReadonlyArray<Slots>, enteringIsPresent: boolean) => Result.Result<Transition<Answer>, E>
  ): Effect.fn.Return<Result.Result<Transitioned<Answer>, E>, LostRace | SqlError.SqlError> {
    const { found, isPresent } = yield* read(tenantId, chosen, entering)
    const decision = decide(found.map(slotsOf), isPresent)
    if (Result.isFailure(decision)) return Result.fail(decision.failure)
    const { changes, records } = decision.success
    if (records.verifications !== undefined) return yield* new LostRace() // transitions create no verifications; the locking way handles them
    if (isAsked(found, records)) return yield* new LostRace() // open requests of the owner must be locked before they are read
    const byId = new Map(found.map((row) => [row.id, row]))
    if (changes.size > 0 || records.audit.length > 0 || records.events.length > 0) {
      if (found.length === 0) return yield* new LostRace() // no row whose version could be checked
      const [verdict] = yield* writeAll(tenantId, entering, found, byId, decision.success)
      if (verdict?.stands !== true) return yield* new LostRace()
    }
    return Result.succeed(transitioned(byId, decision.success))
  })

  return attempt
}
