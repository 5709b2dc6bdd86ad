import type { Role } from "@wcs/domain/access/Privilege"
import type { SecondFactor } from "@wcs/domain/second-factor/SecondFactor"
import { type FactorDecision, SecondFactorStore } from "@wcs/domain/second-factor/SecondFactorStore"
import { Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { makeRecordsWriter } from "../audit/RecordsWriter.ts"
import { makeAtomically } from "../engine/Atomic.ts"
import { json, makeColumns, number, orNull, type Row, text } from "../engine/Columns.ts"
import { dialectOf } from "../engine/Dialect.ts"
import { changes, rows, type Script } from "../engine/Script.ts"
import { AccessEpoch, makeAccessWrites } from "./AccessEpoch.ts"
import { roleOf } from "./AccessRows.ts"
import { endSessions } from "./SessionRows.ts"

const decodeHashes = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(Schema.String)))
const DeviceWindow = Schema.Struct({
  device: Schema.NullOr(Schema.String),
  startedAt: Schema.Finite,
  used: Schema.Int
})
const decodeFailures = Schema.decodeUnknownSync(Schema.fromJsonString(Schema.Array(DeviceWindow)))

const factorColumns = makeColumns<SecondFactor>({
  tenantId: text,
  accountId: text,
  sealedSeed: text,
  createdAt: number,
  confirmedAt: orNull(number),
  lastStep: number,
  recoveryHashes: json(decodeHashes),
  failures: json(decodeFailures)
})

const firstOf = ([row]: ReadonlyArray<Row>): SecondFactor | null => (row === undefined ? null : factorColumns.of(row))

export const make = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const atomically = yield* makeAtomically
  const dialect = dialectOf(sql)
  const records = makeRecordsWriter(sql)
  const epoch = yield* AccessEpoch
  const accessWrites = makeAccessWrites(sql, epoch)

  const selected = sql.literal(factorColumns.names.join(", "))
  const select = (tenantId: string, accountId: string) =>
    sql<Row>`SELECT ${selected} FROM second_factor WHERE tenant_id = ${tenantId} AND account_id = ${accountId}`

  function* write(tenantId: string, accountId: string, next: SecondFactor | null): Script<void> {
    const key = sql`tenant_id = ${tenantId} AND account_id = ${accountId}`
    if (next === null) {
      yield* changes(sql`DELETE FROM second_factor WHERE ${key}`)
      return
    }
    const row = factorColumns.row(next)
    const { account_id: _, tenant_id: __, ...columns } = row
    const updated = yield* changes(sql`UPDATE second_factor SET ${sql.update(columns)} WHERE ${key}`)
    if (updated > 0) return
    yield* changes(sql`INSERT INTO second_factor ${sql.insert(row)}`)
  }

  function* change<A>(
    tenantId: string,
    accountId: string,
    decide: (factor: SecondFactor | null, role: Role | undefined) => FactorDecision<A>
  ): Script<A> {
    // An account without a factor has no factor row, so the account's row is locked instead.
    const [account] = yield* rows(
      sql<{ readonly role: string }>`SELECT a.role FROM account AS a
        WHERE a.tenant_id = ${tenantId} AND a.id = ${accountId}${dialect.forUpdate}`
    )
    const role = account && roleOf(account.role)
    const { answer, audit, endSessionsAt, next } = decide(firstOf(yield* rows(select(tenantId, accountId))), role)
    if (next !== undefined) yield* write(tenantId, accountId, next)
    if (audit !== undefined) yield* records.audit(tenantId, [audit])
    if (endSessionsAt !== undefined) {
      yield* changes(endSessions(sql, tenantId, accountId, endSessionsAt, null))
      yield* accessWrites.enter(tenantId, 1)
    }
    return answer
  }

  return SecondFactorStore.of({
    find: Effect.fn("SecondFactorStore.find")((tenantId, accountId) =>
      Effect.orDie(Effect.map(select(tenantId, accountId), firstOf))
    ),
    page: Effect.fn("SecondFactorStore.page")((tenantId, after, limit) =>
      Effect.orDie(
        Effect.map(
          sql<Row>`SELECT ${selected} FROM second_factor
            WHERE tenant_id = ${tenantId} AND account_id > ${after ?? ""} ORDER BY account_id LIMIT ${limit}`,
          (rows) => rows.map(factorColumns.of)
        )
      )
    ),
    change: Effect.fn("SecondFactorStore.change")((tenantId, accountId, decide) => {
      let endsSessions = false
      const deciding: typeof decide = (factor, role) => {
        const decision = decide(factor, role)
        endsSessions = decision.endSessionsAt !== undefined
        return decision
      }
      const changed = atomically(
        function* () {
          return Result.succeed(yield* change(tenantId, accountId, deciding))
        },
        { tenantId, by: 0 } // in the order of other access writes, which lock accounts later
      )
      // A wrong code ends no session, so it must not make every cached token stale.
      return epoch.moving(changed, () => endsSessions)
    })
  })
})

export const layer = Layer.effect(SecondFactorStore, make)
