import { assert, layer } from "@effect/vitest"
import { type Chosen, OwnershipStore } from "@wcs/domain/credential/OwnershipStore"
import { auditEntry, mint, start } from "@wcs/store-suite/Fixtures"
import { Effect, Result } from "effect"
import { SqlClient, Statement } from "effect/sql"
import { postgresStore, underWay } from "../engines.ts"
import { meddling, move, prepared, stateOf } from "../moving.ts"
import { recording } from "../recording.ts"

/** Counts the transactions of several statements that an effect opens. */
const countingTransactions = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const { withTransaction } = sql
    let count = 0
    const counted: typeof withTransaction = (body) => {
      count++
      return withTransaction(body)
    }
    Object.assign(sql, { withTransaction: counted })
    const answer = yield* Effect.ensuring(
      effect,
      Effect.sync(() => Object.assign(sql, { withTransaction }))
    )
    return { answer, transactions: count }
  })

layer(postgresStore, { excludeTestServices: true })("transitions on Postgres", (it) => {
  it.effect("a link is a read and one write for everything; a no-op is the read only", () =>
    Effect.gen(function* () {
      const { ids, tenantId, to } = yield* prepared(1)
      const chosen: Chosen = { _tag: "Ids", ids }
      const link = yield* countingTransactions(recording(move(tenantId, chosen, to)))
      assert.strictEqual(link.transactions, 0)
      assert.lengthOf(link.answer.ran, 2)
      assert.notMatch(link.answer.ran[1]?.text ?? "", /FOR (UPDATE|SHARE)(?! SKIP LOCKED)/) // it waits for no lock
      assert.deepStrictEqual(yield* stateOf(tenantId, ids), { versions: [2], records: [1, 1] })
      const again = yield* countingTransactions(recording(move(tenantId, chosen, to)))
      assert.strictEqual(again.transactions, 0)
      assert.lengthOf(again.answer.ran, 1)
      const refused = yield* recording(move(tenantId, chosen, mint("worker")))
      assert.deepStrictEqual(refused.answer.outcome, Result.fail("nobody"))
      assert.lengthOf(refused.ran, 1)
      const nothing = yield* recording(move(tenantId, { _tag: "Ids", ids: [mint("credential")] }, to))
      assert.deepStrictEqual(nothing.answer.decisions, [{ found: 0, isPresent: true }])
      assert.lengthOf(nothing.ran, 1)
    })
  )

  it.effect("BLK-08, BLK-10: a batch of 500 takes two statements as well, by ids and by holder", () =>
    Effect.gen(function* () {
      for (const count of [2, 500]) {
        const { from, ids, tenantId, to } = yield* prepared(count)
        const there = yield* countingTransactions(recording(move(tenantId, { _tag: "Ids", ids }, to)))
        const held: Chosen = { _tag: "HeldBy", owner: { type: "worker", id: to }, limit: 501 }
        const back = yield* countingTransactions(recording(move(tenantId, held, from)))
        for (const { answer, transactions } of [there, back]) {
          assert.deepStrictEqual(answer.answer.outcome, Result.succeed(count))
          assert.lengthOf(answer.ran, 2)
          assert.strictEqual(transactions, 0)
        }
        const { records, versions } = yield* stateOf(tenantId, ids)
        assert.deepStrictEqual(records, [2 * count, 2 * count])
        assert.deepStrictEqual([...new Set(versions)], [3])
      }
    })
  )

  it.effect("an audit entry for an unchanged credential leaves its version", () =>
    Effect.gen(function* () {
      const { ids, tenantId } = yield* prepared(1)
      const ownership = yield* OwnershipStore
      yield* ownership.transition(tenantId, { _tag: "Ids", ids }, undefined, (found) => {
        const records = { audit: found.map(({ id }) => auditEntry(id)), events: [] }
        return Result.succeed({ answer: undefined, changes: new Map(), records, at: start })
      })
      assert.deepStrictEqual(yield* stateOf(tenantId, ids), { versions: [1], records: [1, 0] })
    })
  )

  it.effect("the result depends on all rows read: an unchanged credential that changes meanwhile is read again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { ids, tenantId, to } = yield* prepared(2)
      const [first = "", second = ""] = ids
      yield* move(tenantId, { _tag: "Ids", ids: [first] }, to)
      const meddle = sql`UPDATE credential SET version = version + 1 WHERE tenant_id = ${tenantId} AND id = ${first}`
      const { decisions, outcome } = yield* move(tenantId, { _tag: "Ids", ids }, to).pipe(
        Effect.provideService(Statement.CurrentTransformer, meddling(meddle))
      )
      assert.deepStrictEqual(outcome, Result.succeed(1))
      assert.lengthOf(decisions, 2)
      assert.deepStrictEqual(yield* stateOf(tenantId, [first, second]), { versions: [3, 2], records: [2, 2] })
    })
  )

  it.effect("OWN-12, SIL-17: an owner deleted between read and write does not become the owner", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const count of [1, 2]) {
        const { ids, tenantId, to } = yield* prepared(count)
        const remove = sql`UPDATE worker SET deleted_at = 1, version = version + 1
          WHERE tenant_id = ${tenantId} AND id = ${to}`
        for (const transformer of [meddling(remove), meddling(underWay(sql, remove))]) {
          const { decisions, outcome } = yield* move(tenantId, { _tag: "Ids", ids }, to).pipe(
            Effect.provideService(Statement.CurrentTransformer, transformer)
          )
          assert.deepStrictEqual(outcome, Result.fail("nobody"))
          assert.deepStrictEqual(
            decisions.map(({ isPresent }) => isPresent),
            [true, false]
          )
          assert.deepStrictEqual(yield* stateOf(tenantId, ids), { versions: ids.map(() => 1), records: [0, 0] })
          yield* sql`UPDATE worker SET deleted_at = NULL WHERE tenant_id = ${tenantId} AND id = ${to}`
        }
      }
    })
  )

  it.effect("a credential locked by another change is waited for, and decided again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      for (const count of [1, 3]) {
        for (const goesThrough of [true, false]) {
          const { ids, tenantId, to } = yield* prepared(count)
          const last = ids.at(-1) ?? ""
          const change = sql`UPDATE credential SET version = version + 1 WHERE tenant_id = ${tenantId} AND id = ${last}`
          const ending = goesThrough ? Effect.void : Effect.fail("undone")
          const { decisions, outcome } = yield* move(tenantId, { _tag: "Ids", ids }, to).pipe(
            Effect.provideService(Statement.CurrentTransformer, meddling(underWay(sql, change, ending)))
          )
          assert.deepStrictEqual(outcome, Result.succeed(count))
          assert.lengthOf(decisions, 2)
          const versions = ids.map((id) => (goesThrough && id === last ? 3 : 2))
          assert.deepStrictEqual(yield* stateOf(tenantId, ids), { versions, records: [count, count] })
        }
      }
    })
  )

  it.effect("batches that share credentials, named in any order, never deadlock", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { from, ids, tenantId, to } = yield* prepared(60)
      const batches = Array.from({ length: 24 }, (_, n) =>
        move(tenantId, { _tag: "Ids", ids: n % 2 === 0 ? ids : ids.toReversed() }, n % 3 === 0 ? from : to)
      )
      const moved = yield* Effect.all(batches, { concurrency: "unbounded" })
      const changes = moved.reduce((sum, { outcome }) => sum + Result.getOrThrow(outcome), 0)
      const { records, versions } = yield* stateOf(tenantId, ids)
      assert.deepStrictEqual(records, [changes, changes])
      assert.strictEqual(
        versions.reduce((sum, version) => sum + version - 1, 0),
        changes
      )
      const [seen] = yield* sql<{ readonly connections: unknown; readonly deadlocks: unknown }>`
        SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()) AS connections,
          (SELECT deadlocks FROM pg_stat_database WHERE datname = current_database()) AS deadlocks`
      assert.isAbove(Number(seen?.connections), 2)
      assert.strictEqual(Number(seen?.deadlocks), 0)
    })
  )
})
